/* expect: holds; 10125 states */
/* Producers and consumers around three stores of parts, each of its own size. */
#define ROOM 2

byte wood, glue, chairs;

active [2] proctype Supplier() {
  byte load;
  do
  :: load < ROOM -> load++
  :: atomic { load > 0 && wood < ROOM -> load--; wood++ }
  :: atomic { load > 0 && glue < ROOM -> load--; glue++ }
  od
}

active [2] proctype Joiner() {
  byte made;
  do
  :: atomic { wood > 0 && glue > 0 && made < ROOM -> wood--; glue--; made++ }
  :: atomic { made > 0 && chairs < ROOM -> made--; chairs++ }
  od
}

active proctype Shop() {
  do
  :: chairs > 0 -> chairs--
  od
}
