/* expect: holds; 2108 states */
/* expect ltl drained: holds */

/*
 * A pipeline of STAGES workers joined by buffers. MESSAGES numbers enter on the left; each stage
 * looks at a number, works on it and hands it on; the sink checks that they arrive in order.
 * No step can be taken back, so a run is never longer than the work to be done, and MESSAGES
 * chooses the number of states without making a state wider.
 */

#ifndef STAGES
#define STAGES 2
#endif
#ifndef MESSAGES
#define MESSAGES 3             /* at most 254 */
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

chan buffer[STAGES + 1] = [CAPACITY] of { byte };

byte arrived;

active proctype Source() {
    byte next = 1;

    do
    :: next <= MESSAGES -> buffer[0]!next; next++
    :: else -> break
    od
}

active [STAGES] proctype Stage() {
    byte place = _pid - 1;     /* the source has _pid 0 */
    byte item;

end:
    do
    :: buffer[place]?item ->
       item = 255 - item;      /* work, in two steps that others may see */
       item = 255 - item;
       buffer[place + 1]!item;
       item = 0
    od
}

active proctype Sink() {
    byte item;

end:
    do
    :: buffer[STAGES]?item ->
       assert(item == arrived + 1);
       arrived = item;
       item = 0
    od
}

ltl drained { <> (arrived == MESSAGES) }
