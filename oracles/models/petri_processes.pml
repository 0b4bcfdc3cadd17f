/* A net whose transitions are processes; one arc of weight two makes it die. */
/* with K=2 */
/* with K=3 */
/* with K=5 */
#ifndef K
#define K 2
#endif
byte a = K, b, c;
proctype T(byte n) {
	do
	:: d_step { n == 0 && a > 0 -> a--; b++ }
	:: d_step { n == 1 && b > 0 -> b--; c++ }
	:: d_step { n == 2 && c > 1 -> c = c - 2; a++ }
	od
}
init { atomic { run T(0); run T(1); run T(2) } }
ltl dies { <> [] (a == 0 && b == 0) }
