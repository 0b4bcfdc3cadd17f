"""What each rule of the language means, as small models with the outcome and the number of states that SPIN gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["holds", "assertion", "end-state", "runtime"]


@dataclass(frozen=True, slots=True)
class Case:
    """A model, what is wrong with it, and how many states it has; None where SPIN stops or goes on past all sense.

    `asked`: whether SPIN can be asked. With all its optimisations off it does not check `xr` and `xs`; and it takes the
    priority of a process that does not exist back wrongly (docs/differences-from-spin.md).
    """

    text: str
    outcome: Outcome
    states: int | None
    asked: bool = True


TYPES = {
    "a byte wraps at 256": Case(
        "byte x; active proctype P() { x = 300; assert(x == 44); x = -1; assert(x == 255) }", "holds", 6
    ),
    "a short wraps": Case(
        "short x; active proctype P() { x = 40000; assert(x == -25536); x = 32767; x++; assert(x == -32768) }",
        "holds",
        7,
    ),
    "an int wraps": Case(
        "int x = 2147483647; active proctype P() { x++; assert(x < 0); x = x - 1; assert(x == 2147483647) }", "holds", 6
    ),
    "a bit keeps one bit": Case(
        "bit x; bool y; active proctype P() { x = 2; assert(x == 0); x = 3; assert(x == 1); y = 5; assert(y == 1) }",
        "holds",
        8,
    ),
    "an unsigned keeps its bits": Case(
        "unsigned x : 3; active proctype P() { x = 9; assert(x == 1); x = -1; assert(x == 7) }", "holds", 6
    ),
    "elements of a bit array are not cut": Case(
        "bit x[2]; active proctype P() { x[0] = 2; assert(x[0] == 2) }", "holds", 4
    ),
    "a bit that is the only field of a message is not cut": Case(
        "chan q = [1] of { bit }; byte x; active proctype P() { q!2; q?x; assert(x == 2) }", "holds", 5
    ),
    "a byte field is cut": Case(
        "chan q = [1] of { byte }; int x; active proctype P() { q!300; q?x; assert(x == 44) }", "holds", 5
    ),
    "arguments of run are cut": Case(
        "int y; proctype Q(byte x) { y = x; assert(y == 44) } init { run Q(300) }", "holds", 6
    ),
    "division and remainder of negatives": Case(
        "int x; active proctype P() { x = -7 / 2; assert(x == -3); x = -7 % 3; assert(x == -1); x "
        "= 7 % -3; assert(x == 1) }",
        "holds",
        8,
    ),
    "shifts of negatives": Case(
        "int x = -8; active proctype P() { x = x >> 1; assert(x == -4); x = x << 2; assert(x == -16) }", "holds", 6
    ),
    "division by zero": Case("byte x; active proctype P() { x = 3 / x }", "runtime", None),
    "remainder by zero": Case("byte x; active proctype P() { x = 3 % x }", "runtime", None),
    "mtype names count backwards": Case(
        "mtype = { a, b, c }; active proctype P() { assert(a == 3 && b == 2 && c == 1) }", "holds", 3
    ),
    "later mtype names count on": Case(
        "mtype = { a, b }; mtype = { c, d }; active proctype P() { assert(a == 2 && b == 1 && c == 4 && d == 3) }",
        "holds",
        3,
    ),
    "an mtype is 0 before it is set": Case(
        "mtype = { a, b }; mtype m; active proctype P() { assert(m == 0); m = a; assert(m == 2) }", "holds", 5
    ),
    "mtype subtypes count by themselves": Case(
        "mtype:f = { a, b }; mtype:g = { c, d }; active proctype P() { assert(a == 2 && c == 2 && d == 1) }", "holds", 3
    ),
    "structures with arrays": Case(
        "typedef T { byte a; byte b[2] }; T t[2]; active proctype P() { t[1].b[1] = 3; t[0].a = "
        "t[1].b[1]; assert(t[0].a == 3 && t[1].b[0] == 0) }",
        "holds",
        5,
    ),
    "a scalar fills an array": Case(
        "byte a[3] = 4; active proctype P() { assert(a[0] == 4 && a[2] == 4) }", "holds", 3
    ),
    "a list fills an array": Case(
        "byte a[3] = { 1, 2, 3 }; active proctype P() { assert(a[0] == 1 && a[2] == 3) }", "holds", 3
    ),
    "a short list goes on with its last value": Case(
        "byte a[4] = { 1, 2 }; active proctype P() { assert(a[1] == 2 && a[2] == 2 && a[3] == 2) }", "holds", 3
    ),
    "an index below the array": Case("byte a[2]; int i = -1; active proctype P() { a[i] = 1 }", "runtime", None),
    "an index above the array": Case("byte a[2]; byte i = 2, x; active proctype P() { x = a[i] }", "runtime", None),
    "an initial value is given at its declaration's place": Case(
        " active proctype P() { byte x; x = 3; byte y = x; assert(y == 3) }", "holds", 5
    ),
    "a declaration in a loop gives its value again": Case(
        "byte n; active proctype P() { do :: n < 3 -> byte y = 5; assert(y == 5); y = n; n++ :: else -> break od }",
        "holds",
        18,
    ),
    "a declaration without a value in a loop gives 0": Case(
        "byte n; active proctype P() { do :: n < 3 -> byte y; assert(y == 0); y = 7; n++ :: else -> break od }",
        "holds",
        18,
    ),
    "locals before the first statement are there at the start": Case(
        " active proctype P() { byte x = 2; byte y = 3; assert(x + y == 5) }", "holds", 3
    ),
    "sibling blocks may reuse a name": Case(
        "byte g; active proctype P() { { byte i = 1; g = i }; { byte i = 2; g = i }; assert(g == 2) }", "holds", 7
    ),
    "a hidden variable that nobody reads tells no states apart": Case(
        "hidden byte h; byte x; active proctype P() { do :: x < 3 -> x++; h = x :: x > 0 -> x--; h = 0 od }",
        "holds",
        16,
    ),
    "writing to _ does nothing": Case("byte x; active proctype P() { _ = 5; x = 1 }", "holds", 4),
    "the initial value of a structure is passed over, those of its fields are not": Case(
        "typedef T { byte a = 3; byte b }; T t = 5; T u[2] = { 1, 2 }; "
        "active proctype P() { T l = 7; assert(t.a == 3 && t.b == 0 && u[1].a == 3 && l.a == 3 && l.b == 0) }",
        "holds",
        3,
    ),
}

CHANNELS = {
    "a buffered channel is first in, first out": Case(
        "chan q = [3] of { byte }; byte x; active proctype P() { q!1; q!2; q!3; q?x; assert(x == "
        "1); q?x; assert(x == 2) }",
        "holds",
        9,
    ),
    "a full channel blocks": Case("chan q = [1] of { byte }; active proctype P() { q!1; q!2 }", "end-state", 2),
    "an empty channel blocks": Case("chan q = [1] of { byte }; byte x; active proctype P() { q?x }", "end-state", 1),
    "sorted send": Case(
        "chan q = [4] of { byte }; byte x; active proctype P() { q!!3; q!!1; q!!2; q?x; assert(x "
        "== 1); q?x; assert(x == 2); q?x; assert(x == 3) }",
        "holds",
        11,
    ),
    "sorted send compares all fields": Case(
        "chan q = [4] of { byte, byte }; byte x, y; active proctype P() { q!!2,1; q!!1,2; q!!1,1; "
        "q?x,y; assert(x == 1 && y == 1); q?x,y; assert(x == 1 && y == 2) }",
        "holds",
        9,
    ),
    "random receive takes the first that fits": Case(
        "chan q = [4] of { byte, byte }; byte y; active proctype P() { q!1,5; q!2,6; q!2,7; "
        "q??2,y; assert(y == 6 && len(q) == 2); q?1,y; assert(y == 5) }",
        "holds",
        9,
    ),
    "random receive waits for one that fits": Case(
        "chan q = [4] of { byte }; active proctype P() { q!1; q??2 }", "end-state", 2
    ),
    "a receive looks at the head only": Case(
        "chan q = [4] of { byte }; active proctype P() { q!1; q!2; q?2 }", "end-state", 3
    ),
    "copying keeps the message": Case(
        "chan q = [2] of { byte }; byte x; active proctype P() { q!4; q?<x>; assert(x == 4 && "
        "len(q) == 1); q?x; assert(len(q) == 0) }",
        "holds",
        7,
    ),
    "random copying": Case(
        "chan q = [3] of { byte, byte }; byte y; active proctype P() { q!1,5; q!2,6; q??<2,y>; "
        "assert(y == 6 && len(q) == 2) }",
        "holds",
        6,
    ),
    "polls ask without taking": Case(
        "chan q = [2] of { byte }; active proctype P() { assert(!(q?[1])); q!1; assert(q?[1] && "
        "!(q?[2]) && len(q) == 1) }",
        "holds",
        5,
    ),
    "random polls": Case(
        "chan q = [3] of { byte }; active proctype P() { q!1; q!2; assert(q??[2] && !(q?[2]) && !(q??[3])) }",
        "holds",
        5,
    ),
    "eval matches a value": Case(
        "chan q = [2] of { byte }; byte x = 3; active proctype P() { q!3; q?eval(x); q!4; q?eval(x) }", "end-state", 4
    ),
    "_ takes any value": Case(
        "chan q = [2] of { byte, byte }; byte x; active proctype P() { q!3,4; q?_,x; assert(x == 4) }", "holds", 5
    ),
    "the first field before parentheses": Case(
        "mtype = { m }; chan q = [2] of { mtype, byte, byte }; byte x, y; active proctype P() { "
        "q!m(1,2); q?m(x,y); assert(x == 1 && y == 2) }",
        "holds",
        5,
    ),
    "a rendezvous is one step of two": Case(
        "chan z = [0] of { byte }; byte x; active proctype P() { z!3 } active proctype Q() { z?x; assert(x == 3) }",
        "holds",
        5,
    ),
    "a rendezvous needs a partner": Case("chan z = [0] of { byte }; active proctype P() { z!3 }", "end-state", 1),
    "a rendezvous matches constants": Case(
        "chan z = [0] of { byte }; byte x; active proctype P() { z!3 } active proctype Q() { if "
        ":: z?2 -> x = 2 :: z?3 -> x = 3 fi; assert(x == 3) }",
        "holds",
        6,
    ),
    "two receivers may answer": Case(
        "chan z = [0] of { byte }; byte n; active [2] proctype Q() { byte x; if :: z?x -> n++ :: "
        "timeout fi } active proctype P() { z!1 }",
        "holds",
        14,
    ),
    "a poll of a rendezvous is never true": Case(
        "chan z = [0] of { byte }; active proctype P() { z!3 } active proctype Q() { if :: z?[3] "
        "-> assert(false) :: z?3 fi }",
        "runtime",
        4,
    ),
    "a rendezvous channel is never full": Case(
        "chan z = [0] of { byte }; active proctype P() { assert(nfull(z)); full(z) }", "end-state", 2
    ),
    "empty and full": Case(
        "chan q = [1] of { byte }; active proctype P() { assert(empty(q)); assert(nfull(q)); q!1; "
        "assert(nempty(q)); assert(full(q)); assert(len(q) == 1) }",
        "holds",
        8,
    ),
    "channels as values": Case(
        "chan q = [1] of { byte }; chan c; byte x; active proctype P() { c = q; c!5; q?x; assert(x == 5) }", "holds", 6
    ),
    "channels in messages": Case(
        "chan q = [1] of { chan }; chan r = [1] of { byte }; byte x; active proctype P() { chan "
        "c; q!r; q?c; c!2; r?x; assert(x == 2) }",
        "holds",
        7,
    ),
    "channels as arguments": Case(
        "chan q = [1] of { byte }; byte x; proctype Q(chan c) { c!4 } init { run Q(q); q?x; assert(x == 4) }",
        "holds",
        9,
    ),
    "arrays of channels": Case(
        "chan q[2] = [1] of { byte }; byte x; active proctype P() { q[1]!7; assert(len(q[0]) == "
        "0); q[1]?x; assert(x == 7) }",
        "holds",
        6,
    ),
    "channels in structures": Case(
        "typedef T { chan q = [1] of { byte } }; T t[2]; byte x; active proctype P() { t[0].q!1; "
        "t[1].q!2; t[1].q?x; assert(x == 2) }",
        "holds",
        6,
    ),
    "a channel that another name is received for": Case(
        "chan q = [1] of { chan }; chan c = [1] of { byte }; chan d = [1] of { byte }; byte x; "
        "active proctype P() { q!d; q?c; c!5; d?x; assert(x == 5 && len(c) == 0) }",
        "holds",
        7,
    ),
    "a channel that another is assigned to": Case(
        "chan c = [1] of { byte }; chan d = [1] of { byte }; byte x; "
        "active proctype P() { c = d; c!5; d?x; assert(x == 5 && len(c) == 0) }",
        "holds",
        6,
    ),
    "a channel that was never created": Case(
        "chan c; chan d = [1] of { byte }; active proctype P() { d!0; c!1 }", "runtime", 2
    ),
    "a channel dies with its process": Case(
        "chan c; byte x; proctype Q() { chan l = [1] of { byte }; c = l; x = 1 } init { run Q(); "
        "x == 1; _nr_pr == 1; c?x }",
        "end-state",
        8,
    ),
    "too few fields in a message": Case("chan q = [1] of { byte, byte }; active proctype P() { q!1 }", "runtime", 3),
    "too few fields in a receive": Case(
        "chan q = [1] of { byte, byte }; byte x; active proctype P() { q!1,2; q?x }", "runtime", 4
    ),
    "structures as messages": Case(
        "typedef T { byte a; byte b }; chan q = [1] of { T }; T t, u; active proctype P() { t.a = "
        "1; t.b = 2; q!t; q?u; assert(u.b == 2) }",
        "holds",
        7,
    ),
    "xs is checked": Case(
        "chan q = [2] of { byte }; active proctype P() { xs q; q!1 } active proctype Q() { q!2 }",
        "runtime",
        10,
        asked=False,
    ),
    "xr is checked": Case(
        "chan q = [2] of { byte }; byte x, y; active proctype P() { xr q; q?x } active proctype Q() { q!1; q!2; q?y }",
        "runtime",
        13,
        asked=False,
    ),
}

PROCESSES = {
    "active processes are numbered in order": Case(
        "byte x; active [2] proctype P() { x = x + _pid } active proctype Q() { assert(_pid == 2) }", "holds", 15
    ),
    "run gives the next number": Case(
        "byte x; proctype Q() { skip } init { x = run Q(); assert(x == 1); x = run Q(); assert(x == 2 || x == 1) }",
        "holds",
        29,
    ),
    "the end of a process is a step": Case("active proctype P() { skip } active proctype Q() { skip }", "holds", 7),
    "only the youngest process ends": Case(
        "active proctype P() { skip } active proctype Q() { _nr_pr == 1 }", "end-state", 2
    ),
    "a process that cannot end yet still counts": Case(
        "byte x; active proctype P() { x = 1 } active proctype Q() { x == 1; assert(_nr_pr == 2) }", "holds", 6
    ),
    "parameters of active processes are 0": Case("active proctype P(byte x) { assert(x == 0) }", "holds", 3),
    "provided": Case(
        "byte turn; active proctype P() provided (turn == 0) { turn = 1; assert(turn == 0) } "
        "active proctype Q() provided (turn == 1) { turn = 0 }",
        "holds",
        4,
    ),
    "provided can forbid the end of a process": Case(
        "byte x; active proctype P() provided (x == 0) { x = 1 }", "holds", 2
    ),
    "the highest priority moves": Case(
        "byte x; active proctype P() priority 1 { x = 1 } active proctype Q() priority 5 { x = 2; "
        "x = 3; assert(x == 3) }",
        "holds",
        7,
    ),
    "a blocked process of high priority lets others move": Case(
        "byte x; active proctype P() { x = 1 } active proctype Q() priority 5 { x == 1; x = 2; assert(x == 2) }",
        "holds",
        7,
    ),
    "set_priority and get_priority": Case(
        "byte x; active proctype P() { assert(get_priority(_pid) == 1); set_priority(_pid, 3); "
        "assert(get_priority(_pid) == 3); x = 1 } active proctype Q() { x = 2 }",
        "holds",
        19,
    ),
    "_last": Case(
        "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { _last == 0; x = 3 }", "holds", 22
    ),
    "enabled": Case(
        "byte x; active proctype P() { x == 1 } active proctype Q() { assert(!enabled(0)); x = 1; "
        "assert(enabled(0) || _nr_pr < 2) }",
        "assertion",
        9,
    ),
    "pc_value": Case(
        "byte x; active proctype P() { x = 1; x == 5 } active proctype Q() { assert(pc_value(0) "
        "== 1 || pc_value(0) == 2) }",
        "end-state",
        6,
    ),
    "remote labels": Case(
        "byte x; active proctype P() { x = 1; Here: x = 2; x = 3 } active proctype Q() { P@Here "
        "-> assert(x == 1 || x == 2 || x == 3) }",
        "end-state",
        14,
    ),
    "remote labels with a number": Case(
        "byte x; active [2] proctype P() { Here: x = 1; x = 2 } active proctype Q() { P[0]@Here "
        "&& !P[1]@Here -> x = 9 }",
        "end-state",
        51,
    ),
    "remote variables": Case(
        "active proctype P() { byte v; v = 3; v = 4 } active proctype Q() { byte w; P:v == 4; w = "
        "P[0]:v; assert(w == 4) }",
        "holds",
        8,
    ),
    "a D_proctype with a choice": Case("byte x; active D_proctype P() { if :: x = 1 :: x = 2 fi }", "runtime", 5),
    "a D_proctype without a choice": Case(
        "byte x; active D_proctype P() { if :: x == 0 -> x = 1 :: x == 1 -> x = 2 fi }", "holds", 4
    ),
    "too many processes": Case("proctype Q() { run Q(); 0 } init { run Q() }", "runtime", None),
    "two inits are two processes": Case("byte x; init { x = 1 } init { x = 2; assert(_pid == 1) }", "holds", 13),
    "another's priority": Case(
        "byte x; active proctype A() priority 5 { x == 2; set_priority(1, 9); x = 1 } "
        "active proctype B() priority 2 { x = 2; x = 3; set_priority(0, 1); x = 4 }",
        "holds",
        10,
    ),
    "the priority of nobody": Case(
        "byte x; active proctype A() { set_priority(7, 3); x = 1; x = get_priority(7) } "
        "active proctype B() { x = 2; x = 3 }",
        "holds",
        24,
        asked=False,
    ),
    "the priority of one who has ended": Case(
        "byte x; active proctype A() { set_priority(1, 3); x = 1; set_priority(1, 1); x = 4 } "
        "active proctype B() { x = 2; x = 3 }",
        "holds",
        12,
        asked=False,
    ),
    "a process at a choice with an else is enabled": Case(
        "byte x; active proctype A() { enabled(1) -> x = 2 } active proctype B() { if :: x == 5 :: else -> x = 3 fi }",
        "end-state",
        None,
    ),
    "nobody is not enabled": Case(
        "byte x; active proctype A() { if :: enabled(7) -> x = 1 :: else -> x = 2 fi } active proctype B() { x = 5 }",
        "holds",
        13,
    ),
    "a d_step answers a rendezvous": Case(
        "chan z = [0] of { byte }; byte x, y; active proctype A() { atomic { z!1; y = 1 } } "
        "active proctype B() { d_step { z?x; x = x + 5 } assert(x == 6) }",
        "holds",
        None,
    ),
    "a d_step may answer a rendezvous or not": Case(
        "chan z = [0] of { byte }; byte x, y; active proctype A() { z!1; y = 1 } "
        "active proctype B() { d_step { if :: z?x :: y == 1 -> x = 3 fi; x = x + 5 } }",
        "holds",
        6,
    ),
    "else beside a d_step with an else": Case(
        "byte x, y; active proctype A() { "
        "if :: d_step { x == 1; if :: y == 1 :: else -> y = 2 fi } :: else -> x = 3 fi } "
        "active proctype B() { x = 1; y = 2 }",
        "holds",
        18,
    ),
    "else within else in a d_step": Case(
        "byte x, y; active proctype A() { "
        "d_step { if :: x == 1 -> y = 1 :: else -> if :: y == 2 :: else -> y = 3 fi fi; x = 2 } } "
        "active proctype B() { x = 1; y = 2 }",
        "holds",
        16,
    ),
}

CONTROL = {
    "atomic is not interrupted": Case(
        "byte x; active [2] proctype P() { atomic { x++; assert(x == 1); x-- } }", "holds", 7
    ),
    "without atomic it is": Case("byte x; active [2] proctype P() { x++; assert(x == 1); x-- }", "assertion", 21),
    "atomic is lost where it blocks": Case(
        "byte x, y; active proctype P() { atomic { x = 1; y == 1; assert(x == 2) } } active "
        "proctype Q() { x == 1; x = 2; y = 1 }",
        "holds",
        9,
    ),
    "atomicity comes back": Case(
        "byte x, y; active [2] proctype P() { atomic { x++; y == 1; x--; assert(x < 2) } } active "
        "proctype Q() { y = 1 }",
        "holds",
        26,
    ),
    "a rendezvous hands atomicity on": Case(
        "chan z = [0] of { byte }; byte x; active proctype P() { atomic { z!1; x = 1 } } active "
        "proctype Q() { atomic { z?1; assert(x == 0); x = 2; x = 3 } }",
        "holds",
        6,
    ),
    "a rendezvous out of an atomic ends it if the receiver has none": Case(
        "chan z = [0] of { byte }; byte x; active proctype P() { atomic { z!1; x++ } } active "
        "proctype Q() { z?1; x++; x++ }",
        "holds",
        10,
    ),
    "d_step is one step": Case("byte x; active [2] proctype P() { d_step { x++; x++; x-- } }", "holds", 7),
    "the first statement of a d_step may block": Case(
        "byte x; active proctype P() { d_step { x == 1; x = 2 } } active proctype Q() { x = 1 }", "holds", 6
    ),
    "a later statement of a d_step must not block": Case(
        "byte x; active proctype P() { d_step { x = 1; x == 2 } }", "runtime", None
    ),
    "a choice in a d_step takes the first option": Case(
        "byte x; active proctype P() { d_step { if :: x = 1 :: x = 2 fi }; assert(x == 1) }", "holds", 4
    ),
    "a choice in a d_step that finds none": Case(
        "byte x; active proctype P() { d_step { x = 1; if :: x == 2 :: x == 3 fi } }", "runtime", None
    ),
    "a loop in a d_step": Case(
        "byte x; active proctype P() { d_step { do :: x < 9 -> x++ :: else -> break od }; assert(x == 9) }", "holds", 4
    ),
    "if takes any option that can be taken": Case(
        "byte x; active proctype P() { if :: x = 1 :: x = 2 :: x == 1 -> x = 3 fi; assert(x < 3) }", "holds", 7
    ),
    "if blocks when none can be": Case("byte x; active proctype P() { if :: x == 1 :: x == 2 fi }", "end-state", 1),
    "else when nothing else": Case(
        "byte x; active proctype P() { if :: x == 1 -> assert(false) :: else -> x = 2 fi; assert(x == 2) }", "holds", 5
    ),
    "else only when nothing else": Case(
        "byte x; active proctype P() { if :: else -> assert(false) :: x == 0 -> x = 2 fi }", "holds", 4
    ),
    "do repeats until break": Case(
        "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od; assert(x == 3) }", "holds", 10
    ),
    "goto": Case(
        "byte x; active proctype P() { L: x++; if :: x < 3 -> goto L :: else fi; assert(x == 3) }", "holds", 9
    ),
    "an escape ends the main part": Case(
        "byte x, y; active proctype P() { { x = 1; x = 2; x = 3 } unless { y == 1 -> x = 9 } } "
        "active proctype Q() { y = 1 }",
        "holds",
        22,
    ),
    "an escape goes before the main part": Case(
        "byte x = 1, y; active proctype P() { { y = 1; y = 2 } unless { x == 1 -> skip }; assert(y == 0) }", "holds", 5
    ),
    "an escape behind the last statement is too late": Case(
        "byte x, y; active proctype P() { { y = 1; x = 1 } unless { x == 1 -> assert(false) } }", "holds", 4
    ),
    "an escape interrupts an atomic": Case(
        "byte x, y; active proctype P() { { atomic { x = 1; x = 2; x = 3 } } unless { x == 2 -> y "
        "= 1 }; assert(x == 2) }",
        "holds",
        5,
    ),
    "inner escapes before outer ones": Case(
        "byte x; active proctype P() { { { x = 1; x = 2 } unless { x == 1 -> x = 5 } } unless { x "
        "== 1 -> x = 6 }; assert(x != 2) }",
        "holds",
        6,
    ),
    "timeout is true only when nothing else is possible": Case(
        "byte x; active proctype P() { timeout -> x = 2 } active proctype Q() { x = 1; x == 2; assert(x == 2) }",
        "holds",
        8,
    ),
    "timeout beside a step of its own": Case(
        "byte x; active proctype P() { if :: timeout -> assert(false) :: x = 1 fi }", "holds", 3
    ),
    "for": Case(
        "byte i, n; active proctype P() { for (i : 1 .. 3) { n = n + i }; assert(n == 6 && i == 4) }", "holds", 14
    ),
    "for over an array": Case(
        "byte i, a[3]; active proctype P() { for (i in a) { a[i] = i }; assert(a[2] == 2 && i == 3) }", "holds", 14
    ),
    "for over a channel": Case(
        "typedef T { byte a; byte b }; chan q = [3] of { T }; T t; byte n; active proctype P() { "
        "t.a = 1; q!t; t.a = 2; q!t; for (t in q) { n = n + t.a }; assert(n == 3 && len(q) == 2) "
        "}",
        "holds",
        19,
    ),
    "for with an empty range": Case(
        "byte i = 9, n, m = 1; active proctype P() { for (i : m .. 0) { n = 1 }; assert(n == 0 && i == 1) }", "holds", 5
    ),
    "select": Case("byte i; active proctype P() { select (i : 2 .. 4); assert(i >= 2 && i <= 4) }", "holds", 10),
    "select from variables": Case(
        "byte i, m = 3; active proctype P() { select (i : 1 .. m); assert(i >= 1 && i <= 3) }", "holds", 15
    ),
    "select from a long range": Case(
        "byte i; active proctype P() { select (i : 1 .. 50); assert(i <= 50) }", "holds", 250
    ),
    "an inline works on what it is given": Case(
        "byte x, y; inline set(v, e) { v = e; v++ } active proctype P() { set(x, 3); set(y, x); "
        "assert(x == 4 && y == 5) }",
        "holds",
        7,
    ),
    "an inline returns": Case(
        "byte x; inline twice(e) { return e * 2 } active proctype P() { x = twice(4); assert(x == 8) }", "holds", 4
    ),
    "a conditional expression": Case(
        "byte x = 3, y; active proctype P() { y = (x > 2 -> 10 : 20); assert(y == 10); y = (x > 3 "
        "-> 10 : 20); assert(y == 20) }",
        "holds",
        6,
    ),
    "&& and || stop early": Case(
        "byte x, a[2]; byte i = 5; active proctype P() { assert(!(i < 2 && a[i] == 0)); assert(i > 2 || a[i] == 0) }",
        "holds",
        4,
    ),
    "printf is a step": Case('byte x; active proctype P() { printf("%d\\n", x); printm(x); x = 1 }', "holds", 5),
    "macros": Case(
        "#define N 3\n#define INC(v) v = v + N\nbyte x; active proctype P() { INC(x); INC(x); assert(x == 2 * N) }",
        "holds",
        5,
    ),
    "long spellings of operators": Case(
        "int x = 12; active proctype P() { x = x <=< 2; x !!= 3 --> assert(x >=> 1 == 24) }", "holds", 5
    ),
}

PROPERTIES = {
    "a failing assertion": Case("byte x; active proctype P() { x = 1; assert(x == 2) }", "assertion", 4),
    "an end label makes stopping valid": Case(
        "chan q = [1] of { byte }; byte x; active proctype P() { end: q?x }", "holds", 1
    ),
    "an end label on an option": Case(
        "byte x; active proctype P() { do :: x < 2 -> x++ :: end_here: x == 7 od }", "holds", 5
    ),
    "stopping elsewhere is invalid": Case(
        "chan q = [1] of { byte }; byte x; active proctype P() { x = 1; q?x }", "end-state", 2
    ),
    "a trace that fits": Case(
        "chan q = [1] of { byte }; byte x; trace { do :: q!1; q?1 od } active proctype P() { q!1; q?x; q!1; q?x }",
        "holds",
        6,
    ),
    "a trace that does not fit": Case(
        "chan q = [1] of { byte }; byte x; trace { do :: q!1; q?1 od } active proctype P() { q!1; q?x; q!2 }",
        "runtime",
        5,
    ),
    "a trace speaks only of its channels": Case(
        "chan q = [1] of { byte }; chan r = [1] of { byte }; byte x; trace { do :: q!1; q?1 od } "
        "active proctype P() { r!5; q!1; r?x; q?x }",
        "holds",
        6,
    ),
    "a notrace that happens": Case(
        "chan q = [2] of { byte }; notrace { q!1; q!2 } active proctype P() { q!1; q!2 }", "runtime", 4
    ),
    "a notrace that does not happen": Case(
        "chan q = [2] of { byte }; notrace { q!1; q!2 } active proctype P() { q!1; q!1 }", "holds", 4
    ),
    "accept and progress labels are ignored by safety": Case(
        "byte x; active proctype P() { do :: accept: x = 1; progress: x = 0 od }", "holds", 2
    ),
}

CASES = TYPES | CHANNELS | PROCESSES | CONTROL | PROPERTIES
