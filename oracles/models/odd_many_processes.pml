/* Processes made in a loop, up to the limit of 255, which end and make room again. */
/* with N=20 */
/* with N=100 */
/* with N=254 */
/* with N=300 */
#ifndef N
#define N 20
#endif
byte made; byte alive;
proctype W() { alive--; }
init { short i;
	do
	:: i < N -> atomic { alive++; run W() }; i++; made++; _nr_pr == 1
	:: else -> break
	od;
	assert(alive == 0)
}
