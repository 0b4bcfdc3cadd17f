/* A wide state: a matrix of bytes in which two robots swap rows and columns. */
/* with N=4 */
/* with N=12 */
/* with N=32 */
#ifndef N
#define N 4
#endif
byte m[N * N]; byte moves;
active [2] proctype Robot() {
	byte x;
	do
	:: moves < 12 -> x = (x + 1 + _pid) % N; m[x * N + x] = m[x * N + x] + 1; moves++
	:: moves < 12 -> m[x] = m[N * N - 1 - x]; moves++
	:: else -> break
	od
}
ltl ends { <> (moves == 12) }
