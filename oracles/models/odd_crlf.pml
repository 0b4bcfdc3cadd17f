/* Written on another system: lines end in CR LF, with tabs. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
#define step(v) \
	v = v + 1; \
	assert(v <= N * 2)

byte x;

active [N] proctype P() {
	byte i;
	do
	:: i < 2 -> step(x);
		i++
	:: else ->
		break
	od
}
ltl top { <> (x == N * 2) }
