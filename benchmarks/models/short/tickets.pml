/* expect: holds; 2944 states */
/* A ticket lock among some customers, whose tickets come again; who is served also counts. */
#define CUSTOMERS 3
#define TICKETS 4

byte next, serving, inside;

active [CUSTOMERS] proctype Customer() {
  byte mine, visits;
  do
  :: atomic { mine = next; next = (next + 1) % TICKETS };
     atomic { mine == serving -> inside++ };
     assert(inside == 1);
     atomic { inside--; serving = (serving + 1) % TICKETS; visits = (visits + 1) % TICKETS; mine = 0 }
  od
}
