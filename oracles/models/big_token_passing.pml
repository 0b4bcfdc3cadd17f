/* Counters that run independently of each other: a product of N cycles. */
/* with N=4 MOD=10 */
/* with N=5 MOD=12 */
/* with N=6 MOD=8 */
#ifndef N
#define N 4
#define MOD 10
#endif
byte c[N];
active [N] proctype Counter() { do :: c[_pid] = (c[_pid] + 1) % MOD od }
ltl back { []<> (c[0] == 0) }
ltl below { [] (c[0] < MOD && c[N - 1] < MOD) }
