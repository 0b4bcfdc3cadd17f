/* Requests and grants on wires, with a clock: round robin or fixed priority. */
/* with MASTERS=2 ROBIN=1 */
/* with MASTERS=3 ROBIN=1 */
/* with MASTERS=3 ROBIN=0 */
#ifndef MASTERS
#define MASTERS 2
#define ROBIN 1
#endif
bool req[MASTERS], gnt[MASTERS]; byte last;
active proctype Arbiter() { byte i, k;
	do
	:: d_step {
	      k = 0; i = 0;
	      do
	      :: k < MASTERS ->
	         i = (ROBIN -> (last + 1 + k) % MASTERS : k);
	         if :: req[i] -> break :: else fi;
	         k++
	      :: else -> break
	      od;
	      if :: k < MASTERS -> gnt[i] = true; last = i :: else fi
	   };
	   if :: k < MASTERS -> !req[i]; gnt[i] = false :: else fi; k = 0; i = 0
	od
}
active [MASTERS] proctype Master() { byte me = _pid - 1;
	do
	:: req[me] = true; gnt[me]; assert(gnt[me]); req[me] = false; !gnt[me]
	od
}
ltl one_grant { [] !(gnt[0] && gnt[1]) }
ltl granted0 { [] (req[0] -> <> gnt[0]) }
ltl granted1 { [] (req[1] -> <> gnt[1]) }
