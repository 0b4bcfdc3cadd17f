/* Labels of all kinds at once: end, progress and accept with words behind them. */
/* with N=1 */
/* with N=2 */
#ifndef N
#define N 1
#endif
chan q = [N] of { bit };
active [N] proctype A() {
end_of_the_world:
progress_made:
	do
	:: q!0 ->
accept_this: skip
	od
}
active proctype B() { endless: do :: q?_ od }
