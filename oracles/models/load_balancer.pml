/* Requests go to the shortest queue; workers answer to a channel given with the request. */
/* with CLIENTS=2 WORKERS=2 */
/* with CLIENTS=3 WORKERS=2 */
#ifndef CLIENTS
#define CLIENTS 2
#define WORKERS 2
#endif
chan in = [1] of { chan, byte };
chan work[WORKERS] = [2] of { chan, byte };
byte answered;
active [CLIENTS] proctype Client() {
	chan me = [0] of { byte };
	byte x;
	in!me, _pid;
	me?x;
	assert(x == 2 * _pid);
	answered++
}
active proctype Balancer() {
	chan who; byte x;
end:	do
	:: in?who, x ->
	   if
	   :: len(work[0]) <= len(work[1]) -> work[0]!who, x
	   :: else -> work[1]!who, x
	   fi
	od
}
proctype Worker(byte k) {
	chan who; byte x;
end:	do :: work[k]?who, x -> who!x * 2 od
}
init { atomic { run Worker(0); run Worker(1) } }
ltl all_answered { <> (answered == CLIENTS) }
