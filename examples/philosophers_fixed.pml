/* expect: holds; 205 states */
/* expect ltl somebody_eats: holds */
/* expect ltl first_eats: violated */

/*
 * The dining philosophers again, without the deadlock: the forks are numbered, and each
 * philosopher takes the fork with the smaller number first. A circle of waiting would need
 * somebody who holds a large fork and waits for a smaller one.
 */

#ifndef N
#define N 4
#endif

bool taken[N];
byte eating;

active [N] proctype Philosopher() {
    /* The last one sits between the fork N - 1 and the fork 0, and reaches for 0 first. */
    byte low = (_pid == N - 1 -> 0 : _pid);
    byte high = (_pid == N - 1 -> N - 1 : _pid + 1);

    do
    :: atomic { !taken[low] -> taken[low] = true };
       atomic { !taken[high] -> taken[high] = true };

       eating++;
meal:
       assert(eating <= N / 2);
       eating--;

       taken[high] = false;
       taken[low] = false
    od
}

ltl somebody_eats { [] <> (eating > 0) }

/* Not promised: the neighbours may eat in turns for ever. */
ltl first_eats { <> Philosopher[0]@meal }
