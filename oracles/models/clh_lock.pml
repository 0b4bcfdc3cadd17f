/* The CLH lock: everybody waits for the record of its predecessor, and takes it over. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
bool busy[N + 1];
byte last = N, inside;
active [N] proctype P() {
	byte mine = _pid, pred;
	do
	:: busy[mine] = true;
	   atomic { pred = last; last = mine };
	   !busy[pred];
	   inside++; assert(inside == 1); inside--;
	   busy[mine] = false;
	   mine = pred
	od
}
ltl s { [] (inside < 2) }
