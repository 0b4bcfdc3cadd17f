/* An index that may run out of its array. */
/* with N=3 */
/* with N=4 */
#ifndef N
#define N 3
#endif
byte a[4]; byte i;
active proctype A() { do :: i < N -> a[i] = i; i++ :: i == N -> a[i] = 1; break od }
