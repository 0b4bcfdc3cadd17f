/* Two-phase commit; the coordinator may crash between the phases. */
/* with N=2 */
/* with N=3 */
/* with N=2 CRASH */
/* with N=4 */
#ifndef N
#define N 2
#endif
mtype = { prepare, yes, no, commit, abort_ };
chan to[N] = [1] of { mtype }; chan back = [N] of { mtype, byte };
mtype outcome[N];
active proctype Coordinator() {
	byte i, y; mtype v; bool all = true;
	for (i : 0 .. N - 1) { to[i]!prepare }
	for (i : 1 .. N) { back?v, y; if :: v == no -> all = false :: else fi }
#ifdef CRASH
	if :: goto crashed :: skip fi;
#endif
	for (i : 0 .. N - 1) {
		if :: all -> to[i]!commit :: else -> to[i]!abort_ fi
	}
crashed: skip
}
active [N] proctype Site() {
	byte me = _pid - 1; mtype m;
	to[me]?prepare;
	if
	:: back!yes, me; to[me]?m; outcome[me] = m
	:: back!no, me; outcome[me] = abort_; to[me]?_
	fi
}
ltl atomicity { [] !(outcome[0] == commit && outcome[1] == abort_) }
ltl decided { <> (outcome[0] != 0) }
