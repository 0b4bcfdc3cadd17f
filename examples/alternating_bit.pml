/* expect: holds; 2048 states */
/* expect ltl delivered: violated */
/* expect ltl delivered_if_losses_end: holds */

/*
 * The alternating bit protocol: exactly-once delivery, in order, over channels that lose messages.
 * Every message carries one bit. The sender repeats a message until the bit comes back;
 * the receiver accepts a message only if its bit is the expected one.
 */

#define VALUES 3               /* messages carry 0, 1, 2, 0, 1, ... so that a gap would show */

mtype = { data, ack };

chan to_receiver = [1] of { mtype, byte, bit };
chan to_sender   = [1] of { mtype, bit };

byte delivered;                /* the value the receiver got last, plus one */
bool lost;                     /* whether a message was stolen since the last one that arrived */

active proctype Sender() {
    byte value = 0;
    bit bit_sent = 0, bit_back;

end:
    do
    :: to_receiver!data(value, bit_sent)
    :: to_sender?ack(bit_back) ->
       lost = false;
       if
       :: bit_back == bit_sent ->
          value = (value + 1) % VALUES;
          bit_sent = 1 - bit_sent
       :: else                 /* an old acknowledgement: repeat */
       fi
    od
}

active proctype Receiver() {
    byte value, expected_value = 0;
    bit bit_got, expected_bit = 0;

end:
    do
    :: to_receiver?data(value, bit_got) ->
       lost = false;
       if
       :: bit_got == expected_bit ->
          assert(value == expected_value);
          delivered = value + 1;
          expected_value = (expected_value + 1) % VALUES;
          expected_bit = 1 - expected_bit
       :: else                 /* a repetition: only acknowledge it again */
       fi;
       to_sender!ack(bit_got)
    od
}

/* The network loses whatever it likes. */
active proctype Thief() {
end:
    do
    :: atomic { to_receiver?_, _, _ -> lost = true }
    :: atomic { to_sender?_, _ -> lost = true }
    od
}

/* False: the network may lose everything for ever. */
ltl delivered { <> (delivered == 1) }

/* True: once the thief has stopped, the first message arrives. */
ltl delivered_if_losses_end { <> [] !lost -> <> (delivered == 1) }
