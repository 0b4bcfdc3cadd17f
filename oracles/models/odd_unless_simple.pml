/* Escapes from loops, from atomic sequences, from blocked statements. */
/* with KIND=0 */
/* with KIND=1 */
/* with KIND=2 */
/* with KIND=3 */
/* with KIND=4 */
#ifndef KIND
#define KIND 0
#endif
bool stop; byte x; chan q = [1] of { byte }; bool out;
active proctype P() {
#if KIND == 0
	{ do :: x < 5 -> x++ :: x == 5 -> x = 0 od } unless { stop }; out = true
#elif KIND == 1
	{ q?x; x++ } unless { stop -> x = 100 }; out = true
#elif KIND == 2
	{ atomic { x = 1; x = 2; x = 3; q!x } ; q?x } unless { atomic { stop -> x = 9; out = true } }
#elif KIND == 3
	{ { x = 1; q?_ } unless { x == 7 -> x = 8 } } unless { stop -> out = true }
#else
	do
	:: { x = (x + 1) % 4; if :: x == 2 -> x = 0 :: else fi } unless { q?7 -> break }
	od; out = true
#endif
}
active proctype Q() {
	if :: stop = true :: q!7 :: x = 7; stop = true fi
}
ltl gets_out { <> out }
