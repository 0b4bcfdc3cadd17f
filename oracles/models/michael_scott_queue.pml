/* Michael and Scott's queue on an array: tail may lag behind, and everybody helps. */
/* with ENQ=1 DEQ=1 EACH=2 */
/* with ENQ=2 DEQ=1 EACH=1 */
/* with ENQ=2 DEQ=2 EACH=1 */
#ifndef ENQ
#define ENQ 1
#define DEQ 1
#define EACH 2
#endif
#define CELLS 6
typedef Cell { byte value; byte next };
Cell heap[CELLS];
byte head, tail, used = 1;
byte in_order, taken;
inline cas(x, old, new, ok) { d_step { ok = (x == old); if :: ok -> x = new :: else fi } }
proctype enq(byte base) {
	byte node, t, n, i; bit ok;
	for (i : 1 .. EACH) {
		d_step { node = used; used++; heap[node].value = base + i };
		do
		:: t = tail; n = heap[t].next;
		   if
		   :: n == 0 ->
		      cas(heap[t].next, 0, node, ok);
		      if :: ok -> cas(tail, t, node, ok); break :: else fi
		   :: n != 0 -> cas(tail, t, n, ok)
		   fi
		od
	}
}
proctype deq() {
	byte h, t, n; bit ok;
	do
	:: h = head; t = tail; n = heap[h].next;
	   if
	   :: h == t && n == 0 -> if :: taken == ENQ * EACH -> break :: else fi
	   :: h == t && n != 0 -> cas(tail, t, n, ok)
	   :: h != t ->
	      cas(head, h, n, ok);
	      if :: ok -> taken++; assert(heap[n].value != 0) :: else fi
	   fi;
	   h = 0; t = 0; n = 0
	od
}
init {
	byte k;
	atomic {
		for (k : 1 .. ENQ) { run enq(k * 10) }
		for (k : 1 .. DEQ) { run deq() }
	}
}
ltl all_out { <> (taken == ENQ * EACH) }
