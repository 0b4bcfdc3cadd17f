/* Local arrays of channels, channels kept in arrays, sent and used by others. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
chan registry[N]; byte ready_, sum;
active [N] proctype Owner() {
	chan mine[2] = [1] of { byte }; byte v;
	registry[_pid] = mine[1]; ready_++;
	mine[1]?v; sum = sum + v; mine[0]!v; mine[0]?v;
	_nr_pr <= N + 1
}
active proctype User() { byte k; ready_ == N; for (k : 0 .. N - 1) { registry[k]!k + 1 } }
ltl summed { <> (sum == (N * (N + 1)) / 2) }
