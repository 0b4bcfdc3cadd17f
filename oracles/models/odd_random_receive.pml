/* Receives from the middle, sorted sends, copies and polls. */
/* with N=2 */
/* with N=3 */
/* with N=4 */
#ifndef N
#define N 3
#endif
mtype = { urgent, normal };
chan q = [4] of { mtype, byte };
byte seen;
active proctype S() {
	byte i;
	for (i : 1 .. N) {
		if
		:: q!!normal, (5 - i)
		:: q!urgent, i
		:: q!!urgent(i)
		fi
	}
}
active proctype R() {
	byte x, n;
	do
	:: n < N && q??[urgent, x] -> q??urgent, x; n++; seen = seen | (1 << x)
	:: n < N && !q??[urgent, x] && q?[normal, x] -> q?<normal, x>; assert(q?[normal, eval(x)]); q?normal, eval(x); n++
	:: n < N && q??[normal, 4] -> q??<normal, 4>; q??normal(4); n++
	:: n == N -> break
	od
}
ltl drained { <> [] (len(q) == 0) }
