/* expect: holds; 379 states */
/* Stations in a ring pass two numbers on through short channels, each one larger than it came. */
#define STATIONS 3
#define NUMBERS 4

chan link[STATIONS] = [2] of { byte };

active [STATIONS] proctype Station() {
  byte number;
  if
  :: _pid < 2 -> link[_pid] ! 0
  :: else
  fi;
  do
  :: link[_pid] ? number -> link[(_pid + 1) % STATIONS] ! (number + 1) % NUMBERS
  od
}
