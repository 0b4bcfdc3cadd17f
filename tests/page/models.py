"""Small models that show one thing each on the page."""

TALKING = """
mtype = { ask, answer };
chan q = [2] of { mtype, byte };
chan r = [0] of { byte };
byte got;
active proctype Client() { byte x; q!ask(1); q!ask(2); r?x; got = x; assert(got != 5) }
active proctype Server() { byte n; q?ask(n); atomic { n = n + 1; n = n + 3; n = 5 }; r!n }
"""
"""Buffered messages, one of which is never received, a rendezvous, an atomic sequence, an assertion that fails."""

STUCK = """
chan q = [1] of { byte };
byte turn = 1;
active proctype Reader() { byte x; q?x; q?x }
active proctype Writer() { q!7; turn == 2 }
"""

CIRCLE = """
byte x;
active proctype P() { x = 1; do :: x = 2; x = 3 od }
ltl never_two { [] (x != 2) && <> (x == 9) }
ltl again { []<> (x == 1) }
"""

COUNTING = """
int x; byte y;
active proctype Up() { do :: x < %d -> x++ :: else -> break od; assert(false) }
active proctype Aside() { do :: x > 0 && x %% 3 == 0 && y == 0 -> y = 1 od }
"""
"""A run that is as long as wanted, but for a few steps."""
