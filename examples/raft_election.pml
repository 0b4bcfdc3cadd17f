/* expect: holds; 4431 states */
/* expect ltl one_leader_per_term: holds */
/* expect ltl somebody_wins: violated */

/*
 * The election of a leader as in Raft, without the log. Time is divided into terms. A server that
 * hears nothing from a leader begins a new term, votes for itself and asks the others. Each server
 * has one vote in a term, and a majority wins: two majorities share a server, so that no term has
 * two leaders. A split vote has no winner; then somebody begins another term.
 * A server handles a message in one atomic step. What does not fit into a mailbox is lost.
 */

#define SERVERS 3
#define MAJORITY 2
#ifndef TERMS
#define TERMS 2
#endif
#define NOBODY 255

mtype = { ask, grant };

chan mailbox[SERVERS] = [1] of { mtype, byte, byte };      /* kind, term, sender */

byte leaders[TERMS + 1];           /* how many leaders each term has */

inline post(receiver, kind) {
    if
    :: len(mailbox[receiver]) == 0 -> mailbox[receiver]!kind(term, _pid)
    :: else                        /* lost */
    fi
}

active [SERVERS] proctype Server() {
    byte term = 0, voted_for = NOBODY, votes = 0;
    byte their_term, sender;

end:
    do
    :: atomic {                    /* no news from a leader: stand for election */
           term < TERMS && votes < MAJORITY ->
           term++;
           voted_for = _pid;
           votes = 1;
           post((_pid + 1) % SERVERS, ask);
           post((_pid + 2) % SERVERS, ask)
       }

    :: atomic {
           mailbox[_pid]?ask(their_term, sender) ->
           if
           :: their_term > term -> term = their_term; voted_for = NOBODY; votes = 0
           :: else
           fi;
           if
           :: their_term == term && voted_for == NOBODY -> voted_for = sender; post(sender, grant)
           :: else
           fi;
           their_term = 0;
           sender = 0
       }

    :: atomic {
           mailbox[_pid]?grant(their_term, sender) ->
           if
           :: their_term == term && voted_for == _pid -> votes++
           :: else
           fi;
           if
           :: their_term == term && voted_for == _pid && votes == MAJORITY ->
              leaders[term]++;
              assert(leaders[term] == 1)
           :: else
           fi;
           their_term = 0;
           sender = 0
       }
    od
}

ltl one_leader_per_term { [] (leaders[1] <= 1 && leaders[TERMS] <= 1) }

/* Not promised: votes may be split in every term. */
ltl somebody_wins { <> (leaders[1] + leaders[TERMS] > 0) }
