/* A never claim that ends: a violation of safety by reaching its brace. */
/* with LIMIT=3 */
/* with LIMIT=9 */
#ifndef LIMIT
#define LIMIT 3
#endif
byte x, y;
active proctype A() { do :: x < 5 -> x++ :: x == 5 -> x = 0 od }
active proctype B() { do :: y < 2 -> y++ :: else -> break od }
never {
	do
	:: x + y > LIMIT -> break
	:: else
	od
}
