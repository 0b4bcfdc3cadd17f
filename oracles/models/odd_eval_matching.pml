/* Messages for several receivers in one channel, told apart by eval. */
/* with N=2 CAP=1 */
/* with N=3 CAP=2 */
/* with N=3 CAP=0 */
#ifndef N
#define N 2
#define CAP 1
#endif
chan bus = [CAP] of { byte, byte };
byte got[N];
active [N] proctype Node() {
	byte v; byte left_ = 1;
	do
	:: left_ > 0 -> left_--; bus!(_pid + 1) % N, _pid + 10
	:: bus?eval(_pid), v -> got[_pid] = v; break
	od
}
ltl each { <> (got[0] == 10 + N - 1) }
