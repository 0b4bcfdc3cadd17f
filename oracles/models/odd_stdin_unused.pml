/* Globals nobody uses, processes nobody starts, labels nobody jumps to. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
byte unused[3]; chan idle = [2] of { byte, bit, short }; typedef Nobody { int a; int b }; Nobody nb;
proctype never_started(byte a) { unused_label: a++; idle!a, 1, 2 }
active [N] proctype P() { here: skip; there: if :: false :: true fi; goto last; skip; last: skip }
