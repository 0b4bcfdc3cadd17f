/* A formula without a name, written with words. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x;
active proctype P() { do :: x < N -> x++ :: x == N -> x = 0 od }
ltl { always eventually (x == 0) }
