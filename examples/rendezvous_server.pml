/* expect: holds; 686 states */
/* expect ltl answered: holds */

/*
 * A server and its clients, with handshakes only. A client sends its request together with
 * a channel of its own, on which it wants the answer: nobody else can receive it.
 * A rendezvous channel has no place for a message; both sides take the step together.
 */

#define CLIENTS 3

chan requests = [0] of { byte, chan };

byte served;                   /* requests that were answered */
bool waiting[CLIENTS];

active proctype Server() {
    byte number;
    chan answer;

end:
    do
    :: requests?number, answer ->
       answer!(number * 2);
       served = served + 1
    od
}

active [CLIENTS] proctype Client() {
    chan mine = [0] of { byte };
    byte number = _pid - 1;    /* the server has _pid 0 */
    byte reply;

    waiting[number] = true;
    requests!number, mine;
    mine?reply;
    assert(reply == number * 2);
    waiting[number] = false
}

ltl answered { [] (waiting[0] -> <> !waiting[0]) }
