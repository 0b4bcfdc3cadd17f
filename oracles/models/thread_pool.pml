/* A pool of threads that takes jobs from a queue and ends at a poison message for each. */
/* with THREADS=2 JOBS=3 */
/* with THREADS=3 JOBS=4 */
/* with THREADS=3 JOBS=2 ONE_PILL */
#ifndef THREADS
#define THREADS 2
#define JOBS 3
#endif
chan jobs = [2] of { byte }; byte finished, ended;
active [THREADS] proctype Thread() {
	byte j;
	do
	:: jobs?0 -> break
	:: jobs?j -> if :: j != 0 -> finished++ :: else -> break fi
	od;
	ended++
}
active proctype Main() {
	byte i;
	for (i : 1 .. JOBS) { jobs!i }
#ifdef ONE_PILL
	jobs!0
#else
	for (i : 1 .. THREADS) { jobs!0 }
#endif
}
ltl pool_ends { <> (ended == THREADS) }
ltl all_jobs { <> (finished == JOBS) }
