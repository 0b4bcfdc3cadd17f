/* Message passing: data, then a flag; the writer's stores may be exchanged. */
/* with REORDER=0 */
/* with REORDER=1 */
#ifndef REORDER
#define REORDER 0
#endif
int data_; bit flag; int got = -1;
active proctype W() {
	if
	:: data_ = 42; flag = 1
#if REORDER
	:: flag = 1; data_ = 42
#endif
	fi
}
active proctype R() { flag == 1; got = data_; assert(got == 42) }
ltl seen { <> (got != -1) }
