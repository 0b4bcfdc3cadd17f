/* run as an expression: 0 when there is no room for another process. */
/* with MORE=0 */
/* with MORE=1 */
#ifndef MORE
#define MORE 1
#endif
pid p, q; byte n;
proctype C(byte k) { n = n + k }
init { p = run C(1); q = run C(2);
#if MORE
	(run C(3)) -> n++;
#endif
	_nr_pr == 1; assert(n >= 3 && p == 1 && q >= 1)
}
