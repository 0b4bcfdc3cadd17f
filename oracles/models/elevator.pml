/* A lift with call buttons; DIRECTION=1 keeps its direction while there is work that way. */
/* with FLOORS=3 DIRECTION=0 */
/* with FLOORS=3 DIRECTION=1 */
/* with FLOORS=4 DIRECTION=1 */
#ifndef FLOORS
#define FLOORS 3
#define DIRECTION 0
#endif
bool call_[FLOORS]; byte floor; bool open_; bit up = 1;
active proctype Cabin() {
	byte i; bool above, below;
	do
	:: call_[floor] -> open_ = true; call_[floor] = false; open_ = false
	:: !call_[floor] ->
#if DIRECTION
	   d_step {
	      above = 0; below = 0; i = 0;
	      do
	      :: i < FLOORS -> if :: call_[i] && i > floor -> above = 1 :: call_[i] && i < floor -> below = 1 :: else fi; i++
	      :: else -> break
	      od;
	      i = 0;
	      if :: up && !above && below -> up = 0 :: !up && !below && above -> up = 1 :: else fi
	   };
	   if
	   :: up && above -> floor++
	   :: !up && below -> floor--
	   :: !above && !below -> skip
	   fi;
	   above = 0; below = 0
#else
	   if
	   :: floor < FLOORS - 1 -> floor++
	   :: floor > 0 -> floor--
	   fi
#endif
	od
}
active [FLOORS] proctype Person() {
	byte f = _pid - 1;
	do :: !call_[f] -> call_[f] = true od
}
ltl served { [] (call_[1] -> <> (open_ && floor == 1)) }
ltl doors { [] (open_ -> floor < FLOORS) }
