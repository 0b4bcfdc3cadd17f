/* Mutual exclusion by two flags and nothing else: safe, but both may wait for ever. */
/* with GIVE_UP=0 */
/* with GIVE_UP=1 */
#ifndef GIVE_UP
#define GIVE_UP 0
#endif
bool flag[2];
byte critical;

active [2] proctype Process() {
	do
	:: flag[_pid] = true;
#if GIVE_UP
	   do
	   :: flag[1 - _pid] -> flag[_pid] = false; flag[_pid] = true
	   :: !flag[1 - _pid] -> break
	   od;
#else
	   !flag[1 - _pid];
#endif
	   critical++;
cs:	   assert(critical == 1);
	   critical--;
	   flag[_pid] = false
	od
}

ltl safe { [] (critical <= 1) }
ltl live { [] (flag[0] -> <> Process[0]@cs) }
