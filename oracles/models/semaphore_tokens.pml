/* A semaphore as a channel full of tokens. */
/* with N=3 K=1 */
/* with N=4 K=2 */
/* with N=3 K=3 */
#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif
chan tokens = [K] of { bit };
byte inside;
init {
	byte i;
	atomic {
		for (i : 1 .. K) { tokens!1 }
		for (i : 1 .. N) { run worker(i) }
	}
}
proctype worker(byte me) {
	do
	:: tokens?_ -> inside++; assert(inside <= K); inside--; tokens!1
	od
}
ltl enough { [] (len(tokens) + inside <= K + N) }
ltl emptied { <> (len(tokens) == 0) }
