/* A sorting network over zeros and ones: all inputs by choice, comparators one after another. */
/* with N=4 WRONG=0 */
/* with N=4 WRONG=1 */
/* with N=6 WRONG=0 */
#ifndef N
#define N 4
#define WRONG 0
#endif
bit v[N];
inline compare(i, j) { d_step { if :: v[i] > v[j] -> v[i] = 0; v[j] = 1 :: else fi } }
active proctype Sort() {
	byte k, r;
	for (k in v) { if :: v[k] = 0 :: v[k] = 1 fi }
	for (r : 1 .. N - WRONG * 2) {
		k = r % 2;
		do
		:: k + 1 < N -> compare(k, k + 1); k = k + 2
		:: else -> break
		od
	}
	for (k : 0 .. N - 2) { assert(v[k] <= v[k + 1]) }
}
