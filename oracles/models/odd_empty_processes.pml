/* Processes that do nothing, in odd places. */
/* with N=1 */
/* with N=5 */
#ifndef N
#define N 1
#endif
active [N] proctype Nothing() { skip }
proctype Less() { if :: true fi; true }
init { run Less(); do :: break od; if :: skip :: skip fi }
