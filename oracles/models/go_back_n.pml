/* Go-back-N with cumulative acknowledgements. */
/* with W=1 SEQ=2 CAP=1 */
/* with W=2 SEQ=3 CAP=1 */
/* with W=2 SEQ=2 CAP=1 */
/* with W=3 SEQ=4 CAP=2 */
#ifndef W
#define W 1
#define SEQ 2
#define CAP 1
#endif
chan up = [CAP] of { byte, byte }; chan down = [CAP] of { byte };
byte acc;                     /* what has been accepted, modulo 5 */
#define dist(a, b) ((b + SEQ - a) % SEQ)
active proctype Snd() {
	byte lo, nx, a, v, vlo;
	do
	:: dist(lo, nx) < W -> up!nx, v; nx = (nx + 1) % SEQ; v = (v + 1) % 5
	:: down?a -> do
	             :: dist(lo, a) < dist(lo, nx) -> lo = (lo + 1) % SEQ; vlo = (vlo + 1) % 5; if :: lo == (a + 1) % SEQ -> break :: else fi
	             :: else -> break
	             od; a = 0
	:: lo != nx -> nx = lo; v = vlo      /* go back */
	od
}
active proctype Rcv() {
	byte e, s, v;
	do
	:: up?s, v ->
	   if
	   :: s == e -> assert(v == acc); acc = (acc + 1) % 5; e = (e + 1) % SEQ
	   :: else
	   fi;
	   if :: down!((e + SEQ - 1) % SEQ) :: skip fi;
	   s = 0; v = 0
	od
}
active proctype Loss() { do :: up?_, _ od }
