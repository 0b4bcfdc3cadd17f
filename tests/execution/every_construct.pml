/* Every construct that the plain form has a word for, but `enabled`, which forbids rendezvous, and `np_`. */
#define N 2
mtype = { ping, pong };
typedef Inner { byte a[N]; short b };
typedef Outer { Inner in[N]; bit c };
Outer o[N];
byte shared = 7, list[3] = { 1, 2 };
hidden int unseen;
unsigned narrow : 3 = 5;
int wide = -1;
bool done;
chan buffered = [2] of { mtype, byte, chan };
chan meeting = [0] of { byte };
chan pair[2] = [1] of { short };

proctype Worker(byte me; chan reply) provided (shared > 0) {
    xr reply;
    chan own = [1] of { bit };
    byte x = me + 1;
    buffered!!ping, me, own;
    meeting?x;
progress:
    reply?eval(_pid), _;
    set_priority(_pid, 3)
}

active [2] proctype Main() priority 2 {
    byte n;
    short k = -2;
    o[shared % N].in[1].a[n] = ~k & 3;
    n = run Worker(2, pair[0]);
    run Worker(1, pair[1]) priority 4;
    do
    :: len(buffered) > 0 && nempty(buffered) -> buffered??ping, n, _
    :: buffered?<pong, n, _>
    :: atomic { full(buffered) -> meeting!n; shared++ }
    :: d_step { empty(pair[0]); n = 0; if :: n == 0 -> k = k << 2 :: else -> skip fi; do :: n < 2 -> n++ :: else -> break od }
    :: buffered?[eval(n), 1, _] || buffered??[ping, _, _] -> break
    :: timeout -> goto end_here
    :: else -> printf("%d %e\n", n, ping)
    od unless { done };
    assert(Worker[n]@progress || pc_value(0) != get_priority(1) || Worker:x >= 0);
    wide = (done -> k / 2 : -k * 3) ^ (_last | _nr_pr) >> 1;
    unseen = wide; narrow = wide - 1; list[n] = list[0] <= list[1]; done = !done; _priority = 1;
end_here:
    pair[0]!3, 4
}

trace { do :: meeting!1 :: meeting?_ od }
