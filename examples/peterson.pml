/* expect: holds; 38 states */
/* expect ltl exclusive: holds */
/* expect ltl first_gets_in: holds */

/*
 * Peterson's algorithm for two processes. Each one says that it wants to enter,
 * and then politely gives way: "after you". Whoever was polite last has to wait,
 * and only while the other one really wants to enter.
 */

bool wants[2];
bit last_polite;
byte inside;            /* how many processes are in the critical section */

active [2] proctype Process() {
    bit me = _pid;

    do
    :: wants[me] = true;
       last_polite = me;
waiting:
       (!wants[1 - me] || last_polite == 1 - me);

       inside++;
       assert(inside == 1);
critical:
       inside--;

       wants[me] = false
    od
}

ltl exclusive { [] (inside <= 1) }

/* Once it waits, the first process gets in. This needs no fair scheduler: the other one is soon stuck behind it. */
ltl first_gets_in { [] (Process[0]@waiting -> <> Process[0]@critical) }
