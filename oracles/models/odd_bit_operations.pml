/* All operators, with C's order of binding. */
/* with X=5 Y=3 */
/* with X=255 Y=8 */
/* with X=-6 Y=2 */
#ifndef X
#define X 5
#define Y 3
#endif
int x = X, y = Y, z; bool q;
active proctype P() {
	z = x + y * 2 - x / y % 3; z = (x & y) | (x ^ y); z = ~x; z = -x; z = x << y; z = x >> 1;
	z = x == y | x < y & y != 3; q = !x || y && x > y; q = !(x <= y) && (x >= y || !q);
	z = (x > y -> x - y : y - x); skip
}
active proctype Q() { z = 1 + 2 << 3 & 255; assert(z != 99) }
