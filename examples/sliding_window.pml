/* expect: holds; 2766 states */

/*
 * Go-back-N, a sliding window: up to WINDOW messages are on their way at the same time.
 * Channels lose messages. Numbers are taken modulo WINDOW + 1: with WINDOW numbers only,
 * a repeated old window would look like a new one (try -DNUMBERS=2).
 */

#define WINDOW 2
#ifndef NUMBERS
#define NUMBERS 3
#endif
#define VALUES 6               /* the payload counts up, modulo a multiple of NUMBERS, to show any mistake */

chan forward  = [2] of { byte, byte };      /* number, payload */
chan backward = [1] of { byte };            /* the number expected next */

active proctype Sender() {
    byte base = 0;             /* the payload of the oldest message not yet acknowledged */
    byte sent = 0;             /* how many messages from there on were sent */
    byte acknowledged;

end:
    do
    :: sent < WINDOW ->
       forward!(base + sent) % NUMBERS, (base + sent) % VALUES;
       sent++
    :: backward?acknowledged ->
       /* The acknowledgement covers everything before the number that is expected next. */
       do
       :: base % NUMBERS != acknowledged && sent > 0 ->
          d_step { base = (base + 1) % VALUES; sent-- }
       :: else -> break
       od;
       acknowledged = 0
    :: sent > 0 && timeout -> sent = 0      /* nothing moves any more: send the window again */
    od
}

active proctype Receiver() {
    byte number, payload, expected = 0;

end:
    do
    :: forward?number, payload ->
       if
       :: number == expected % NUMBERS ->
          assert(payload == expected);
          expected = (expected + 1) % VALUES
       :: else                              /* out of order: drop it, and repeat the acknowledgement */
       fi;
       number = 0;
       payload = 0;
       backward!expected % NUMBERS
    od
}

active proctype Thief() {
end:
    do
    :: forward?_, _
    :: backward?_
    od
}
