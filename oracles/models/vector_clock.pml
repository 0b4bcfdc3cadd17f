/* Vector clocks of two processes as structures in messages. */
/* with EVENTS=2 */
/* with EVENTS=3 */
#ifndef EVENTS
#define EVENTS 2
#endif
typedef Vector { byte at[2] };
chan c[2] = [1] of { Vector };
Vector now_[2];
active [2] proctype P() {
	Vector v; byte n, k;
	do
	:: n < EVENTS -> atomic { now_[_pid].at[_pid]++; n++ }
	:: n < EVENTS -> atomic { nfull(c[1 - _pid]) -> now_[_pid].at[_pid]++; c[1 - _pid]!now_[_pid]; n++ }
	:: atomic { c[_pid]?v ->
	      for (k : 0 .. 1) { if :: v.at[k] > now_[_pid].at[k] -> now_[_pid].at[k] = v.at[k] :: else fi }
	      d_step { k = 0; v.at[0] = 0; v.at[1] = 0 } }
	:: timeout -> break
	od;
	assert(now_[0].at[1] <= now_[1].at[1])
}
