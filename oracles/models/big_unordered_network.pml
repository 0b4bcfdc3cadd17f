/* A network that gives messages in any order: receives from anywhere in the channel. */
/* with N=3 CAP=3 */
/* with N=4 CAP=4 */
#ifndef N
#define N 3
#define CAP 3
#endif
chan net = [CAP] of { byte, byte };
byte got[N];
active [N] proctype Peer() {
	byte from, sent;
	do
	:: sent < 2 -> net!!((_pid + 1 + sent) % N), _pid; sent++
	:: net??eval(_pid), from -> got[_pid] = got[_pid] + 1; from = 0
	:: got[_pid] >= 2 && sent == 2 -> break
	:: timeout -> break
	od
}
ltl all_got { <> (got[0] >= 2) }
