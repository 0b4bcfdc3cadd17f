/* np_ in a claim of one's own. */
/* with STEPS=2 */
/* with STEPS=4 */
#ifndef STEPS
#define STEPS 2
#endif
byte x;
active proctype A() { do
	:: x < STEPS -> x++
	:: x == STEPS ->
progress: x = 0
	od }
never {
	do
	:: np_ -> goto accept_all
	:: true
	od;
accept_all:
	do :: np_ od
}
