/* Anderson's lock: everybody spins on a flag of its own, in an array used as a ring. */
/* with N=2 SLOTS=2 */
/* with N=3 SLOTS=4 */
/* with N=3 SLOTS=2 */
#ifndef N
#define N 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
bool has[SLOTS] = { true };
byte tail, inside;
active [N] proctype Q() {
	byte slot;
	do
	:: atomic { slot = tail; tail = (tail + 1) % SLOTS };
	   has[slot];
	   has[slot] = false;
	   inside++; assert(inside == 1); inside--;
	   has[(slot + 1) % SLOTS] = true
	od
}
ltl x { [] (inside <= 1) }
