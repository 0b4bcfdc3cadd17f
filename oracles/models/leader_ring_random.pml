/* Itai and Rodeh on an anonymous ring: names are drawn, and drawn again after a tie. */
/* with N=2 K=2 */
/* with N=3 K=2 */
#ifndef N
#define N 2
#define K 2
#endif
chan c[N] = [N] of { byte, byte, bit };      /* name, hops, unique so far */
byte leaders;
active [N] proctype Node() {
	byte name, n, h; bit u; bool is_active = true;
	select (name : 1 .. K);
	c[(_pid + 1) % N]!name, 1, 1;
	do
	:: c[_pid]?n, h, u ->
	   if
	   :: !is_active -> if :: leaders > 0 -> break :: else -> c[(_pid + 1) % N]!n, h + 1, u fi
	   :: is_active && h == N && u -> leaders++; assert(leaders == 1); break
	   :: is_active && h == N && !u -> select (name : 1 .. K); c[(_pid + 1) % N]!name, 1, 1
	   :: is_active && h < N && n > name -> is_active = false; c[(_pid + 1) % N]!n, h + 1, u
	   :: is_active && h < N && n == name -> c[(_pid + 1) % N]!n, h + 1, 0
	   :: is_active && h < N && n < name
	   fi
	:: leaders > 0 && empty(c[_pid]) -> break
	od
}
ltl elected { <> (leaders == 1) }
