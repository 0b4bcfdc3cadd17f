/* Szymanski's algorithm: a waiting room with two doors. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
byte flag[N];
byte inside;

active [N] proctype P() {
	byte j;
	bool all, some;
loop:	flag[_pid] = 1;
	j = 0;
	do :: j < N -> flag[j] < 3; j++ :: else -> break od;
	flag[_pid] = 3;
	some = false; j = 0;
	do :: j < N -> some = some || flag[j] == 1; j++ :: else -> break od;
	if
	:: some ->
	   flag[_pid] = 2;
	   do
	   :: j = 0; all = false;
	      do :: j < N -> all = all || flag[j] == 4; j++ :: else -> break od;
	      if :: all -> break :: else fi
	   od
	:: else
	fi;
	flag[_pid] = 4;
	j = 0;
	do :: j < _pid -> flag[j] < 2; j++ :: else -> break od;
	inside++; assert(inside == 1); inside--;
	j = _pid + 1;
	do :: j < N -> (flag[j] < 2 || flag[j] > 3); j++ :: else -> break od;
	flag[_pid] = 0;
	goto loop
}
ltl one { [] (inside <= 1) }
