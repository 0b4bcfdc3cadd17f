/* Selective repeat with a window of W in numbers modulo M; M must be 2 W at least. */
/* with W=1 M=2 */
/* with W=2 M=4 */
/* with W=2 M=3 */
#ifndef W
#define W 1
#define M 2
#endif
chan fwd = [2] of { byte, byte }; chan bck = [2] of { byte };
bool acked[M]; bool have[M]; byte store[M];
byte next_out; byte base;
active proctype tx() {
	byte next, i, a;
	do
	:: ((next + M - base) % M) < W -> fwd!next, next % 2; acked[next] = 0; next = (next + 1) % M
	:: base != next && !acked[base] -> fwd!base, base % 2
	:: bck?a -> if :: ((a + M - base) % M) < ((next + M - base) % M) -> acked[a] = 1 :: else fi; a = 0
	:: base != next && acked[base] -> acked[base] = 0; base = (base + 1) % M
	:: fwd?_, _
	:: bck?_
	od
}
active proctype rx() {
	byte s, d;
	do
	:: fwd?s, d ->
	   if
	   :: ((s + M - next_out) % M) < W -> have[s] = 1; store[s] = d
	   :: else
	   fi;
	   bck!s; s = 0; d = 0
	:: have[next_out] -> assert(store[next_out] == next_out % 2);
	   have[next_out] = 0; store[next_out] = 0; next_out = (next_out + 1) % M
	od
}
ltl window { [] (((next_out + M - base) % M) <= W) }
