/* else in many places: behind receives in polls, in nested choices, after guards with side effects. */
/* with N=2 */
/* with N=4 */
#ifndef N
#define N 2
#endif
chan q = [2] of { byte }; byte taken, missed;
active proctype S() { byte i; do :: i < N -> if :: nfull(q) -> q!i; i++ :: full(q) fi :: else -> break od }
active proctype R() { byte v; byte k;
	do
	:: k < N -> if
	   :: q?[v] -> q?v; taken++
	   :: else -> missed++; if :: missed > 2 -> missed = 0 :: else fi
	   fi; k++
	:: else -> break
	od
}
ltl t { [] (taken <= N) }
