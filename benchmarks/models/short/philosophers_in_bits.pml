/* expect: holds; 150 states */
/* Philosophers whose forks are bits of one number; the last takes them the other way around. */
#define N 4

unsigned forks : 16;

#define LEFT  (1 << _pid)
#define RIGHT (1 << ((_pid + 1) % N))

active [N] proctype Philosopher() {
  do
  :: _pid < N - 1 ->
     atomic { !(forks & LEFT) -> forks = forks | LEFT };
     atomic { !(forks & RIGHT) -> forks = forks | RIGHT };
     forks = forks & ~(LEFT | RIGHT)
  :: _pid == N - 1 ->
     atomic { !(forks & RIGHT) -> forks = forks | RIGHT };
     atomic { !(forks & LEFT) -> forks = forks | LEFT };
     forks = forks & ~(LEFT | RIGHT)
  od
}
