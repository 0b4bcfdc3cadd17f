/* A spanning tree by flooding, then counting back to the root. */
/* with N=3 CAP=4 */
/* with N=4 CAP=6 */
#ifndef N
#define N 3
#define CAP 4
#endif
mtype = { probe, child, other };
chan box[N] = [CAP] of { mtype, byte };
byte parent[N] = N; byte children[N]; byte finished;
proctype node(byte me) {
	byte i, from, waiting; mtype m;
	if
	:: me == 0 -> parent[0] = 0; goto flood
	:: else
	fi;
	box[me]?probe, from;
	parent[me] = from;
	box[from]!child, me;
flood:	i = 0;
	do
	:: i < N -> if :: i != me && i != parent[me] -> box[i]!probe, me; waiting++ :: else fi; i++
	:: else -> break
	od;
	do
	:: waiting > 0 ->
	   if
	   :: box[me]?probe, from -> box[from]!other, me
	   :: box[me]?child, from -> children[me]++; waiting--
	   :: box[me]?other, from -> waiting--
	   fi
	:: else -> break
	od;
	finished++;
end:	do :: box[me]?probe, from -> box[from]!other, me od
}
init { byte k; atomic { for (k : 0 .. N - 1) { run node(k) } } }
ltl spans { <> (finished == N) }
ltl counted { [] (finished == N -> (children[0] + children[1] + children[2] <= N - 1)) }
