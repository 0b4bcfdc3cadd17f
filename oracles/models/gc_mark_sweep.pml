/* Mark and sweep on a heap of three cells with a mutator that moves a pointer meanwhile. */
/* with BARRIER=1 */
/* with BARRIER=0 */
#ifndef BARRIER
#define BARRIER 1
#endif
#define CELLS 3
#define NIL 3
byte ptr[CELLS] = NIL; bool marked[CELLS]; bool freed[CELLS]; byte root = 0; bool marking;
active proctype Mutator() {
	byte v, k;
	ptr[0] = 1; ptr[1] = 2;
	do
	:: k < 3 ->
	   if
	   :: atomic { root != NIL && ptr[root] != NIL -> v = ptr[root] };
	      assert(!freed[v]);
	      atomic { ptr[root] = (ptr[v] == root -> NIL : ptr[v]);
#if BARRIER
	         if :: marking -> marked[v] = true; if :: ptr[root] != NIL -> marked[ptr[root]] = true :: else fi :: else fi
#endif
	      }
	   :: atomic { root != NIL && v != root -> ptr[root] = v }
	   fi;
	   k++
	:: else -> break
	od
}
active proctype Collector() {
	byte i, c;
	ptr[1] == 2;
	marking = true;
	c = root;
	do
	:: c != NIL && !marked[c] -> marked[c] = true; c = ptr[c]
	:: else -> break
	od;
	for (i : 0 .. CELLS - 1) { atomic { if :: !marked[i] -> freed[i] = true :: else fi } }
	marking = false
}
ltl root_lives { [] !freed[0] }
