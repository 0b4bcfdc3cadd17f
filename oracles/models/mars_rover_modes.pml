/* Modes with escapes: an emergency ends whatever is going on, a reset begins anew. */
/* with RESETS=1 */
/* with RESETS=2 */
#ifndef RESETS
#define RESETS 1
#endif
mtype = { boot, drive, science, safe_mode };
mtype mode = boot; bool emergency, reset_; byte resets, samples;
active proctype Rover() {
again:	{
	   {
	      mode = boot;
	      do
	      :: mode = drive
	      :: mode == drive -> mode = science; if :: samples < 3 -> samples++ :: else fi
	      od
	   } unless { atomic { emergency -> mode = safe_mode } };
	   do :: emergency -> emergency = false :: !emergency -> break od;
	   false
	} unless { atomic { reset_ -> reset_ = false; samples = 0 }; goto again }
}
active proctype Ground() {
	do
	:: !emergency && mode != safe_mode -> emergency = true
	:: mode == safe_mode && resets < RESETS && !reset_ -> resets++; reset_ = true
	:: mode == safe_mode && resets == RESETS -> break
	od
}
ltl safe_after { [] (emergency -> <> (mode == safe_mode)) }
ltl settles { <>[] (mode == safe_mode) }
