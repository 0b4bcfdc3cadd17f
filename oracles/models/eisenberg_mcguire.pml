/* Eisenberg and McGuire's algorithm for N processes. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
mtype = { idle, waiting, active_ };
mtype flags[N] = idle;
byte turn, inside;
active [N] proctype E() {
	byte i;
outer:	do
	:: flags[_pid] = waiting;
	   i = turn;
	   do
	   :: i == _pid -> break
	   :: i != _pid ->
	      if
	      :: flags[i] != idle -> i = turn
	      :: else -> i = (i + 1) % N
	      fi
	   od;
	   flags[_pid] = active_;
	   i = 0;
	   do
	   :: i < N && (i == _pid || flags[i] != active_) -> i++
	   :: else -> break
	   od;
	   if
	   :: i == N && (turn == _pid || flags[turn] == idle) -> break
	   :: else
	   fi
	od;
	turn = _pid;
	inside++; assert(inside == 1); inside--;
	i = (turn + 1) % N;
	do :: flags[i] == idle -> i = (i + 1) % N :: else -> break od;
	turn = i;
	flags[_pid] = idle;
	goto outer
}
ltl excl { [] (inside <= 1) }
ltl first { [] (flags[0] == waiting -> <> (flags[0] == idle)) }
