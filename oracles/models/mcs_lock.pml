/* The MCS lock: a queue linked through records of the waiting processes; 255 is nil. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
#define NIL 255
typedef Node { byte next; bool locked };
Node node[N];
byte tail = NIL, inside;
active [N] proctype P() {
	byte pred; bool swapped;
	do
	:: node[_pid].next = NIL;
	   d_step { pred = tail; tail = _pid };
	   if
	   :: pred != NIL ->
	      node[_pid].locked = true;
	      node[pred].next = _pid;
	      !node[_pid].locked
	   :: else
	   fi;
	   inside++; assert(inside == 1); inside--;
	   if
	   :: node[_pid].next == NIL ->
	      d_step {
	         swapped = (tail == _pid);
	         if :: swapped -> tail = NIL :: else fi
	      };
	      if
	      :: !swapped -> node[_pid].next != NIL; node[node[_pid].next].locked = false
	      :: else
	      fi
	   :: else -> node[node[_pid].next].locked = false
	   fi;
	   pred = 0; swapped = 0
	od
}
ltl mcs_safe { [] (inside <= 1) }
ltl mcs_live { []<> (inside == 1) }
