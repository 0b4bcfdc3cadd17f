/* expect: holds; 243 states */
/* Towers of Hanoi: a disk moves if no smaller one lies on it, or where it goes. */
#define DISKS 5

byte peg[DISKS];

active proctype Mover() {
  byte disk, to, smaller;
  do
  :: atomic {
       do
       :: disk < DISKS - 1 -> disk++
       :: break
       od;
       if
       :: to = 0
       :: to = 1
       :: to = 2
       fi;
       do
       :: smaller < disk && peg[smaller] != peg[disk] && peg[smaller] != to -> smaller++
       :: else -> break
       od;
       if
       :: smaller == disk -> peg[disk] = to
       :: else
       fi;
       disk = 0;
       to = 0;
       smaller = 0
     }
  od
}
