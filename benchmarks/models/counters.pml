/* expect: holds; 1000 states */
/* Three counters that know nothing of each other: so many states as the product says, and no fewer. */
#define CYCLE 10

active [3] proctype Counter() {
  short x;
  do
  :: x = (x + 1) % CYCLE
  od
}
