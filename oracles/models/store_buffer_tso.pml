/* Store buffers: what a weak memory does to Dekker's test. FENCE drains the buffer. */
/* with FENCE=0 */
/* with FENCE=1 */
/* with FENCE=0 SIZE=2 */
#ifndef FENCE
#define FENCE 0
#endif
#ifndef SIZE
#define SIZE 1
#endif
byte mem[2]; byte r[2] = 9; byte ended;
chan buffer[2] = [SIZE] of { byte, byte };
active [2] proctype Cpu() {
	buffer[_pid]!_pid, 1;
#if FENCE
	empty(buffer[_pid]);
#endif
	r[_pid] = mem[1 - _pid];
	ended++
}
active [2] proctype Drain() {
	byte a, v, k = _pid - 2;
end:	do
	:: atomic { buffer[k]?a, v -> mem[a] = v; a = 0; v = 0 }
	od
}
active proctype Observe() { ended == 2; assert(r[0] == 1 || r[1] == 1) }
ltl no_reordering { [] !(r[0] == 0 && r[1] == 0) }
