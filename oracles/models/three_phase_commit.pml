/* Three-phase commit with a coordinator that may stop at any message; time-outs decide. */
/* with N=2 */
/* with N=3 */
#ifndef N
#define N 2
#endif
mtype = { can, yes, no, pre, ack, go, stop };
chan down[N] = [2] of { mtype }; chan up = [2 * N] of { mtype };
mtype result[N]; bool crashed;
inline broadcast(m) {
	i = 0;
	do
	:: i < N -> if :: down[i]!m :: crashed = true; goto dead fi; i++
	:: else -> break
	od
}
active proctype C() {
	byte i, n; mtype v;
	broadcast(can);
	n = 0;
	do :: n < N -> up?v; n++; if :: v == no -> goto refuse :: else fi :: else -> break od;
	broadcast(pre);
	n = 0;
	do :: n < N -> up?ack; n++ :: else -> break od;
	broadcast(go);
	goto dead;
refuse:	broadcast(stop);
dead:	skip
}
active [N] proctype S() {
	byte me = _pid - 1;
	if :: down[me]?can :: crashed && empty(down[me]) -> result[me] = stop; goto fin fi;
	if :: up!yes :: up!no; result[me] = stop; goto fin fi;
	if
	:: down[me]?pre
	:: down[me]?stop -> result[me] = stop; goto fin
	:: crashed && empty(down[me]) -> result[me] = stop; goto fin
	fi;
	up!ack;
	if
	:: down[me]?go -> result[me] = go
	:: crashed && empty(down[me]) -> result[me] = go
	fi;
fin:	skip
}
ltl same { [] !(result[0] == go && result[1] == stop) }
ltl finally { <> (result[0] != 0 && result[1] != 0) }
