/* expect: holds; 20344 states */
/* expect ltl exclusive: holds */

/*
 * The filter lock: Peterson's idea for N processes. There are N - 1 levels to climb.
 * At each level the process that arrived last has to wait, while anybody else is at
 * the same level or above. So every level holds at least one process back, and only
 * one reaches the top.
 */

#ifndef N
#define N 3
#endif

byte level[N];          /* how far each process has climbed; 0 = not interested */
byte last[N];           /* who arrived last at each level */
byte inside;

active [N] proctype Process() {
    byte target, other;

    do
    :: target = 1;
       do
       :: target < N ->
          level[_pid] = target;
          last[target] = _pid;

          /* Look at the others one by one: nobody sees all of them in one step. */
          other = 0;
          do
          :: other < N && (other == _pid || level[other] < target || last[target] != _pid) -> other++
          :: other == N -> break
          od;
          target++
       :: target == N -> break
       od;

       inside++;
       assert(inside == 1);
       inside--;

       level[_pid] = 0;
       target = 0;
       other = 0
    od
}

ltl exclusive { [] (inside <= 1) }
