/* Numbers of all widths run over. */
/* with STEP=1 */
/* with STEP=100 */
/* with STEP=70000 */
#ifndef STEP
#define STEP 1
#endif
bit b; bool t; byte y; short s; int i; unsigned u : 5; unsigned w : 13; mtype = { m1, m2 }; pid p;
active proctype P() {
	int k;
	for (k : 1 .. 6) {
		b = b + STEP; y = y + STEP; s = s + STEP * 300; i = i + STEP * 30000; u = u + STEP; w = w - STEP; p = p + STEP
	}
	y = -1; assert(y == 255);
	s = 40000; assert(s < 0);
	u = 33; assert(u == 1);
	i = 2147483647; i++; assert(i < 0);
	s = -7; assert(s / 2 == -3 && s % 2 == -1 && s >> 1 == -4);
	b = 2; assert(b == 0);
	t = 3; assert(t)
}
