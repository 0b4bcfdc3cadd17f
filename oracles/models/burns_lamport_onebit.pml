/* The one-bit algorithm: N bits suffice, but not everybody is served. */
/* with N=2 */
/* with N=3 */
/* with N=4 */
#ifndef N
#define N 3
#endif
bool x[N]; byte ncs;
active [N] proctype P() {
	byte j;
l1:	x[_pid] = 1; j = 0;
	do
	:: j < _pid ->
	   if :: x[j] -> x[_pid] = 0; !x[j]; goto l1 :: else -> j++ fi
	:: else -> break
	od;
	j = _pid + 1;
	do :: j < N -> !x[j]; j++ :: else -> break od;
	ncs++;
cs:	assert(ncs == 1); ncs--;
	x[_pid] = 0;
	goto l1
}
ltl zero { []<> P[0]@cs }
ltl one { []<> P[1]@cs }
