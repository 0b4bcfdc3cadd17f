/* Processes that run only while a condition holds, also on their own local clock. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte turn; byte steps[N];
proctype T(byte me) provided (turn == _pid - 1) {
	do
	:: steps[me] < 3 -> steps[me]++; turn = (turn + 1) % N
	:: else -> turn = (turn + 1) % N; break
	od
}
init { byte i; atomic { for (i : 0 .. N - 1) { run T(i) } } }
ltl turns { [] (steps[0] >= steps[N - 1]) }
ltl ends { <> (steps[N - 1] == 3) }
