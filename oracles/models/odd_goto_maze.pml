/* Jumps into loops, out of choices, backwards, to labels on labels. */
/* with N=3 */
/* with N=6 */
#ifndef N
#define N 3
#endif
byte x, laps;
active proctype G() {
	goto inside;
top:	do
	:: x > N -> goto out
	:: x <= N ->
inside:	   x++;
	   if :: x == 2 -> goto top :: x == 3 -> goto again :: else fi
	od;
again:	laps++;
	if :: laps < 3 -> x = 0; goto inside :: else -> goto top fi;
out:	assert(laps == 3 || laps < 3)
}
active proctype H() { do :: laps == 1 -> x = 1; break :: laps == 2 -> break :: timeout -> break od }
