/* expect: holds; 11025 states */
/* Two walkers on a field, step by step in any direction, never on the same place twice in a row. */
#define SIDE 5

byte x[2], y[2];

active [2] proctype Walker() {
  do
  :: x[_pid] < SIDE - 1 -> x[_pid]++
  :: x[_pid] > 0 -> x[_pid]--
  :: y[_pid] < SIDE - 1 -> y[_pid]++
  :: y[_pid] > 0 -> y[_pid]--
  od
}
