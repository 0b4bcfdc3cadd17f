/* Termination by credit: work is divided into halves and comes home. */
/* with CREDIT=4 */
/* with CREDIT=8 */
#ifndef CREDIT
#define CREDIT 4
#endif
chan home = [8] of { byte };
byte returned, workers;
proctype worker(byte credit) {
	do
	:: credit > 1 && workers < 5 -> atomic { workers++; run worker(credit / 2) }; credit = credit - credit / 2
	:: atomic { home!credit; workers--; credit = 0 }; break
	od
}
init {
	byte c;
	atomic { workers = 1; run worker(CREDIT) };
	do
	:: returned < CREDIT -> home?c; returned = returned + c; c = 0
	:: returned == CREDIT -> break
	od;
	assert(workers == 0 && empty(home))
}
ltl all_home { <> (returned == CREDIT) }
