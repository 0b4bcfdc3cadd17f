/* Several processes that wait for a time-out at once. */
/* with N=2 */
/* with N=3 */
/* with N=4 */
#ifndef N
#define N 2
#endif
byte woken; byte order_[N];
active [N] proctype W() {
	timeout -> order_[woken] = _pid; woken++;
	if :: woken == N -> skip :: woken < N -> timeout fi;
	woken = woken
}
active proctype L() { byte k; do :: k < 4 -> k++ :: else -> break od }
ltl all { <> (woken == N) }
