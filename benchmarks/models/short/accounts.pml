/* expect: holds; 1820 states */
/* Accounts send each other coins, one at a time; a coin is never lost. */
#define COINS 12

byte one = COINS, two, three, four, five;

active proctype Bank() {
  do
  :: d_step { one > 0 -> one--; two++ }
  :: d_step { two > 0 -> two--; three++ }
  :: d_step { three > 0 -> three--; four++ }
  :: d_step { four > 0 -> four--; five++ }
  :: d_step { five > 0 -> five--; one++ }
  od
}

active proctype Auditor() {
  do
  :: assert(one + two + three + four + five == COINS)
  od
}
