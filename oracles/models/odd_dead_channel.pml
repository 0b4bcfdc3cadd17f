/* A channel dies with its process; whoever still has it waits for ever. */
/* with WAIT=0 */
/* with WAIT=1 */
#ifndef WAIT
#define WAIT 0
#endif
chan post = [1] of { chan }; byte got;
proctype Owner() { chan mine = [1] of { byte }; post!mine;
#if WAIT
	mine!5; empty(mine)
#endif
}
init { chan c; run Owner(); post?c;
	if :: c?got :: timeout fi
}
