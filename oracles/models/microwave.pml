/* A state machine as in a lesson on requirements: door, light, power. */
/* with TIMER=2 */
/* with TIMER=5 */
/* with TIMER=3 FAULTY */
#ifndef TIMER
#define TIMER 2
#endif
mtype = { open_, close_, start_, tick };
chan events = [0] of { mtype };
bool door_open, heating, light; byte left_;
active proctype Oven() {
	do
	:: events?open_ -> d_step { door_open = true; light = true;
#ifndef FAULTY
	      heating = false
#endif
	   }
	:: events?close_ -> door_open = false; light = heating
	:: events?start_ -> if :: !door_open -> d_step { heating = true; light = true; left_ = TIMER } :: else fi
	:: events?tick -> if :: heating && left_ > 0 -> left_--; if :: left_ == 0 -> d_step { heating = 0; light = door_open } :: else fi :: else fi
	od
}
active proctype World() { do :: events!open_ :: events!close_ :: events!start_ :: events!tick od }
ltl safe { [] (heating -> !door_open) }
ltl lit { [] (heating -> light) }
ltl stops { [] (heating -> <> !heating) }
ltl heats { <> heating }
