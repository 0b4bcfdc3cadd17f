"""Small models in which a reduction can go wrong."""

SMALL = {
    "local steps": "active [2] proctype P() { byte i; do :: i < 3 -> i++ :: else -> break od }",
    "a loop that counts and one that does not": (
        "byte x; active proctype Q() { x = 1; x = 2 } active proctype P() { byte i; do :: i = 1 - i od }"
    ),
    "counting round": (
        "byte x; active proctype Q() { x = 1; assert(x == 0) } active proctype P() { byte i; do :: i++ od }"
    ),
    "a guard that is no bound": (
        "byte x; active proctype Q() { x = 1; x = 2 } active proctype P() { bit i; do :: i <= 1 -> i = i + 1 od }"
    ),
    "guards that are no bound together": (
        "byte x; active proctype Q() { x = 1; x = 2 }"
        "active proctype P() { bit i; do :: i == 0 -> i = i + 1 :: i == 1 -> i = i + 1 od }"
    ),
    "issue 78": "init { run Helper() } active proctype Helper() { assert(_pid < 2) }",
    "numbers of processes": (
        "byte x; proctype C() { byte i; i = 1; i = 2 } active proctype A() { byte j; j = _nr_pr; x = j }"
        "init { run C(); run C() }"
    ),
    "a shared variable": "byte x; active [2] proctype P() { byte i; i = x; x = i + 1; i = 0 }",
    "atomic that may block": (
        "byte x, y; active [2] proctype A() { byte i; atomic { i = 1; y == 1; i = 2; y = 0 } } init { y = 1 }"
    ),
    "atomic that writes later": (
        "byte y; active proctype B() { byte j; j = y } active proctype A() { byte i; atomic { i = 1; i = 2; y = 1 } }"
    ),
    "atomic without end": (
        "byte x; active proctype B() { x = 1; assert(x == 0) }"
        "active proctype A() { byte i; atomic { do :: i = 1 - i od } }"
    ),
    "escapes": (
        "byte y; active proctype A() { byte i; { i = 1; i = 2; i = 3 } unless { y == 1 -> i = 9 } } init { y = 1 }"
    ),
    "else": "byte y; active proctype A() { byte i; if :: y == 1 -> i = 1 :: else -> i = 2 fi; i = 3 } init { y = 1 }",
    "timeout": (
        "byte x; active proctype A() { byte i; i = 1; i = 2; x == 1; i = 3 }"
        "active proctype B() { if :: timeout -> x = 1 :: x == 2 fi } active proctype C() { byte j; j = 1; j = 2 }"
    ),
    "sends and receives": (
        "chan q = [2] of { byte }; active proctype S() { byte i; do :: i < 3 -> q!i; i++ :: else -> break od }"
        "active proctype R() { byte v; do :: q?v :: v == 2 -> break od }"
    ),
    "two receivers": (
        "chan q = [2] of { byte }; active proctype S() { q!1; q!2 } active [2] proctype R() { byte v; q?v; v = 3 }"
    ),
    "a receive beside a choice": (
        "chan q = [1] of { byte }; byte x; active proctype S() { q!1 }"
        "active proctype R() { byte v; if :: q?v :: v = 2 fi }"
    ),
    "sorted and matching": (
        "chan q = [3] of { byte }; active proctype S() { q!!2; q!!1; q!3 }"
        "active proctype R() { byte v; if :: q??3 :: q??1 fi; q?v; q?<v> }"
    ),
    "channels in parameters": (
        "chan q = [1] of { byte }, r = [1] of { byte };"
        "proctype N(chan i, o) { byte v; o!1; i?v; v = 2 } init { atomic { run N(q, r); run N(r, q) } }"
    ),
    "the same channel in parameters": (
        "chan q = [2] of { byte }; proctype N(chan i, o) { byte v; o!_pid; i?v; v = 2 }"
        "init { atomic { run N(q, q); run N(q, q) } }"
    ),
    "channels that die": (
        "chan c; byte x; proctype B() { byte v; x == 1; c?v; v = 1 }"
        "proctype A() { chan l = [1] of { byte }; c = l; l!1; x = 1 } init { run B(); run A() }"
    ),
    "promises": (
        "chan q = [2] of { byte }; active proctype B() { byte v; v = 1; q?v; v = 3; q!3 }"
        "active proctype A() { byte i; xs q; q!1; i = 1 }"
    ),
    "rendezvous": (
        "chan z = [0] of { byte }; byte y; active proctype A() { byte i; i = 1; z!i; i = 2; z!3 }"
        "active proctype B() { byte b; z?b; b = 7; z?b } active proctype C() { byte k; k = 1; y = k }"
    ),
    "rendezvous with a choice": (
        "chan z = [0] of { byte }; byte y; active proctype D() { y = 1 } active proctype A() { z!1 }"
        "active proctype B() { byte b; if :: z?b :: y == 1 -> b = 2 fi }"
    ),
    "rendezvous for ever": (
        "chan z = [0] of { bit }; byte y; active [2] proctype C() { y = 1; assert(y == 0) }"
        "active proctype B() { bit b; do :: z?b od } active proctype A() { do :: z!1 od }"
    ),
    "rendezvous into an atomic": (
        "chan z = [0] of { byte }; byte y; active proctype A() { atomic { z!1; y = 1 } }"
        "active proctype B() { byte b; atomic { z?b; y == 1; b = 2 } } active proctype C() { byte k; k = y }"
    ),
    "messages round a ring": (
        "chan q[3] = [1] of { bit }; byte y; proctype N(chan i, o) { bit v; do :: i?v; o!v od }"
        "init { atomic { run N(q[0], q[1]); run N(q[1], q[2]); run N(q[2], q[0]) }; q[0]!1; y = 1; assert(y == 0) }"
    ),
    "messages round a ring, backwards": (
        "chan q[3] = [1] of { bit }; byte y; proctype N(chan i, o) { bit v; do :: i?v; o!v od }"
        "init { atomic { run N(q[1], q[0]); run N(q[2], q[1]); run N(q[0], q[2]) }; q[0]!1; y = 1; assert(y == 0) }"
    ),
    "to itself": (
        "chan q = [1] of { bit }; byte y; active proctype C() { y = 1; assert(y == 0) }"
        "active proctype A() { bit v; do :: q!1; q?v od }"
    ),
    "a trace": (
        "chan q = [2] of { byte }, r = [1] of { byte }; trace { do :: q!1; r!1 od }"
        "active proctype A() { byte i; i = 1; q!1; i = 2; q!1 } active proctype B() { byte j; j = 1; r!1; q?j; r?j }"
    ),
    "an index out of range": (
        "byte a[2], i; active proctype A() { byte k; k = 1; a[i] = k } active proctype B() { byte j; j = 1; i = 7 }"
    ),
    "a label in the code": (
        "byte x; active proctype A() { byte i; i = 1; L: i = 2; i = 3 } active proctype B() { A@L; x = 1 }"
    ),
    "d_step": (
        "byte x, y; active proctype A() { byte i; d_step { y == 0; i = 1; x = i }; i = 2 } init { y = 1; y = 0 }"
    ),
    "processes that end": "proctype C() { byte i; i = 1 } init { atomic { run C(); run C() }; _nr_pr == 1 }",
    "a process started late": (
        "byte x; proctype C() { x = 1 } active proctype A() { byte i; i = x; i = 2 } init { byte k; k = 1; run C() }"
    ),
    "an atomic that waits for a receiver": (
        "chan z = [0] of { byte }; active proctype P() { byte b; b = 1; z?b }"
        "active proctype Q() { byte i; atomic { i = 1; z!1 } }"
    ),
    "an escape that waits for a receiver": (
        "chan z = [0] of { byte }; active proctype P() { byte b; b = 1; z?b }"
        "active proctype Q() { byte i; { i = 1; i = 2 } unless { z!1 } }"
    ),
    "an else that waits for a receiver": (
        "chan z = [0] of { byte }; active proctype P() { byte b; b = 1; z?b }"
        "active proctype Q() { byte i; if :: z!1 :: else -> i = 2 fi }"
    ),
    "a promise not to choose, and a receiver": (
        "chan z = [0] of { byte }; active proctype P() { byte b; b = 1; z?b }"
        "active D_proctype Q() { byte i; if :: z!1 :: i = 2 fi }"
    ),
    "an escape that waits for a process": (
        "chan z = [0] of { byte }; proctype R() { byte b; z?b } active proctype P() { byte b; b = 1; run R() }"
        "active proctype Q() { byte i; { i = 1; i = 2 } unless { z!1 } }"
    ),
    "a variable that another process reads": (
        "byte x; active proctype A() { byte i, j; j = 1; i = 1; i = 2 }"
        "active proctype B() { byte k; k = 1; x = A:i; assert(A:i != 1) }"
    ),
    "a label that another process waits for": (
        "byte x; active proctype A() { byte i; i = 1; L: i = 2; i = 3 } active proctype B() { byte k; A@L; k = 1 }"
        "active proctype C() { byte k; k = 1; k = 2 }"
    ),
    "a meeting that another process sees": (
        "chan z = [0] of { byte }; byte x; active proctype A() { byte i; i = 1; z!i }"
        "active proctype B() { byte b; z?b; L: b = 2 } active proctype C() { byte k; k = 1; x = B@L }"
    ),
    "a clause that another process changes": (
        "byte x; active proctype A() provided (x == 0) { byte i; i = 1; i = 2 }"
        "active proctype B() { byte k; k = 1; x = 1 }"
    ),
    "a clause before the end": (
        "byte x; active proctype B() { byte k; k = 1; x = 1 } active proctype A() provided (x == 0) { skip }"
    ),
    "a clause about a channel before the end": (
        "chan q = [1] of { byte }; active proctype B() { byte k; k = 1; q!1 }"
        "active proctype A() provided (len(q) == 0) { skip }"
    ),
    "a place that another process asks for": (
        "byte x; active proctype A() { byte i; i = 1; i = 2 }"
        "active proctype B() { byte k; k = 1; x = pc_value(0); k = 2 }"
    ),
    "a process that asks whether another can move": (
        "byte x; active proctype A() { byte i; i = 1; x == 1; i = 2 }"
        "active proctype B() { byte k; k = 1; enabled(0); k = 2; x = 1 }"
    ),
    "initial values": (
        "byte x; proctype C() { byte i = x; i = 2 } active proctype Q() { do :: x = 1 - x od } init { run C() }"
    ),
    "a trace of a channel in a variable": (
        "chan q = [2] of { byte }, r = [1] of { byte }, c; trace { do :: c!1; c!2 od }"
        "active proctype A() { byte i; i = 1; c = q; c = r } active proctype B() { byte j; j = 1; q!2; j = 2 }"
    ),
    "a partner that cannot go on": (
        "chan z = [0] of { byte }; byte x, y; active proctype T() { x = 1; y = 1; x = 2; y = x }"
        "active proctype R() { byte i; atomic { z?i; i == 5; i = 2 } } active proctype S() { z!1 }"
        "active proctype U() { y = 2; x = 0 }"
    ),
}
