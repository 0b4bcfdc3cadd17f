/* expect: holds; 1024 states */
/* Grains fall on the places of a row, none of which holds more than three; one with two gives one of them away. */
#define PLACES 5

byte grains[PLACES];

active proctype Sky() {
  byte at;
  do
  :: atomic {
       do
       :: at < PLACES - 1 -> at++
       :: break
       od;
       if
       :: grains[at] < 3 -> grains[at]++
       :: grains[at] > 1 && at < PLACES - 1 && grains[at + 1] < 3 -> grains[at]--; grains[at + 1]++
       :: grains[at] == 3 -> grains[at] = 0
       fi;
       at = 0
     }
  od
}
