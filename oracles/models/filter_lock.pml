/* The filter lock: Peterson's algorithm with a level for each process but one. */
/* with N=2 */
/* with N=3 */
/* with N=3 LEVELS=1 */
#ifndef N
#define N 3
#endif
#ifndef LEVELS
#define LEVELS (N - 1)
#endif
byte level[N], last[N], in_cs;

active [N] proctype P() {
	byte l, k;
	do
	:: l = 1;
	   do
	   :: l <= LEVELS ->
	      level[_pid] = l;
	      last[l - 1] = _pid;
	      k = 0;
	      do
	      :: k < N ->
	         (k == _pid || level[k] < l || last[l - 1] != _pid);
	         k++
	      :: else -> break
	      od;
	      l++
	   :: else -> break
	   od;
	   in_cs++;
	   assert(in_cs == 1);
	   in_cs--;
	   level[_pid] = 0
	od
}
ltl exclusive { [] (in_cs <= 1) }
