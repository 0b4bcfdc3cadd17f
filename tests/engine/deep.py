"""Models whose code would go deep if it followed what it is asked: long atomic sequences, claims, `enabled`."""

from __future__ import annotations

LONG = {
    "an atomic sequence longer than its room": """
        int x; byte y;
        active proctype P() { atomic { do :: x < 5000 -> x++ :: x == 3000 -> y = 1 :: else -> break od }; y = 2 }
        active proctype Q() { y = 3; y == 4 }
    """,
    "long sequences that stop in the middle": """
        int x; byte y, z;
        active [2] proctype P() { int i; atomic { do :: i < 3000 -> i++ :: else -> break od; z++; y == 1; x = i } }
        active proctype Q() { y = 1 }
    """,
    "long sequences that stop everywhere": """
        int x; byte y;
        active proctype P() { atomic { do :: x < 3500 -> if :: x++ :: x++ -> y == 1; x++ fi :: else -> break od } }
        active proctype Q() { y = 2 }
    """,
    "a long sequence that goes wrong": """
        int x;
        active proctype P() { atomic { do :: x < 4000 -> x++; assert(x != 3900) :: else -> x = 1 / (x - 4000) od } }
    """,
    "a long sequence handed over": """
        chan c = [0] of { byte }; int x; byte y;
        active proctype P() { atomic { do :: x < 4000 -> x++ :: else -> break od; c!1; y = 1 } }
        active proctype Q() { byte v; int i; atomic { c?v; do :: i < 3000 -> i++ :: else -> break od; y == 2 } }
    """,
}
"""Some thousand rows each: too many, if the chain has little room."""

CLAIMED = {
    "never with atomic in atomic": """
        byte x, y; active proctype P() { do :: x = 1; y = 1 - y :: x = 2 :: x = 3 od }
        never { do :: atomic { x > 0; if :: x == 1 -> y == 1; accept: x < 2 :: x < 3; y == 0 :: else -> x == 3 fi }
        :: atomic { x == 2; if :: y == 0 :: y == 1 :: else fi; if :: x == 2 :: x > 1 fi; x > 0 } :: else od }
    """,
    "never with atomic that goes wrong": """
        byte x, a[2]; active proctype P() { do :: x < 3 -> x++ :: x = 0 od }
        never { do :: atomic { x > 0; a[x] == 0; assert(x < 2) } :: else od }
    """,
}

_CHAIN = """
    byte x;
    active [9] proctype A() { do :: enabled(_pid + 1) -> x = 1 - x od }
    active proctype B() { do :: x == 0 -> skip od }
"""
NESTED = {
    "as many asked as may be": _CHAIN,
    "enabled inside enabled": """
        byte x, y;
        active proctype A() { do :: enabled(1) -> x = 1 - x od }
        active proctype B() { do :: enabled(2) && y < 3 -> y++ :: y == 3 -> y = 0 od }
        active proctype C() { do :: x == 1 && enabled(3) -> x = 0 :: x == 0 && !enabled(3) -> y = 0 od }
        active proctype D() { do :: y > 1 -> y-- od }
    """,
    "enabled in a provided clause": """
        byte x;
        active proctype A() provided (enabled(1)) { do :: x < 2 -> x++ od }
        active proctype B() { do :: enabled(2) && x == 2 -> x = 0 :: x == 1 od }
        active proctype C() { do :: x != 1 -> x = 1 :: x > 5 -> x = 0 / (x - x) od }
    """,
    "enabled and priorities": """
        byte x;
        active proctype A() priority 3 { do :: enabled(1) && x < 2 -> x++ od }
        active proctype B() priority 2 { do :: enabled(2) -> set_priority(2, 4); x = 1 :: x > 3 -> x = 0 od }
        active proctype C() priority 1 { do :: x < 5 -> x++ od }
    """,
    "enabled inside enabled that goes wrong": """
        byte x, a[2];
        active proctype A() { do :: enabled(1) -> x++ od }
        active proctype B() { do :: enabled(2) -> x = 0 od }
        active proctype C() { do :: a[x] == 0 -> x++ od }
    """,
    "enabled in a claim": """
        byte x;
        active proctype A() { do :: enabled(1) -> x = 1 - x od }
        active proctype B() { do :: x == 0 -> skip od }
        ltl p { [] <> enabled(0) }
    """,
}

ENDLESS = {
    "a claim that never leaves atomic": """
        byte x; active proctype P() { do :: x = 1 :: x = 2 od }
        never { do :: atomic { x == 1; do :: x < 2 :: x == 7 -> break od } :: else od }
    """,
    "two that ask for each other": """
        byte x;
        active proctype A() { do :: enabled(1) -> x = 1 od }
        active proctype B() { do :: enabled(0) -> x = 2 od }
    """,
    "a claim that asks deeper than anybody": f"{_CHAIN} ltl p {{ [] <> enabled(0) }}",
}
"""The reference answers the last one; of the others it has no answer either, and recurses until Python stops it."""

DEEP = LONG | CLAIMED | NESTED | ENDLESS
