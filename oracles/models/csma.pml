/* Carrier sense on one wire: collisions are seen, and everybody backs off. */
/* with N=2 BACKOFF=1 */
/* with N=3 BACKOFF=1 */
/* with N=2 BACKOFF=2 */
#ifndef N
#define N 2
#define BACKOFF 1
#endif
byte on_wire; bool collision; byte sent[N];
active [N] proctype Station() {
	byte wait_;
	do
	:: on_wire == 0 && wait_ == 0 ->
	   on_wire++;
	   if
	   :: on_wire == 1 -> sent[_pid] = (sent[_pid] + 1) % 2
	   :: on_wire > 1 -> collision = true; select (wait_ : 1 .. BACKOFF)
	   fi;
	   atomic { on_wire--; if :: on_wire == 0 -> collision = false :: else fi }
	:: wait_ > 0 -> wait_--
	od
}
ltl sends { []<> (sent[0] == 1) }
ltl never_collides { [] !collision }
