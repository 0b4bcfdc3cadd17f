/* expect: holds; 1560 states */
/* expect ltl at_most_one: holds */
/* expect ltl elected: holds */

/*
 * Leader election in a one-way ring (the idea of Chang and Roberts). Every node sends its
 * number to its right neighbour. A number travels on only past nodes with smaller numbers,
 * so that only the largest comes all the way round to its owner, who is then the leader.
 */

#ifndef N
#define N 4
#endif

mtype = { candidate, leader };

chan ring[N] = [N] of { mtype, byte };

byte leaders;                  /* how many nodes call themselves leader */
byte known;                    /* how many nodes know who it is */

proctype Node(byte place; byte number) {
    byte other;
    bool done = false;
    chan from_left = ring[place];
    chan to_right = ring[(place + 1) % N];

    to_right!candidate(number);
    do
    :: done -> break
    :: !done && from_left?[candidate, _] ->
       from_left?candidate(other);
       if
       :: other > number -> to_right!candidate(other)
       :: other < number -> skip            /* this node is better: swallow it */
       :: other == number ->
          leaders++;
          assert(leaders == 1);
          to_right!leader(number)
       fi
    :: !done && from_left?[leader, _] ->
       from_left?leader(other);
       known++;
       done = true;
       if
       :: other != number -> to_right!leader(other)
       :: else
       fi
    od
}

init {
    byte place;

    /* The numbers 1, N, N - 1, ..., 2 in the direction of the ring: all different, for any N. */
    atomic {
        for (place : 0 .. N - 1) {
            run Node(place, (place * (N - 1)) % N + 1)
        }
    }
}

ltl at_most_one { [] (leaders <= 1) }
ltl elected { <> (leaders == 1 && known == N) }
