/* expect: violated assertion; 36 states */
/* expect ltl exclusive: violated */

/*
 * What everybody writes first, and it is wrong: look whether the other one is inside,
 * and if not, go in. Between the look and the flag there is a gap, wide enough for two.
 */

bool busy[2];
byte inside;

active [2] proctype Process() {
    bit me = _pid;

    do
    :: !busy[1 - me];          /* nobody there? */
       busy[me] = true;        /* then it is ours ... or so it seems */

       inside++;
       assert(inside == 1);
       inside--;

       busy[me] = false
    od
}

ltl exclusive { [] (inside <= 1) }
