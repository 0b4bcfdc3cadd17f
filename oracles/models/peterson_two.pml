/* Peterson's algorithm for two; TURN_FIRST exchanges the two stores, which is wrong. */
/* with LAPS=0 */
/* with LAPS=0 TURN_FIRST */
/* with LAPS=0 PAUSES */
/* with LAPS=2 */
#ifndef LAPS
#define LAPS 0
#endif
bool wishes[2]; bit yields_to; bool owns[2];
proctype Side(bit me) {
	byte laps;
	do
	:: LAPS > 0 && laps == LAPS -> break
	:: LAPS == 0 || laps < LAPS ->
#ifdef PAUSES
	   do :: laps = laps :: break od;
#endif
#ifdef TURN_FIRST
	   yields_to = 1 - me; wishes[me] = true;
#else
	   wishes[me] = true; yields_to = 1 - me;
#endif
	   if
	   :: !wishes[1 - me]
	   :: yields_to == me
	   fi;
	   owns[me] = true;
held:	   assert(!owns[1 - me]);
	   owns[me] = false;
	   wishes[me] = false;
	   laps = (LAPS > 0 -> laps + 1 : 0)
	od
}
init { atomic { run Side(1); run Side(0) } }
ltl mutex { [] !(owns[0] && owns[1]) }
ltl served { [] (wishes[0] -> <> owns[0]) }
ltl labelled { [] (owns[1] -> Side[1]@held) }
