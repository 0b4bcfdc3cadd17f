/* expect: holds; 147 states */
/* expect ltl first_arrives: holds */

/*
 * PAIRS of a sender and a receiver, each pair with lines of its own that lose at most LOSSES messages.
 * A sender waits for the acknowledgement of one message before it sends the next. It cannot know that
 * something was lost; `timeout` lets it send again when nobody else in the whole system can move.
 */

#ifndef PAIRS
#define PAIRS 1
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef LOSSES
#define LOSSES 2
#endif

chan forward[PAIRS] = [1] of { byte };
chan backward[PAIRS] = [1] of { byte };

byte delivered[PAIRS];

active [PAIRS] proctype Sender() {
    byte line = _pid;
    byte number = 1, back;

    do
    :: number <= MESSAGES ->
       forward[line]!number;
again:
       if
       :: backward[line]?back ->
          if
          :: back == number -> number++
          :: else -> back = 0; goto again
          fi;
          back = 0
       :: timeout -> skip      /* round the loop: send it once more */
       fi
    :: else -> break
    od
}

active [PAIRS] proctype Receiver() {
    byte line = _pid - PAIRS;
    byte number;

end:
    do
    :: forward[line]?number ->
       if
       :: number == delivered[line] + 1 -> delivered[line] = number
       :: else -> assert(number == delivered[line])      /* a repetition, and nothing else */
       fi;
       backward[line]!number;
       number = 0
    od
}

active [PAIRS] proctype Thief() {
    byte line = _pid - 2 * PAIRS;
    byte stolen;

end:
    do
    :: atomic { stolen < LOSSES && nempty(forward[line]) -> forward[line]?_; stolen++ }
    :: atomic { stolen < LOSSES && nempty(backward[line]) -> backward[line]?_; stolen++ }
    od
}

ltl first_arrives { <> (delivered[0] == MESSAGES) }
