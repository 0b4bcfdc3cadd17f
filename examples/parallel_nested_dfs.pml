/* expect: holds; 17476 states */

/*
 * Parallel nested depth-first search, the algorithm everafter itself runs: WORKERS look
 * for a cycle through an accepting node, each with colours of its own (cyan, blue, pink);
 * red they share. One step of the model is one line of the paper (Oortwijn, Huisman,
 * Joosten, van de Pol, TACAS 2020, Fig. 2 with the all-red extension of Fig. 7b).
 *
 *      0 ---> 1 ---> 2 <--> 4 ---> 5 ---> 1        Nodes 0 and 1 accept. The cycle is
 *      0 ---> 5      1 ---> 3 <--> 4               1, 2 or 3, 4, 5.
 *
 * -D WORKERS=3 -D UNREPAIRED   all-red as it was published first, without its await:
 *                              three workers miss the cycle, two never do
 * -D PLAIN                     without all-red
 * -D PLAIN -D WORKERS=3 -D HASTY   without the await of line 23: the same happens
 * -D EVERY_ORDER               workers meet successors in any order, not only those of 1
 * -D EVERY_GRAPH               every graph of NODES nodes (2, if not given) in any order
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifdef EVERY_GRAPH
#define EVERY_ORDER
#ifndef NODES
#define NODES 2
#endif
#else
#define NODES 6
#endif
#define FRAMES 12               /* a red path lies above a blue one */

#define bit(node) (1 << (node))
#define has(set, node) (((set) >> (node)) & 1)

byte edges[NODES];              /* the successors of each node, as bits of a set */
byte accepting;
bool cyclic;                    /* is there an accepting cycle? */

byte red;                       /* shared by all workers, as are the next three */
byte count[NODES];              /* workers in a red search from the node */
bool abort;                     /* a worker has found a cycle */
byte ended;

inline set_up() {
#ifdef EVERY_GRAPH
    byte reached[NODES], j;
    for (i : 0 .. NODES - 1) {
        for (j : 0 .. NODES - 1) {
            if
            :: edges[i] = edges[i] | bit(j)
            :: skip
            fi
        }
        if
        :: accepting = accepting | bit(i)
        :: skip
        fi;
        reached[i] = edges[i]
    }
    for (j : 0 .. NODES - 1) {              /* Warshall: what is reached over j, too */
        for (i : 0 .. NODES - 1) {
            reached[i] = reached[i] | (has(reached[i], j) * reached[j])
        }
    }
    for (i : 0 .. NODES - 1) {
        cyclic = cyclic || (has(accepting & reached[i], i) && (i == 0 || has(reached[0], i)))
    }
#else
    edges[0] = bit(1) | bit(5);
    edges[1] = bit(2) | bit(3);
    edges[2] = bit(4);
    edges[3] = bit(4);
    edges[4] = bit(2) | bit(3) | bit(5);
    edges[5] = bit(1);
    accepting = bit(0) | bit(1);
    cyclic = true
#endif
}

#ifdef EVERY_ORDER
#define may_take(node) has(rest[depth], node)
#else
#define may_take(node) (has(rest[depth], node) && (s == 1 || (rest[depth] & (bit(node) - 1)) == 0))
#endif

/* Take one of the successors that are left. */
inline take() {
    if
    :: may_take(0) -> t = 0
    :: may_take(1) -> t = 1
    :: may_take(2) -> t = 2
    :: may_take(3) -> t = 3
    :: may_take(4) -> t = 4
    :: may_take(5) -> t = 5
    fi;
    rest[depth] = rest[depth] & ~bit(t)
}

inline enter(node) {
    stack[depth] = node;
    rest[depth] = edges[node];
    s = node
}

inline leave() {
    stack[depth] = 0;
    if
    :: depth > 0 -> depth--; s = stack[depth]
    :: else
    fi
}

proctype Worker() {
    byte stack[FRAMES], rest[FRAMES], depth, s, t;
    byte cyan, blue, pink;      /* sets of nodes */
    byte mixed;                 /* nodes with a successor that was not red: not allred */
    byte seed;                  /* the frame in which the red search began */

    atomic { enter(0); cyan = bit(0); goto search_blue };

search_blue:
    atomic {
        if
        :: rest[depth] == 0 -> goto leave_blue
        :: else -> take()
        fi;
        if
        :: has(cyan | blue, t) -> goto look
        :: else
        fi
    };
    atomic {                                            /* line 4 */
        if
        :: abort -> goto finish
        :: !abort && has(red, t) -> goto search_blue
        :: !abort && !has(red, t) -> depth++; enter(t); cyan = cyan | bit(t); goto search_blue
        fi
    };

look:                                                   /* 7b, line 7 */
    atomic {
        if
        :: !has(red, t) -> mixed = mixed | bit(s)
        :: else
        fi;
        goto search_blue
    };

leave_blue:
#ifndef PLAIN
    atomic {
        if
        :: has(mixed, s) -> goto line_6
        :: else
        fi
    };
#ifndef UNREPAIRED
    atomic {                                            /* 7b, line 9 */
        count[s] == 0 || abort;
        if
        :: abort -> goto finish
        :: else
        fi
    };
#endif
    atomic { red = red | bit(s); goto line_9 };         /* 7b, line 10 */
line_6:
#endif
    atomic {                                            /* line 6 */
        if
        :: has(accepting & ~red, s)
        :: else -> goto line_9
        fi
    };
    atomic { count[s]++; seed = depth; pink = pink | bit(s); rest[depth] = edges[s]; goto search_red };

line_9:
    atomic {
        cyan = cyan & ~bit(s);
        blue = blue | bit(s);
        t = s;
        if
        :: depth == 0 -> goto finish
        :: else -> leave()
        fi;
#ifdef PLAIN
        goto search_blue
#else
        goto look
#endif
    };

search_red:
    atomic {
        if
        :: rest[depth] == 0 -> goto leave_red
        :: else -> take()
        fi;
        if
        :: has(cyan, t) -> goto report                  /* line 17 */
        :: has(pink & ~cyan, t) -> goto search_red
        :: else
        fi
    };
    atomic {                                            /* line 19 */
        if
        :: abort -> goto finish
        :: !abort && has(red, t) -> goto search_red
        :: !abort && !has(red, t) -> depth++; enter(t); pink = pink | bit(t); goto search_red
        fi
    };

leave_red:
    if
    :: has(accepting, s) ->
        count[s]--;                                     /* line 22 */
#ifndef HASTY
        atomic {                                        /* line 23 */
            count[s] == 0 || abort;
            if
            :: abort -> goto finish
            :: else
            fi
        }
#endif
    :: else
    fi;
    atomic {                                            /* line 24 */
        pink = pink & ~bit(s);
        red = red | bit(s);
        if
        :: depth == seed -> goto line_9
        :: else -> leave(); goto search_red
        fi
    };

report:
    atomic { assert(cyclic); abort = true };

finish:
    atomic {
        ended++;
        assert(ended < WORKERS || abort == cyclic)      /* the verdict */
    }
}

init {
    atomic {
        byte i;
        set_up();
        for (i : 1 .. WORKERS) {
            run Worker()
        }
    }
}
