/* Active processes with parameters, which are 0 then. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte total;
active [N] proctype P(byte a; short b; chan c) { assert((a == 0 && b == 0) || (a == 3 && b == -3)); total = total + a + 1 }
init { chan k = [1] of { bit }; run P(3, -3, k) }
