/* Philosophers with forks as tokens in channels, and a butler: some hundred thousand states. */
/* with N=6 */
/* with N=8 */
#ifndef N
#define N 6
#endif
chan fork[N] = [1] of { bit }; chan room = [N - 1] of { bit }; byte eaten;
active [N] proctype Phil() {
	fork[_pid]!1;
	do
	:: room!1;
	   fork[_pid]?1;
	   fork[(_pid + 1) % N]?1;
	   eaten = _pid;
	   fork[_pid]!1;
	   fork[(_pid + 1) % N]!1;
	   room?1
	od
}
ltl last_eats { []<> (eaten == N - 1) }
