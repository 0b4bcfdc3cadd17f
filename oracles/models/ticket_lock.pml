/* A ticket lock by fetch-and-add on numbers of three bits, which run over. */
/* with N=2 BITS=3 */
/* with N=3 BITS=2 */
/* with N=5 BITS=2 */
#ifndef N
#define N 2
#endif
#ifndef BITS
#define BITS 3
#endif
unsigned next : BITS; unsigned serving : BITS;
byte inside;
active [N] proctype Client() {
	unsigned mine : BITS;
	do
	:: d_step { mine = next; next = next + 1 };
	   serving == mine;
	   inside++;
in_it:	   assert(inside == 1);
	   inside--;
	   serving++
	od
}
ltl fair_for_first { []<> Client[0]@in_it }
ltl ok { [] (inside <= 1) }
