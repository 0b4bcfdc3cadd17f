/* Jugs of A and B litres; can one measure WANT? */
/* with A=3 B=5 WANT=4 */
/* with A=3 B=6 WANT=4 */
/* with A=7 B=11 WANT=5 */
#ifndef A
#define A 3
#define B 5
#define WANT 4
#endif
byte a, b;
active proctype pour() {
	do
	:: a = A :: b = B :: a = 0 :: b = 0
	:: atomic { a + b <= B -> b = a + b; a = 0 }
	:: atomic { a + b > B -> a = a - (B - b); b = B }
	:: atomic { a + b <= A -> a = a + b; b = 0 }
	:: atomic { a + b > A -> b = b - (A - a); a = A }
	od
}
ltl not_measured { [] (b != WANT) }
ltl may_stay_empty { <> (a > 0) }
