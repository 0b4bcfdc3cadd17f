/* Tasks with start, work and end, dependencies between them, and few machines. */
/* with TASKS=6 MACHINES=2 */
/* with TASKS=9 MACHINES=2 */
/* with TASKS=10 MACHINES=3 */
#ifndef TASKS
#define TASKS 6
#define MACHINES 2
#endif
mtype = { waiting, working, finished };
mtype t[TASKS] = waiting; byte free_ = MACHINES, ready_;
active [TASKS] proctype Task() {
	if
	:: _pid >= 2 -> t[_pid - 2] == finished
	:: else
	fi;
	atomic { free_ > 0 -> free_--; t[_pid] = working };
	atomic { t[_pid] = finished; free_++; ready_++ }
}
ltl done_ { <> (ready_ == TASKS) }
ltl machines { [] (free_ <= MACHINES) }
