/* expect: holds; 146 states */
/* expect ltl exclusive: holds */

/*
 * Dekker's algorithm, the first correct mutual exclusion for two processes.
 * When both want to enter, the one whose turn it is not steps back,
 * waits for its turn, and only then wants again.
 */

bool wants[2];
bit turn;
byte inside;

active [2] proctype Process() {
    bit me = _pid;

    do
    :: wants[me] = true;
       do
       :: wants[1 - me] ->
          if
          :: turn == 1 - me ->
             wants[me] = false;
             turn == me;             /* a condition as a statement waits until it is true */
             wants[me] = true
          :: else
          fi
       :: else -> break
       od;

       inside++;
       assert(inside == 1);
       inside--;

       turn = 1 - me;
       wants[me] = false
    od
}

ltl exclusive { [] (inside <= 1) }
