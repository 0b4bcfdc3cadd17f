/* A trace assertion about the order of messages; WRONG sends an answer twice. */
/* with WRONG=0 */
/* with WRONG=1 */
mtype = { ask, tell };
#ifndef WRONG
#define WRONG 0
#endif
chan up = [1] of { mtype }; chan down = [1] of { mtype };
trace {
	do
	:: up!ask; down!tell
	od
}
active proctype C() { byte n; do :: n < 3 -> up!ask; down?tell; n++ :: else -> break od }
active proctype S() {
end:	do
	:: up?ask -> down!tell
#if WRONG
	; if :: down!tell :: skip fi
#endif
	od
}
