/* expect: holds; 157 states */
/* expect ltl never_reused: violated */

/*
 * Processes that create processes. `run` gives the number (_pid) of the new process; _nr_pr counts those
 * that exist. A process that has reached its end stays until all younger ones are gone: processes disappear
 * in the opposite order of their creation, and only then can their numbers be used again.
 */

#ifndef DEPTH
#define DEPTH 2
#endif

byte born, ended;
bool reused;                           /* whether a number was given twice to children of one parent */

/* A worker creates two more, until the given depth is used up. */
proctype Worker(byte depth; byte parent) {
    pid first, second;

    born++;
    assert(_pid > parent);             /* no number is free below that of a living parent */
    if
    :: depth > 1 ->
       first = run Worker(depth - 1, _pid);
       second = run Worker(depth - 1, _pid);
       reused = reused || first == second    /* possible: the first one may be gone already */
    :: else
    fi;
    ended++
}

init {
    pid again;

    assert(_pid == 0 && _nr_pr == 1);
    run Worker(DEPTH, _pid);
    _nr_pr == 1;                       /* wait until all of them are gone */
    assert(born == (1 << DEPTH) - 1 && ended == born);

    /* The numbers begin again after the process that still exists. */
    again = run Worker(1, _pid);
    assert(again == 1);
    _nr_pr == 1
}

/* False, see above. */
ltl never_reused { [] !reused }
