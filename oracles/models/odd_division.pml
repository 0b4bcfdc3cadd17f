/* Division and remainder by what may be 0 on some runs only. */
/* with SAFE=1 */
/* with SAFE=0 */
#ifndef SAFE
#define SAFE 1
#endif
int d = 1, r;
active proctype A() { if :: d = 2 :: d = SAFE :: d = -3 fi }
active proctype B() { r = 12 / d; r = r % d }
