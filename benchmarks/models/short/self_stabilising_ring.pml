/* expect: holds; 4434 states */
/* Dijkstra's ring, from any state: one machine goes on where it is equal to the last, others take over their left one's number. */
#define MACHINES 4
#define NUMBERS 5

byte number[MACHINES];
byte chosen;

active proctype Ring() {
  do
  :: chosen < MACHINES && number[chosen] < NUMBERS - 1 -> number[chosen]++
  :: chosen < MACHINES -> chosen++
  :: chosen == MACHINES && number[0] == number[MACHINES - 1] -> number[0] = (number[0] + 1) % NUMBERS
  :: chosen == MACHINES && number[1] != number[0] -> number[1] = number[0]
  :: chosen == MACHINES && number[2] != number[1] -> number[2] = number[1]
  :: chosen == MACHINES && number[3] != number[2] -> number[3] = number[2]
  od
}
