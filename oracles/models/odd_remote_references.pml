/* Places and variables of other processes in conditions and formulas. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x;
active [N] proctype P() { byte mine = 3;
start:	x++;
mid:	mine = x;
	x--;
fin:	skip
}
active proctype Watch() {
	(P[0]@mid) -> assert(x >= 1);
	(P[0]:mine != 3 || P[0]@fin) -> skip
}
ltl mids { <> (P[0]@mid || P[0]@fin) }
ltl order { [] !(P[0]@fin && P[1]@start && x > N) }
