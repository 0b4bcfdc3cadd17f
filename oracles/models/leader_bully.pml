/* The bully algorithm; the greatest may be dead from the start. */
/* with N=2 DEAD=0 */
/* with N=3 DEAD=0 */
/* with N=3 DEAD=1 */
#ifndef N
#define N 3
#define DEAD 0
#endif
mtype = { election, ok, coordinator };
chan box[N] = [4] of { mtype, byte };
byte chosen[N] = 255;
proctype node(byte me) {
	byte i, who; bool answered;
start:	answered = false;
	i = me + 1;
	do
	:: i < N - DEAD -> if :: nfull(box[i]) -> box[i]!election, me :: full(box[i]) fi; i++
	:: else -> break
	od;
	do
	:: box[me]?election, who -> if :: who < me -> box[who]!ok, me :: else fi
	:: box[me]?ok, who -> answered = true
	:: box[me]?coordinator, who -> chosen[me] = who; goto end_follow
	:: timeout ->
	   if
	   :: answered -> goto start
	   :: else ->
	      chosen[me] = me;
	      for (i : 0 .. me) { if :: i < me -> box[i]!coordinator, me :: else fi }
	      goto end_follow
	   fi
	od;
end_follow:
	do :: box[me]?_, _ od
}
init { byte k; atomic { for (k : 0 .. N - 1 - DEAD) { run node(k) } } }
ltl agreed { <> (chosen[0] == N - 1 - DEAD && chosen[1] == N - 1 - DEAD) }
