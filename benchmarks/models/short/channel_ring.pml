/* expect: holds; 1028 states */
/* Stations in a ring pass numbers on through short channels, each one or three larger than it came. */
#define STATIONS 3
#define TOKENS 2
#define NUMBERS 4

chan link[STATIONS] = [3] of { byte };

active [STATIONS] proctype Station() {
  byte number;
  if
  :: _pid < TOKENS -> link[_pid] ! 0
  :: else
  fi;
  do
  :: atomic {
       link[_pid] ? number ->
       if
       :: number = (number + 1) % NUMBERS
       :: number = (number + 3) % NUMBERS
       fi
     }
     link[(_pid + 1) % STATIONS] ! number
  od
}
