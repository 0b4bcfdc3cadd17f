/* A process that is one deterministic step after another. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x;
active [N] D_proctype P() { byte i; for (i : 1 .. 3) { x = x + i } if :: x > 5 -> x = 0 :: else -> x++ fi }
