/* A semaphore as a process that hands out permits by rendezvous. */
/* with N=3 PERMITS=1 */
/* with N=4 PERMITS=2 */
/* with N=5 PERMITS=3 */
#ifndef N
#define N 3
#endif
#ifndef PERMITS
#define PERMITS 1
#endif
chan acquire = [0] of { pid }; chan release_ = [0] of { pid };
byte inside;
active proctype Permits() {
	byte left_ = PERMITS; pid who;
end:	do
	:: acquire?who -> left_--; if :: left_ == 0 -> release_?who; left_++ :: else fi
	:: release_?who -> left_++; assert(left_ <= PERMITS)
	od
}
active [N] proctype Client() {
	do
	:: acquire!_pid;
	   inside++;
within:	   assert(inside <= PERMITS);
	   inside--;
	   release_!_pid
	od
}
ltl bounded { [] (inside <= PERMITS) }
ltl never_full { [] (inside < PERMITS) }
ltl first_enters { []<> Client[1]@within }
