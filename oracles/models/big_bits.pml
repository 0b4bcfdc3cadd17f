/* Many single bits, changed by many processes. */
/* with N=10 */
/* with N=14 */
/* with N=17 */
#ifndef N
#define N 10
#endif
bit b[N];
active [N] proctype Flip() { do :: b[_pid] == 0 -> b[_pid] = 1 :: b[_pid] == 1 && b[(_pid + 1) % N] == 1 -> b[_pid] = 0 od }
ltl ones { <> (b[0] && b[1]) }
