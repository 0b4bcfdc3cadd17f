/* Reference counts that are changed in one step or in two. */
/* with N=2 ATOMIC=1 */
/* with N=3 ATOMIC=1 */
/* with N=2 ATOMIC=0 */
#ifndef N
#define N 2
#define ATOMIC 1
#endif
byte refs = N; bool freed;
active [N] proctype Holder() {
	byte t;
	assert(!freed);
#if ATOMIC
	d_step { refs--; t = refs };
#else
	t = refs - 1; refs = t;
#endif
	if :: t == 0 -> assert(!freed); freed = true :: else fi
}
ltl freed_once { <> [] freed }
