/* expect: holds; 77606 states */
/* expect ltl all_or_nothing: holds */
/* expect ltl decided: holds */

/*
 * Two-phase commit: all participants of a transaction commit, or none does. The coordinator collects
 * votes and then announces the decision. Each participant may vote no, and the coordinator may lose
 * patience, which also means no. A participant that voted yes has to wait for the decision, whatever happens.
 */

#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort, undecided };

chan to_participant[N] = [2] of { mtype };
chan to_coordinator = [N] of { mtype };

mtype outcome[N] = undecided;
byte committed, aborted;

active proctype Coordinator() {
    byte i, votes = 0;
    mtype decision = commit;

    for (i : 0 .. N - 1) {
        to_participant[i]!prepare
    }

    do
    :: votes < N && decision == commit ->
       if
       :: to_coordinator?yes -> votes++
       :: to_coordinator?no -> decision = abort
       :: decision = abort          /* out of patience */
       fi
    :: else -> break
    od;

    for (i : 0 .. N - 1) {
        to_participant[i]!decision
    }
}

active [N] proctype Participant() {
    byte me = _pid - 1;             /* the coordinator has _pid 0 */

    to_participant[me]?prepare;
    if
    :: to_coordinator!yes;
       to_participant[me]?outcome[me]
    :: to_coordinator!no;
       outcome[me] = abort          /* a no is final: no need to wait */
    fi;

    if
    :: outcome[me] == commit -> committed++
    :: outcome[me] == abort -> aborted++
    fi;
    assert(committed == 0 || aborted == 0)
}

ltl all_or_nothing { [] !(committed > 0 && aborted > 0) }
ltl decided { <> (committed == N || aborted == N) }
