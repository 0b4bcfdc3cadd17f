/* A timer by ticks: a beat must come in time, else the pacemaker makes one. */
/* with LIMIT=3 */
/* with LIMIT=6 */
#ifndef LIMIT
#define LIMIT 3
#endif
byte since; bool beat, pace;
active proctype Heart() { do :: !beat -> beat = true :: beat = beat od }
active proctype Timer() {
	do
	:: atomic { beat || pace -> beat = false; pace = false; since = 0 }
	:: atomic { !beat && !pace && since < LIMIT -> since++ }
	:: atomic { since == LIMIT && !pace -> pace = true }
	od
}
ltl in_time { [] (since <= LIMIT) }
ltl alive { []<> (since == 0) }
