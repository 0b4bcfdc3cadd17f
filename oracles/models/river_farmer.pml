/* The farmer, the wolf, the goat and the cabbage: the run that violates `stuck` is the solution. */
/* with ITEMS=3 */
/* with ITEMS=2 */
#ifndef ITEMS
#define ITEMS 3
#endif
bit farmer, wolf, goat, cabbage;
#define safe ((wolf != goat || farmer == goat) && (goat != cabbage || farmer == goat))
active proctype River() {
	do
	:: atomic { farmer == wolf -> farmer = 1 - farmer; wolf = farmer; if :: safe :: else -> goto eaten fi }
	:: atomic { farmer == goat -> farmer = 1 - farmer; goat = farmer; if :: safe :: else -> goto eaten fi }
#if ITEMS == 3
	:: atomic { farmer == cabbage -> farmer = 1 - farmer; cabbage = farmer; if :: safe :: else -> goto eaten fi }
#endif
	:: atomic { farmer = 1 - farmer; if :: safe :: else -> goto eaten fi }
	od;
eaten:	false
}
ltl stuck { ! <> (farmer && wolf && goat && cabbage) }
