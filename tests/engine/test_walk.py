"""Walks through atomic sequences in place lead where the reference says, and end."""

from __future__ import annotations

import pytest
from oracles.promela.random_programs import program as random_program
from tests.engine import bare
from tests.engine.bare import Bare
from tests.engine.test_emit import differences
from tests.engine.test_planted import answering
from tests.program.reachable import program_of

from everafter.engine.emit import process_code, sequence_walk
from everafter.engine.emit.control_block import Sizes
from everafter.engine.emit.writer import TRUE
from everafter.execution.packing import Packer
from everafter.execution.step import initial_state
from everafter.program.layout import HOLDER

WALKS = {
    "options of which one is possible": """
        byte x; active proctype P() { atomic { do :: x < 3 -> x++ :: x > 2 && x < 6 -> x = x + 2 :: x > 5 -> break od };
        x = 1 }
    """,
    "options of which sometimes two are possible": """
        byte x, y; active proctype P() { atomic { do :: x < 4 -> x++ :: x == 2 -> y++; x++ :: x == 4 -> break od } }
    """,
    "an option that goes wrong beside one that does not": """
        byte x, a[2];
        active proctype P() { do :: atomic { x = 1; if :: d_step { x = 9; a[x] = 1 } :: x == 1 -> x++ fi } od }
    """,
    "only an option that goes wrong in the middle": """
        byte x, a[2]; active proctype P() { do :: atomic { x = 1; d_step { x = 4; a[x] = 1 }; x = 2 } :: x = 0 od }
    """,
    "a condition that goes wrong": """
        byte x, a[2]; active proctype P() { do :: atomic { x = 5; if :: a[x] == 1 :: x = 1 :: else fi; x = 0 } od }
    """,
    "an escape in the middle": """
        byte x; active proctype P() { do :: { atomic { x = 1; x = 2; x = 3; x = 0 } } unless { x == 2; x = 5 } od }
    """,
    "processes that come and go": """
        byte x; proctype Q(byte n) { x = n }
        active proctype P() { do :: atomic { x = 0; run Q(1); x = 1; run Q(2); x = 2; _nr_pr == 1; x = 0 } od }
    """,
    "messages": """
        chan q = [2] of { byte }; byte x;
        active proctype P() { do :: atomic { q!1; q!2; q?x; q?x; x = 0 } od }
    """,
    "a send that stops the walk": """
        chan c = [0] of { byte }; byte x;
        active proctype P() { do :: atomic { x = 1; if :: c!1 :: x == 1 -> x = 2 fi; x = 0 } od }
        active proctype Q() { byte b; do :: atomic { c?b; b = 2; b = 0 } od }
    """,
    "the last that moved, and a promise of one step": """
        byte x; active [2] D_proctype P() { do :: atomic { x = 1; x = 2; x = _last; if :: x++ :: x == 1 fi; x = 0 } od }
    """,
    "a process that may not go on": """
        byte x; active proctype P() provided (x != 2) { do :: atomic { x = 1; x = 2; x = 3; x = 0 } od }
        active proctype Q() { do :: x == 2 -> x = 0 od }
    """,
}


@pytest.mark.parametrize("text", WALKS.values(), ids=WALKS.keys())
def test_a_walk_leads_where_the_reference_says(text: str) -> None:
    assert differences(program_of(text), 300) == []


@pytest.mark.parametrize("seed", range(7000, 7020))
def test_rests_change_nothing(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr(sequence_walk, "STEPS_BETWEEN_RESTS", 1)
    monkeypatch.setattr(bare, "SIZES", Sizes(walked=3))
    monkeypatch.setattr(sequence_walk, "_SEARCH_FOR_LANDMARK", 2)
    assert differences(program_of(random_program(seed)), 150) == []


APART = ("options of which sometimes two are possible", "an option that goes wrong beside one that does not")


@pytest.mark.parametrize("name", APART)
def test_a_row_that_others_need_is_not_changed(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(process_code, "is_one", answering(TRUE))
    assert differences(program_of(WALKS[name]), 300)


# Circles

SHORT_CIRCLE = "byte x; active proctype P() { if :: atomic { x = 1; do :: x = (x + 1) % 3 od } :: x = 5 fi }"
LONG_CIRCLE = "int x; active proctype P() { if :: atomic { x = 1; do :: x = (x + 1) % 7001 od } :: x = 5 fi }"


@pytest.mark.parametrize("text", [SHORT_CIRCLE, LONG_CIRCLE])
def test_a_walk_in_a_circle_ends(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(bare, "SIZES", Sizes(walked=1 << 14))
    assert differences(program_of(text), 300) == []


def inside(text: str) -> list[bytes]:
    """The successors of the initial state that are in the middle of a sequence."""
    program = program_of(text)
    return [row for row in Bare(program).coloured(Packer(program).pack(initial_state(program))) if row[HOLDER]]


def test_a_short_circle_is_noticed_and_a_long_one_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bare, "SIZES", Sizes(walked=1 << 14))
    assert inside(SHORT_CIRCLE) == []
    assert len(inside(LONG_CIRCLE)) == 1


def test_a_row_of_an_earlier_walk_is_no_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    """From all states the walks lead through the same rows."""
    text = """
        byte x; int i;
        active proctype P() {
            do :: atomic { x = 0; do :: i < 1000 -> i++ :: else -> break od; i = 0 } :: x = (x + 1) % 4 od
        }
    """
    assert differences(program_of(text), 300) == []
    monkeypatch.setattr(sequence_walk, "lift_mark", answering(None))
    assert differences(program_of(text), 300)
