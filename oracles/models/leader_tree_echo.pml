/* The echo algorithm on a small graph, from one initiator. */
/* with SHAPE=0 */
/* with SHAPE=1 */
/* with SHAPE=2 */
#ifndef SHAPE
#define SHAPE 0
#endif
#define N 4
chan to[N] = [6] of { byte };
#if SHAPE == 0
bit edge_[16] = { 0, 1, 0, 1,  1, 0, 1, 0,  0, 1, 0, 1,  1, 0, 1, 0 };
#elif SHAPE == 1
bit edge_[16] = { 0, 1, 1, 1,  1, 0, 0, 0,  1, 0, 0, 0,  1, 0, 0, 0 };
#else
bit edge_[16] = { 0, 1, 1, 1,  1, 0, 1, 1,  1, 1, 0, 1,  1, 1, 1, 0 };
#endif
bool finished; byte parent[N] = 9;
proctype node(byte me; bool starts) {
	byte i, from, left;
	d_step {
		i = 0;
		do :: i < N -> left = left + edge_[me * N + i]; i++ :: else -> break od;
		i = 0
	}
	if
	:: starts -> parent[me] = me
	:: else -> to[me]?from; parent[me] = from; left--
	fi;
	for (i : 0 .. N - 1) {
		if
		:: edge_[me * N + i] && i != parent[me] -> to[i]!me
		:: else
		fi
	}
	do
	:: left > 0 -> to[me]?from; left--
	:: left == 0 -> break
	od;
	if
	:: starts -> finished = true
	:: else -> to[parent[me]]!me
	fi
}
init { atomic { run node(0, 1); run node(1, 0); run node(2, 0); run node(3, 0) } }
ltl ends { <> finished }
ltl all_reached { [] (finished -> (parent[1] != 9 && parent[2] != 9 && parent[3] != 9)) }
