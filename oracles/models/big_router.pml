/* A ring of routers with buffers: full buffers may lock the ring. */
/* with N=4 CAP=1 */
/* with N=4 CAP=2 */
/* with N=5 CAP=1 BUBBLE */
#ifndef N
#define N 4
#define CAP 1
#endif
chan buf[N] = [CAP] of { byte };
byte delivered;
active [N] proctype Router() {
	byte d, hops;
	do
	:: buf[_pid]?d ->
	   if
	   :: d == _pid -> delivered = d
	   :: else -> buf[(_pid + 1) % N]!d
	   fi; d = 0
#ifdef BUBBLE
	:: len(buf[(_pid + 1) % N]) == 0 && len(buf[(_pid + 2) % N]) == 0 -> buf[(_pid + 1) % N]!(_pid + 2) % N
#else
	:: buf[(_pid + 1) % N]!(_pid + 2) % N
#endif
	od
}
ltl moves { []<> (delivered == 1) }
