/* A token with a counter that wraps, passed along an array of channels of rendezvous. */
/* with N=3 */
/* with N=6 */
/* with N=9 */
#ifndef N
#define N 3
#endif
chan pass[N] = [0] of { byte };
byte at; unsigned total : 5;
proctype station(byte me) {
	byte t;
	do
	:: pass[me]?t -> at = me; total = total + 1; pass[(me + 1) % N]!t + 1
	od
}
init {
	byte i;
	atomic { i = N; do :: i > 0 -> i--; run station(i) :: else -> break od };
	pass[0]!0
}
ltl everywhere { ([]<> (at == 0)) && ([]<> (at == N - 1)) }
ltl wraps { []<> (total == 0) }
