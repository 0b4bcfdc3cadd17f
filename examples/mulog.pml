/* expect: holds; 2674 states */
/* expect ltl exclusive: holds */

/*
 * Mutual exclusion by path reversal (Naimi, Trehel and Arnold): a token, and a tree in which everybody's
 * parent is the node that, as far as it knows, asked last. A request climbs to the root and turns the path
 * round behind itself. Here without channels: a message passes through a mailbox of shared variables
 * in a handshake, and every test and every store is a step of its own.
 */

#ifndef N
#define N 2
#endif

int x;                         /* how many nodes are in the critical section */

/* The mailbox of each node; nodes count from 1. */
int sender_lock[N + 1], receiver_lock[N + 1], message[N + 1], sent[N + 1], got[N + 1];

#define SET(variable, value) atomic { 1 -> variable = value }
#define ACQUIRE(lock) atomic { lock == 0 -> lock = 1 }

inline send(box, value) {
    ACQUIRE(sender_lock[box]);
    SET(message[box], value);
    SET(sent[box], 1);
    got[box];
    SET(got[box], 0);
    SET(sender_lock[box], 0)
}

inline receive(box, variable) {
    ACQUIRE(receiver_lock[box]);
    sent[box];
    SET(sent[box], 0);
    SET(variable, message[box]);
    SET(got[box], 1);
    SET(receiver_lock[box], 0)
}

/* Find the mailbox of a node by comparing its number with N, N - 1, ..., 1. */
inline send_to_1(node, value) {
    if
    :: node == 1; send(1, value)
    :: (node == 1) == 0; skip
    fi
}

inline send_to_2(node, value) {
    if
    :: node == 2; send(2, value)
    :: (node == 2) == 0; send_to_1(node, value)
    fi
}

inline send_to_3(node, value) {
    if
    :: node == 3; send(3, value)
    :: (node == 3) == 0; send_to_2(node, value)
    fi
}

#if N == 1
#define SEND_TO send_to_1
#elif N == 2
#define SEND_TO send_to_2
#else
#define SEND_TO send_to_3
#endif

inline answer_message() {
    receive(me, msg);
    if
    :: msg == 0; SET(token, 1)
    :: (msg == 0) == 0;
       if
       :: parent == 0;
          if
          :: requesting; SET(next, msg)
          :: requesting == 0;
             SET(token, 0);
             SEND_TO(msg, 0)
          fi
       :: (parent == 0) == 0; SEND_TO(parent, msg)
       fi;
       SET(parent, msg)
    fi
}

inline ask() {
    SET(idle, 0);
    SET(requesting, 1);
    if
    :: parent == 0; skip
    :: (parent == 0) == 0;
       SEND_TO(parent, me);
       SET(parent, 0)
    fi
}

inline work() {
    SET(x, x + 1);
    SET(x, x - 1);
    SET(requesting, 0);
    if
    :: next == 0; skip
    :: (next == 0) == 0;
       SET(token, 0);
       SEND_TO(next, 0);
       SET(next, 0)
    fi;
    SET(idle, 1)
}

proctype Node(int me) {
    int msg, idle, token, requesting, parent, next;

    SET(sender_lock[me], 0);
    SET(receiver_lock[me], 0);
    SET(message[me], 0);
    SET(sent[me], 0);
    SET(got[me], 0);
    SET(msg, 0);
    SET(idle, 1);
    SET(parent, (me == 1 -> 0 : 1));
    SET(next, 0);
    SET(requesting, 0);
    SET(token, (me == 1 -> 1 : 0));

    do
    :: if
       :: sent[me]; answer_message()
       :: sent[me] == 0;
          if
          :: idle; ask()
          :: idle == 0;
             if
             :: token; work()
             :: token == 0; skip
             fi
          fi
       fi
    od
}

init {
    run Node(1);
#if N >= 2
    run Node(2);
#endif
#if N >= 3
    run Node(3);
#endif
}

ltl exclusive { [] (x <= 1) }
