/* Structures within structures that hold arrays of channels. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
typedef Port { chan in = [1] of { byte, short }; byte uses };
typedef Node { Port port[2]; short sum; bool up[N] };
Node node[N];
active [N] proctype P() {
	byte who; short v;
	node[_pid].up[_pid] = true;
	do
	:: node[(_pid + 1) % N].port[0].in!_pid, -3 * _pid; node[(_pid + 1) % N].port[0].uses++; break
	od;
	node[_pid].port[0].in?who, v;
	node[_pid].sum = node[_pid].sum + v;
	node[who].port[1].in!_pid, 1000;
	node[_pid].port[1].in?_, v;
	node[_pid].sum = node[_pid].sum - v
}
ltl negative { <> (node[0].sum < 0 && node[1].sum < 0) }
