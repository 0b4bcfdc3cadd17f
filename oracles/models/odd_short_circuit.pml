/* Conditions whose second part must not be computed: an index that would be out of range. */
/* with N=3 */
/* with N=5 */
#ifndef N
#define N 3
#endif
byte a[N] = 1; byte i; byte found;
active proctype P() {
	do
	:: i < N && a[i] == 1 -> i++
	:: i >= N || a[i] != 1 -> break
	od;
	found = (i < N -> a[i] : 99);
	assert(found == 99)
}
active proctype Q() { if :: i == 2 -> a[N - 1] = 0 :: true fi }
