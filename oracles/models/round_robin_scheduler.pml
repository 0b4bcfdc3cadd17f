/* A scheduler that gives each task its turn; tasks may yield, block and finish. */
/* with TASKS=2 */
/* with TASKS=3 */
/* with TASKS=4 */
#ifndef TASKS
#define TASKS 2
#endif
mtype = { ready, running_, sleeping, finished };
mtype state[TASKS] = ready; byte current = TASKS; byte slices[TASKS];
proctype Task(byte me) {
	byte work;
	do
	:: state[me] == running_ ->
	   if
	   :: atomic { work < 2 -> work++; state[me] = ready; current = TASKS }
	   :: atomic { work < 2 -> state[me] = sleeping; current = TASKS }
	   :: atomic { work == 2 -> state[me] = finished; current = TASKS }; break
	   fi
	od
}
active proctype Scheduler() {
	byte k, n;
	d_step { n = TASKS };
	atomic { k = 0; do :: k < TASKS -> run Task(k); k++ :: else -> k = 0; break od };
	do
	:: current == TASKS ->
	   if
	   :: atomic { state[k] == ready -> state[k] = running_; current = k }
	   :: state[k] != ready
	   fi;
	   k = (k + 1) % TASKS
	:: current != TASKS -> current == TASKS
	od
}
active proctype Waker() {
	byte k;
	do
	:: select (k : 0 .. TASKS - 1); if :: state[k] == sleeping -> state[k] = ready :: else fi
	od
}
ltl finishes { <> (state[0] == finished) }
ltl one_runs { [] !(state[0] == running_ && state[1] == running_) }
