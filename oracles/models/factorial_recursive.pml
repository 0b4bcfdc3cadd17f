/* A product of numbers by a chain of processes that call each other; an int may run over. */
/* with N=4 */
/* with N=9 */
/* with N=14 */
#ifndef N
#define N 4
#endif
int answer; byte depth, deepest;
proctype multiply(byte k; chan caller) {
	chan reply = [1] of { int };
	int rest = 1;
	depth++;
	if :: depth > deepest -> deepest = depth :: else fi;
	if
	:: k > 1 -> run multiply(k - 1, reply); reply?rest
	:: else
	fi;
	depth--;
	caller!rest * k
}
init {
	chan mine = [1] of { int };
	run multiply(N, mine);
	mine?answer;
	assert(deepest == N && depth == 0)
}
ltl positive { [] (answer >= 0) }
ltl answered { <> (answer != 0) }
