/* expect: holds; 5445 states */
/* expect ltl exclusive: holds */

/*
 * Stations in a ring that hand tokens on by rendezvous only. A station that holds a token may use
 * it, alone or not, and then shakes hands with its right neighbour, if that one is free.
 * There are fewer tokens than stations, so that somebody can always move.
 */

#ifndef STATIONS
#define STATIONS 3
#endif
#ifndef TOKENS
#define TOKENS 1
#endif

chan link[STATIONS] = [0] of { byte };

byte users[TOKENS];            /* how many stations are using each token */

active [STATIONS] proctype Station() {
    bool holding = (_pid < TOKENS);
    byte token = (_pid < TOKENS -> _pid : 0);
    byte used = 0;

    do
    :: !holding -> link[_pid]?token; holding = true
    :: holding && used < 2 ->
       users[token]++;
       assert(users[token] == 1);
       users[token]--;
       used++
    :: holding -> link[(_pid + 1) % STATIONS]!token; holding = false; token = 0; used = 0
    od
}

ltl exclusive { [] (users[0] <= 1) }
