/* A never claim that asks whether a process can move, and where it is. */
/* with LIM=2 */
/* with LIM=4 */
#ifndef LIM
#define LIM 2
#endif
byte x;
active proctype A() { do :: x < LIM -> x++ od }
active proctype B() { do :: x == LIM -> x = 0 od }
never {
	do
	:: !enabled(0) && !enabled(1) -> break
	:: pc_value(0) == 0 -> break
	:: else
	od
}
