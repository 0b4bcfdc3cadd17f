/* Processes started with a priority each. */
/* with TOP=2 */
/* with TOP=4 */
#ifndef TOP
#define TOP 2
#endif
byte order_[4]; byte n;
proctype W(byte k) { order_[n] = k; n++ }
init { atomic { run W(1) priority 1; run W(2) priority TOP; run W(3) priority 3 } }
ltl second_early { <> (n == 3) }
