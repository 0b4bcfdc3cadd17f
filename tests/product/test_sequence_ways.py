"""Ways through atomic sequences: counted as machine code does (tests/hints), only by a search, and never for long."""

from __future__ import annotations

import pytest

from everafter.execution.step import initial_state, steps
from everafter.product import product, safety, sequence_ways
from everafter.product.safety import SafetyGraph
from everafter.product.sequence_ways import ways
from everafter.user_model import parse

WIDE = """int x; byte i;
active proctype P() { atomic { do :: i < 20 -> i++; x = 2 * x :: i < 20 -> i++; x = 2 * x + 1 :: i == 20 -> break od } }
"""


def test_of_a_million_choices_some_are_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequence_ways, "_MOST", 10)
    program = parse(WIDE).program
    assert ways(program, steps(program, initial_state(program))) <= 20


def test_a_sequence_that_goes_round_has_an_end() -> None:
    program = parse("byte x; active proctype P() { atomic { do :: x = 1 - x od } }").program
    assert ways(program, steps(program, initial_state(program))) == 1


def test_what_looks_for_a_way_to_a_violation_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def counting(*_: object) -> int:
        raise AssertionError("only a search counts")

    for module in (product, safety):
        monkeypatch.setattr(module, "ways", counting)
    program = parse(WIDE).program
    graph = SafetyGraph(program)
    assert all(graph.edges(each) is not None for each in graph.initial())
    model = parse("byte x; active proctype P() { do :: x++ :: x == 3 -> assert(false) od } ltl few { [] (x < 3) }")
    assert model.check().violated
    assert model.check("few").violated
