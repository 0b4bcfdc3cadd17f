/* Dijkstra, Feijen and van Gasteren: a token with a colour detects termination on a ring. */
/* with N=2 */
/* with N=3 */
/* with N=3 NO_COLOUR */
#ifndef N
#define N 3
#endif
bool busy[N] = true; bit mcolour[N]; byte token = N; bit tcolour = 1; bool detected;
active [N] proctype Machine() {
	byte j;
	do
	:: busy[_pid] -> busy[_pid] = false
	:: busy[_pid] -> select (j : 0 .. N - 1); skip;
	   d_step { busy[j] = true;
#ifndef NO_COLOUR
	      if :: j > _pid -> mcolour[_pid] = 1 :: else fi;
#endif
	      j = 0 }
	:: d_step { _pid == 0 && !busy[0] && token == N -> token = N - 1; tcolour = 0; mcolour[0] = 0 }
	:: d_step { _pid > 0 && token == _pid && !busy[_pid] ->
	      if :: mcolour[_pid] -> tcolour = 1 :: else fi; mcolour[_pid] = 0; token = token - 1 }
	:: atomic { _pid == 0 && token == 0 && !busy[0] ->
	      if
	      :: tcolour == 0 && mcolour[0] == 0 -> detected = true;
	         assert(!busy[0] && !busy[1] && !busy[N - 1])
	      :: else -> token = N; tcolour = 1
	      fi }; if :: detected -> break :: else fi
	od
}
ltl sound { [] (detected -> (!busy[0] && !busy[1])) }
ltl found { <> detected }
