/* A reader announces what it looks at; the owner frees only what nobody has announced. */
/* with READERS=1 */
/* with READERS=2 */
/* with READERS=1 NO_RECHECK */
#ifndef READERS
#define READERS 1
#endif
byte head = 1; byte hazard[READERS]; bool freed[4]; byte retired;
active [READERS] proctype Reader() { byte p, n;
	do
	:: n < 2 ->
	   p = head;
	   hazard[_pid] = p;
#ifndef NO_RECHECK
	   if :: head != p -> hazard[_pid] = 0; goto next :: else fi;
#endif
	   assert(!freed[p]);
	   hazard[_pid] = 0;
next:	   n++; p = 0
	:: else -> break
	od
}
active proctype Owner() { byte old, r;
	do
	:: head < 3 ->
	   old = head; head = head + 1;
	   for (r : 0 .. READERS - 1) { hazard[r] != old }
	   freed[old] = true; retired++
	:: else -> break
	od
}
ltl two_freed { <> (retired == 2) }
