/* A barrier used again and again; SENSE=0 uses one counter and is wrong. */
/* with N=2 SENSE=1 */
/* with N=3 SENSE=1 */
/* with N=2 SENSE=0 */
/* with N=4 SENSE=1 */
#ifndef N
#define N 2
#define SENSE 1
#endif
byte count, phase[N]; bit sense;
active [N] proctype T() {
	bit mine; byte k;
	do
	:: phase[_pid] = (phase[_pid] + 1) % 4;
#if SENSE
	   mine = 1 - mine;
	   if
	   :: atomic { count == N - 1 -> count = 0; sense = mine }
	   :: atomic { count < N - 1 -> count++ }; sense == mine
	   fi;
#else
	   count++;
	   if :: count == N -> count = 0 :: else -> count == 0 fi;
#endif
	   d_step {
	      k = 0;
	      do
	      :: k < N -> assert(phase[k] == phase[_pid] || phase[k] == (phase[_pid] + 1) % 4); k++
	      :: else -> break
	      od;
	      k = 0
	   }
	od
}
ltl all_phases { []<> (phase[0] == 3) }
