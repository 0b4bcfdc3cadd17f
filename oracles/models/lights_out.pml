/* Lights out on a ring: every press turns three lamps. */
/* with N=4 */
/* with N=7 */
/* with N=9 */
#ifndef N
#define N 4
#endif
bit lamp[N] = 1;
inline press(k) { d_step { lamp[k] = 1 - lamp[k]; lamp[(k + 1) % N] = 1 - lamp[(k + 1) % N]; lamp[(k + N - 1) % N] = 1 - lamp[(k + N - 1) % N] } }
init {
	byte k;
	do
	:: press(k)
	:: k = (k + 1) % N
	od
}
ltl never_dark { [] (lamp[0] || lamp[1] || lamp[2] || lamp[3]) }
