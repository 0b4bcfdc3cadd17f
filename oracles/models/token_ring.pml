/* A token ring whose token may be lost; a monitor makes a new one. */
/* with N=3 */
/* with N=4 LOSS */
/* with N=3 LOSS MONITOR */
#ifndef N
#define N 3
#endif
chan link_[N] = [1] of { bit };
byte inside; bool lost;
active [N] proctype Station() {
	if :: _pid == 0 -> link_[0]!1 :: else fi;
	do
	:: link_[_pid]?1 ->
	   if
	   :: inside++; assert(inside == 1); inside--
	   :: skip
	   fi;
	   if
	   :: link_[(_pid + 1) % N]!1
#ifdef LOSS
	   :: !lost -> lost = true
#endif
	   fi
	od
}
#ifdef MONITOR
active proctype Monitor() {
	do :: timeout -> link_[0]!1; lost = false od
}
#endif
ltl goes_round { []<> (len(link_[0]) == 1) }
ltl once { [] (inside <= 1) }
