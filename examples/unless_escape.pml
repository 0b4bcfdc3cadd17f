/* expect: holds; 74 states */
/* expect ltl served_or_told: holds */

/*
 * A vending machine with an alarm. `unless` guards a whole sequence: before each of its steps the escape is
 * tried first, and if that can begin, the sequence is left for good. `timeout` is true when nothing
 * else in the whole system can move.
 */

mtype = { coin, tea, refund };

chan slot = [0] of { mtype };
chan tray = [1] of { mtype };

bool alarm;
byte stock = 2;
byte given, refunded;

active proctype Machine() {
    bool paid = false;

end:
    do
    :: {
           slot?coin;
           paid = true;
           atomic { stock > 0 -> stock--; given++ }
           tray!tea;
           paid = false
       } unless {
           alarm ->
           alarm = false;
           if
           :: paid -> tray!refund; refunded++; paid = false
           :: else
           fi
       }
    od
}

active proctype Customer() {
    mtype got;
    byte coins = 3;

    do
    :: coins > 0 ->
       slot!coin;
       coins--;
       tray?got;
       assert(got == tea || got == refund)
    :: coins == 0 -> break
    od
}

/* Nothing moves, and the customer still waits: the stock is gone. Ring the alarm, once. */
active proctype Watchman() {
    timeout -> alarm = true
}

ltl served_or_told { <> (given + refunded == 3) }
