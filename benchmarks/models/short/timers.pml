/* expect: holds; 1521 states */
/* Crossings, each with a light and a timer of its own that runs at any pace. */
#define CROSSINGS 2
#define LONGEST 5

mtype = { red, amber, green };

active [CROSSINGS] proctype Crossing() {
  mtype light = red;
  byte timer;
  do
  :: timer < LONGEST -> timer++
  :: timer == LONGEST && light == red -> light = green; timer = 0
  :: timer == LONGEST && light == green -> light = amber; timer = 0
  :: timer == LONGEST && light == amber -> light = red; timer = 0
  od
}
