/* Le Lann, Chang and Roberts: the greatest number goes round the ring. */
/* with N=3 */
/* with N=4 */
/* with N=5 CAP=1 */
#ifndef N
#define N 3
#endif
#ifndef CAP
#define CAP N
#endif
chan ring[N] = [CAP] of { byte };
byte leaders, leader;
proctype node(chan in, out; byte id) {
	byte m;
	xr in; xs out;
	out!id;
	do
	:: in?m ->
	   if
	   :: m > id -> out!m
	   :: m < id
	   :: m == id -> leaders++; leader = id; assert(leaders == 1); break
	   fi
	:: leaders > 0 && empty(in) -> break
	od
}
init {
	byte i;
	atomic {
		i = 0;
		do
		:: i < N -> run node(ring[i], ring[(i + 1) % N], ((i * 2 + 1) % N) + 1); i++
		:: i >= N -> break
		od
	}
}
ltl one { <> (leaders == 1) }
ltl right { [] (leaders > 0 -> leader == N) }
