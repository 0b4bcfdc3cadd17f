/* Receives into cells of arrays and fields, also with an index that is received before. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
typedef Slot { byte v; short w };
chan q = [2] of { byte, byte, short }; byte a[4]; Slot s[4]; byte at;
active proctype S() { byte i; for (i : 0 .. N) { q!i, i * 2, -i } }
active proctype R() { byte k;
	do
	:: k <= N -> q?at, a[k], s[k].w; s[at].v = a[at]; k++
	:: else -> break
	od;
	assert(a[N] == 2 * N && s[N].w == -N && s[N].v == 2 * N)
}
