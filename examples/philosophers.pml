/* expect: violated end-state; 256 states */

/*
 * The dining philosophers. Each takes the fork to the left, then the fork to the right.
 * When all of them hold a left fork at the same time, everybody waits for ever: a deadlock,
 * which the checker finds as an end state that is not a proper end.
 */

#ifndef N
#define N 4
#endif

bool taken[N];
byte eating;

active [N] proctype Philosopher() {
    byte left = _pid;
    byte right = (_pid + 1) % N;

    do
    :: atomic { !taken[left] -> taken[left] = true };
       atomic { !taken[right] -> taken[right] = true };

       eating++;
       assert(eating <= N / 2);         /* two forks each */
       eating--;

       taken[right] = false;
       taken[left] = false
    od
}
