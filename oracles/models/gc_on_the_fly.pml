/* Dijkstra's on-the-fly collector with three colours. */
/* with NODES=2 */
/* with NODES=3 */
/* with NODES=3 LATE_SHADE */
#ifndef NODES
#define NODES 2
#endif
mtype = { white, grey, black };
mtype colour[NODES] = white; byte son[NODES]; bool collected[NODES];
inline shade(n) { d_step { if :: colour[n] == white -> colour[n] = grey :: else fi } }
active proctype Mutator() {
	byte from, to;
	do
	:: d_step { from = 0; to = son[0] };
	   select (to : 0 .. NODES - 1);
	   if
	   :: collected[to] || collected[from]
	   :: else ->
#ifdef LATE_SHADE
	      son[from] = to; shade(to)
#else
	      shade(to); son[from] = to
#endif
	   fi
	od
}
active proctype Collector() {
	byte i; bool again;
	do
	:: shade(0);
	   again = true;
	   do
	   :: again ->
	      again = false;
	      for (i : 0 .. NODES - 1) {
	         if
	         :: colour[i] == grey -> again = true; shade(son[i]); colour[i] = black
	         :: else
	         fi
	      }
	   :: else -> break
	   od;
	   for (i : 0 .. NODES - 1) {
	      atomic {
	         if
	         :: colour[i] == white && i != son[0] -> collected[i] = 1
	         :: colour[i] == white && i == son[0] -> assert(false)
	         :: else -> colour[i] = white
	         fi
	      }
	   }
	   i = 0
	od
}
ltl never_root { [] !collected[0] }
