/* expect: holds; 721 states */
/* Cards in a row: neighbours change places, until all orders were met. */
#define CARDS 6

byte card[CARDS];

active proctype Hand() {
  byte place;
  d_step {
    do
    :: place < CARDS -> card[place] = place; place++
    :: else -> break
    od;
    place = 0
  }
  do
  :: atomic {
       do
       :: place < CARDS - 2 -> place++
       :: break
       od;
       card[place] = card[place] ^ card[place + 1];
       card[place + 1] = card[place] ^ card[place + 1];
       card[place] = card[place] ^ card[place + 1];
       place = 0
     }
  od
}
