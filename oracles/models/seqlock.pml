/* A sequence lock: readers look again when the number has changed or is odd. */
/* with READERS=1 WRITES=2 */
/* with READERS=2 WRITES=2 */
/* with READERS=1 WRITES=3 NO_CHECK */
#ifndef READERS
#define READERS 1
#define WRITES 2
#endif
byte seq, x, y; byte reads;
active proctype Writer() { byte k; for (k : 1 .. WRITES) { seq++; x = k; y = k; seq++ } }
active [READERS] proctype Reader() { byte s, a, b;
	do
	:: s = seq;
	   if
	   :: s % 2 == 1 -> skip
	   :: else -> a = x; b = y;
#ifdef NO_CHECK
	      assert(a == b); break
#else
	      if :: s == seq -> assert(a == b); break :: else fi
#endif
	   fi
	od;
	reads++
}
ltl read_once { <> (reads == READERS) }
