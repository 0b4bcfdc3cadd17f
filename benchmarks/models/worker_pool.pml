/* expect: holds; 858 states */
/* expect ltl all_done: holds */

/*
 * Processes that come and go. A dispatcher starts a worker for every job, at most LIMIT at a time.
 * A worker does its job in a few steps, may hand half of it to a child of its own, reports and ends.
 * Numbers of processes are used again and again, and states have different widths.
 */

#ifndef JOBS
#define JOBS 1
#endif
#ifndef LIMIT
#define LIMIT 5
#endif
#ifndef EFFORT
#define EFFORT 3
#endif

chan finished = [1] of { byte };

byte done, started, working;

proctype Worker(byte job; byte effort) {
    working++;
    do
    :: atomic {
           effort > 1 && started < LIMIT ->
           started++;
           run Worker(job, effort / 2);
           effort = effort - effort / 2
       }
    :: effort > 0 -> effort--
    :: effort == 0 -> break
    od;
    working--;
    finished!job
}

init {
    byte job, next = 0;

    do
    :: atomic {
           next < JOBS && started < LIMIT ->
           started++;
           run Worker(next, EFFORT);
           next++
       }
    :: finished?job -> atomic { started--; done++; job = 0 }
    :: next == JOBS && started == 0 -> break
    od;
    assert(working == 0 && done >= JOBS)
}

ltl all_done { <> (done >= JOBS) }
