/* Election on a ring in one direction by phases: whoever is below both neighbours that are still in drops out. */
/* with N=3 */
/* with N=4 */
/* with N=5 */
#ifndef N
#define N 3
#endif
mtype = { near, far, elected };
chan link_[N] = [2 * N] of { mtype, byte };
byte heads, head;
proctype station(byte place; byte id) {
	byte candidate = id, first, got; bool relays;
	chan from = link_[place], to = link_[(place + 1) % N];
	to!near, candidate;
round:	if
	:: from?near, got ->
	   if
	   :: relays -> to!near, got
	   :: !relays && got == candidate -> to!elected, candidate
	   :: !relays && got != candidate -> first = got; to!far, got
	   fi
	:: from?far, got ->
	   if
	   :: relays -> to!far, got
	   :: !relays && first > candidate && first > got -> candidate = first; to!near, candidate
	   :: else -> relays = true
	   fi
	:: from?elected, got ->
	   if
	   :: got == id -> heads++; head = id; assert(heads == 1)
	   :: else
	   fi;
	   if :: !(!relays && got == candidate) -> to!elected, got :: else fi;
	   goto over
	fi;
	d_step { got = 0 };
	goto round;
over:	skip
}
init { byte k; atomic { for (k : 0 .. N - 1) { run station(k, (k * 2) % N + 1) } } }
ltl eventually_one { <>[] (heads == 1) }
ltl at_most { [] (heads <= 1) }
