/* Suzuki and Kasami: one token with the numbers of the last requests served. */
/* with N=2 ROUNDS=2 */
/* with N=3 ROUNDS=1 */
#ifndef N
#define N 2
#define ROUNDS 2
#endif
typedef Row { byte rn[N] };
Row known[N];
byte ln[N], holder, inside; bool in_use;
chan req[N] = [N] of { byte, byte };
active [N] proctype P() {
	byte i, n, k, from; bool waiting;
	do
	:: !waiting && k < ROUNDS ->
	   atomic {
	      k++; waiting = 1; known[_pid].rn[_pid] = known[_pid].rn[_pid] + 1;
	      for (i : 0 .. N - 1) { if :: i != _pid -> req[i]!_pid, known[_pid].rn[_pid] :: else fi }
	      i = 0
	   }
	:: req[_pid]?from, n -> known[_pid].rn[from] = (n > known[_pid].rn[from] -> n : known[_pid].rn[from]); n = 0; from = 0
	:: waiting && holder == _pid ->
	   in_use = true; inside++; assert(inside == 1); inside--; ln[_pid] = known[_pid].rn[_pid]; waiting = 0; in_use = false
	:: atomic { holder == _pid && !in_use && !waiting ->
	      i = 0;
	      do
	      :: i < N && known[_pid].rn[i] != ln[i] + 1 -> i++
	      :: else -> break
	      od;
	      if :: i < N -> holder = i :: else fi;
	      i = 0 }; if :: holder == _pid && k == ROUNDS && timeout -> break :: holder != _pid || k < ROUNDS fi
	:: timeout -> break
	od
}
ltl sk_safe { [] (inside <= 1) }
