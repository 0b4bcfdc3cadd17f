/* Assertions with side conditions in atomic, d_step, claims and escapes. */
/* with BAD=0 */
/* with BAD=1 */
/* with BAD=2 */
/* with BAD=3 */
#ifndef BAD
#define BAD 0
#endif
byte x;
active proctype P() {
	atomic { x = 1; assert(x == 1 || BAD == 1); x = 2; assert(BAD != 1) };
	d_step { x = 3; assert(BAD != 2); x = 4 };
	{ x = 5; x == 99 } unless { x == 5 -> assert(BAD != 3) }
}
