/* Lamport's fast mutual exclusion: five memory accesses when nobody competes. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte x, y;           /* 0: nobody */
bool b[N + 1];
byte in;

active [N] proctype Fast() {
	byte me = _pid + 1;
	byte j;
start:	b[me] = true;
	x = me;
	if
	:: y != 0 -> b[me] = false; y == 0; goto start
	:: else
	fi;
	y = me;
	if
	:: x != me ->
	   b[me] = false;
	   for (j : 1 .. N) { !b[j] }
	   if
	   :: y != me -> y == 0; goto start
	   :: else
	   fi
	:: else
	fi;
	in++; assert(in == 1); in--;
	y = 0;
	b[me] = false;
	goto start
}
ltl m { [] (in <= 1) }
ltl somebody { []<> (in == 1) }
