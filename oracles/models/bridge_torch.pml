/* Four people, a bridge and a torch; times add up. */
/* with LIMIT=17 */
/* with LIMIT=16 */
#ifndef LIMIT
#define LIMIT 17
#endif
byte time_[4] = { 1, 2, 5, 10 }; bool there[4]; bool torch; byte spent;
active proctype go() {
	byte i, j;
	do
	:: spent <= LIMIT && !(there[0] && there[1] && there[2] && there[3]) ->
	   select (i : 0 .. 3); select (j : 0 .. 3);
	   if
	   :: there[i] == torch && there[j] == torch ->
	      d_step {
	         there[i] = !torch; there[j] = !torch; torch = !torch;
	         spent = spent + (time_[i] > time_[j] -> time_[i] : time_[j])
	      }
	   :: else
	   fi;
	   d_step { i = 0; j = 0 }
	:: else -> break
	od
}
ltl too_slow { [] !(spent <= LIMIT && there[0] && there[1] && there[2] && there[3]) }
