/* expect: holds; 108 states */
/* expect ltl never_two: holds */
/* expect ltl every_task_runs: violated */

/*
 * A round-robin scheduler for tasks on one processor. Each decision of the scheduler is a d_step: many
 * statements, but a single step for everybody else, and no state in between is ever stored.
 * Inside a d_step there is no choice; where several options are possible, the first one is taken.
 */

#ifndef TASKS
#define TASKS 3
#endif
#define NOBODY 255

bool ready[TASKS] = true;
byte running = NOBODY;
byte last = TASKS - 1;         /* who ran most recently */
byte busy;                     /* how many tasks believe that they run */

active proctype Scheduler() {
    byte i;

end:
    do
    :: d_step {
           running == NOBODY ->    /* only the first statement of a d_step may wait */
           i = 1;
           do
           :: i <= TASKS && ready[(last + i) % TASKS] ->
              running = (last + i) % TASKS;
              last = running;
              break
           :: i <= TASKS && !ready[(last + i) % TASKS] -> i++
           :: i > TASKS -> break   /* all of them sleep */
           od;
           i = 0
       }
    od
}

active [TASKS] proctype Task() {
    byte me = _pid - 1;        /* the scheduler has _pid 0 */

    do
    :: running == me ->
       busy++;
working:
       assert(busy == 1);
       busy--;
       if
       :: skip                 /* yield, but stay ready */
       :: ready[me] = false    /* sleep */
       fi;
       running = NOBODY
    :: atomic { !ready[me] -> ready[me] = true }
    od
}

ltl never_two { [] (busy <= 1) }

/* False: a task that sleeps need not wake up, since nothing forces it. Under weak fairness it is true. */
ltl every_task_runs { [] <> (last == 0) }
