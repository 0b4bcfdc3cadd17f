/* A level crossing: trains announce themselves, a gate closes. */
/* with TRACKS=1 */
/* with TRACKS=2 */
/* with TRACKS=2 HASTY */
/* with TRACKS=3 */
#ifndef TRACKS
#define TRACKS 1
#endif
mtype = { approach, leave };
chan sensor = [TRACKS] of { mtype }; byte inside, near; bool closed;
active [TRACKS] proctype Train() {
	do
	:: sensor!approach;
#ifndef HASTY
	   closed;
#endif
	   inside++;
	   inside--;
	   sensor!leave
	od
}
active proctype Gate() {
	do
	:: sensor?approach -> near++; closed = true
	:: sensor?leave -> near--; if :: near == 0 -> closed = false :: else fi
	od
}
ltl shut { [] (inside > 0 -> closed) }
ltl opens { []<> !closed }
