/* Independent reads of independent writes, with and without a copy of memory for each reader. */
/* with COPIES=0 */
/* with COPIES=1 */
#ifndef COPIES
#define COPIES 0
#endif
byte x[2], y[2]; byte r1, r2, r3, r4; byte n;
proctype WriteX() { x[0] = 1;
#if COPIES
	x[1] = 1
#endif
}
proctype WriteY() {
#if COPIES
	y[1] = 1;
#endif
	y[0] = 1
}
#if COPIES
#define at(a, k) a[k]
#else
#define at(a, k) a[0]
#endif
init {
	atomic { run WriteX(); run WriteY(); run ReadXY(); run ReadYX() };
	n == 2;
	assert(!(r1 == 1 && r2 == 0 && r3 == 1 && r4 == 0))
}
proctype ReadXY() { r1 = at(x, 0); r2 = at(y, 0); n++ }
proctype ReadYX() { r3 = at(y, 1); r4 = at(x, 1); n++ }
