/* expect: holds; 6140 states */
/* expect ltl exclusive: holds */
/* expect ltl second_gets_in: holds */

/*
 * Mutual exclusion with a token that travels (Naimi and Trehel), about log N messages for each entry.
 * Every node remembers the probable owner: whom to ask for the token. A request is passed on along these
 * pointers, and everybody on the way now points to the one who asked, since it will be the owner soon.
 * Nodes that wait form a queue, each knowing only who comes next.
 * Each node has one mailbox, and is always ready to handle a message while it waits.
 */

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1               /* how often each node enters */
#endif
#define NOBODY 255

mtype = { request, token };

chan mailbox[N] = [N] of { mtype, byte };

byte inside;
bool wants[N];

/* Somebody asks: queue it behind us, give it the token, or pass the request on. */
inline handle_request(who) {
    if
    :: owner == _pid && (wants[_pid] || !has_token) -> next = who
    :: owner == _pid && !wants[_pid] && has_token -> has_token = false; mailbox[who]!token(0)
    :: owner != _pid -> mailbox[owner]!request(who)
    fi;
    owner = who;
    who = 0
}

active [N] proctype Node() {
    byte owner = 0;            /* whom to ask; itself = it is the last of the queue */
    byte next = NOBODY;        /* who gets the token after us */
    bool has_token = (_pid == 0);
    byte rounds = 0, who;

end:
    do
    :: rounds < ROUNDS ->
       wants[_pid] = true;
       if
       :: owner != _pid -> mailbox[owner]!request(_pid); owner = _pid
       :: else
       fi;

       /* Wait for the token, and answer requests meanwhile. */
       do
       :: has_token -> break
       :: !has_token && mailbox[_pid]?[token, _] -> mailbox[_pid]?token(_); has_token = true
       :: !has_token && mailbox[_pid]?[request, _] -> mailbox[_pid]?request(who); handle_request(who)
       od;

       inside++;
       assert(inside == 1);
       inside--;

       rounds++;
       wants[_pid] = false;
       if
       :: next != NOBODY -> has_token = false; mailbox[next]!token(0); next = NOBODY
       :: else
       fi

    :: mailbox[_pid]?request(who) -> handle_request(who)
    od
}

ltl exclusive { [] (inside <= 1) }
ltl second_gets_in { [] (wants[1] -> <> !wants[1]) }
