/* Ricart and Agrawala with Lamport clocks, bounded by the number of entries. */
/* with N=2 ENTRIES=1 */
/* with N=2 ENTRIES=2 */
/* with N=3 ENTRIES=1 */
#ifndef N
#define N 2
#define ENTRIES 1
#endif
mtype = { request, reply };
chan box[N] = [2 * N] of { mtype, byte, byte };
byte inside, entered;
active [N] proctype Node() {
	byte clock, mine, i, from, t, missing, k; bool wants, deferred[N];
	do
	:: !wants && k < ENTRIES ->
	   atomic {
	      wants = true; clock++; mine = clock; missing = N - 1; k++;
	      for (i : 0 .. N - 1) { if :: i != _pid -> box[i]!request, mine, _pid :: else fi }
	   }
	:: box[_pid]?request, t, from ->
	   atomic {
	      if :: t > clock -> clock = t :: else fi;
	      if
	      :: wants && (mine < t || (mine == t && _pid < from)) -> deferred[from] = true
	      :: else -> box[from]!reply, 0, _pid
	      fi
	   }
	:: box[_pid]?reply, _, from -> missing--
	:: wants && missing == 0 ->
	   inside++;
	   assert(inside == 1);
	   inside--; entered++;
	   atomic {
	      wants = false;
	      for (i : 0 .. N - 1) { if :: deferred[i] -> deferred[i] = 0; box[i]!reply, 0, _pid :: else fi }
	   }
	:: timeout -> break
	od
}
ltl ra_safe { [] (inside <= 1) }
ltl ra_all { <> (entered == N * ENTRIES) }
