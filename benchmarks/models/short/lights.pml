/* expect: holds; 2048 states */
/* Lights in a row: a switch turns its own and the next two. */
#define LIGHTS 10

unsigned shining : 30;

active proctype Hand() {
  byte place;
  do
  :: d_step { place < LIGHTS - 2 -> shining = shining ^ (7 << place); place = 0 }
  :: d_step { place < LIGHTS - 3 -> place++ }
  :: d_step { place > 0 -> place-- }
  od
}
