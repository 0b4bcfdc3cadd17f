/* Logical clocks: a message carries the sender's time, the receiver's is greater. */
/* with EVENTS=2 */
/* with EVENTS=3 */
#ifndef EVENTS
#define EVENTS 2
#endif
chan c[2] = [2] of { byte };
active [2] proctype P() {
	byte clock, t, n;
	do
	:: n < EVENTS -> clock++; n++
	:: n < EVENTS && nfull(c[1 - _pid]) -> clock++; c[1 - _pid]!clock; n++
	:: c[_pid]?t -> clock = (t > clock -> t : clock) + 1; assert(clock > t); t = 0
	:: timeout -> break
	od
}
