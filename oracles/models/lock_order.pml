/* Threads that take several locks: in one order, in any order, or trying. */
/* with LOCKS=2 N=2 ORDERED */
/* with LOCKS=2 N=2 */
/* with LOCKS=3 N=3 ORDERED */
/* with LOCKS=3 N=2 TRYING */
#ifndef LOCKS
#define LOCKS 2
#define N 2
#endif
bool lock[LOCKS]; byte owner[LOCKS];
inline take(k) { atomic { !lock[k] -> lock[k] = true; owner[k] = _pid + 1 } }
inline give(k) { atomic { assert(owner[k] == _pid + 1); lock[k] = false; owner[k] = 0 } }
active [N] proctype Thread() {
	byte a, b;
	do
	:: select (a : 0 .. LOCKS - 1);
	   select (b : 0 .. LOCKS - 1);
	   if
	   :: a == b -> skip
#ifdef ORDERED
	   :: a > b -> take(b); take(a); give(a); give(b)
	   :: a < b -> take(a); take(b); give(b); give(a)
#else
#ifdef TRYING
	   :: a != b -> take(a);
	      if
	      :: take(b); give(b)
	      :: lock[b]
	      fi; give(a)
#else
	   :: a != b -> take(a); take(b); give(b); give(a)
#endif
#endif
	   fi
	od
}
ltl used { []<> lock[0] }
