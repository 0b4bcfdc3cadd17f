/* Loops and selections of all kinds. */
/* with HI=2 */
/* with HI=4 */
#ifndef HI
#define HI 2
#endif
byte a[4]; typedef Rec { byte f[3] }; Rec r;
chan c = [3] of { Rec }; int sum; byte lo = 1;
active proctype P() {
	int i; byte k, m;
	for (i : -1 .. HI) { sum = sum + i }
	for (k in a) { a[k] = k * k }
	select (m : lo .. HI + 1);
	r.f[0] = m; c!r; r.f[0]++; c!r;
	for (r in c) { sum = sum + r.f[0] }
	select (i : 0 .. 2);
	for (i : i .. lo) { sum-- }
	assert(i >= 2 || i == lo + 1);
	assert(len(c) == 2)
}
