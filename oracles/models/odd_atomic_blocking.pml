/* Atomic sequences that block inside and let others go on. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x, y; chan q = [1] of { byte };
active [N] proctype A() { atomic { x++; y == 1; x--; y = 0; q!x } }
active [N] proctype B() { byte v; atomic { y == 0 -> y = 1; q?v; assert(v < N) } }
ltl calm { <> [] (x == 0) }
