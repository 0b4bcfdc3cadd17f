/* Transfers between accounts under locks taken in order; the sum is constant. */
/* with CLERKS=2 */
/* with CLERKS=3 */
/* with CLERKS=3 ANY_ORDER */
#ifndef CLERKS
#define CLERKS 2
#endif
#define ACCOUNTS 3
byte money[ACCOUNTS] = 2; bool locked[ACCOUNTS];
active [CLERKS] proctype Clerk() {
	byte from, to;
	do
	:: select (from : 0 .. ACCOUNTS - 1);
	   select (to : 0 .. ACCOUNTS - 1);
	   if
	   :: from == to -> skip
	   :: from != to ->
#ifdef ANY_ORDER
	      atomic { !locked[from] -> locked[from] = 1 };
	      atomic { !locked[to] -> locked[to] = 1 };
#else
	      if
	      :: from < to -> atomic { !locked[from] -> locked[from] = 1 }; atomic { !locked[to] -> locked[to] = 1 }
	      :: else -> atomic { !locked[to] -> locked[to] = 1 }; atomic { !locked[from] -> locked[from] = 1 }
	      fi;
#endif
	      if
	      :: money[from] > 0 -> money[from]--; money[to]++
	      :: else
	      fi;
	      locked[from] = 0; locked[to] = 0
	   fi;
	   d_step { from = 0; to = 0 }
	od
}
ltl conserved { [] (money[0] + money[1] + money[2] <= 6) }
ltl poor { <> (money[0] == 0) }
