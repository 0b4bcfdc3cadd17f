/* A flag and a sleeping thread: looking and sleeping in one step, or in two. */
/* with SAFE=1 */
/* with SAFE=0 */
#ifndef SAFE
#define SAFE 1
#endif
bool work, asleep; byte handled;
active proctype Worker() {
	do
	:: handled < 3 ->
#if SAFE
	   atomic { if :: !work -> asleep = true :: else fi };
#else
	   if :: !work -> skip; asleep = true :: else fi;
#endif
	   !asleep;
	   if :: work -> work = false; handled++ :: else fi
	:: else -> break
	od
}
active proctype Poster() {
	byte i;
	for (i : 1 .. 3) { !work; work = true; if :: asleep -> asleep = false :: else fi }
}
ltl handled_all { <> (handled == 3) }
