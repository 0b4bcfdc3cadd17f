"""The acceptance sets that machine code writes are those of product/sequences.v: of a sequence, those of its edges."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from oracles.fair_runs import Edge, Graph, Proved
from oracles.planted import control, unnoticed
from oracles.promela.random_programs import program as random_program
from tests.engine import bare
from tests.engine.bare import Bare, row_of
from tests.program.reachable import program_of
from tests.proofs_needs import NEEDS_PROVERS

from everafter.engine.emit import chain, claims
from everafter.engine.emit.claims import ProductCode
from everafter.engine.emit.control_block import MOST_FAIR_PROCESSES, Sizes
from everafter.engine.emit.module import VIOLATION_ROW
from everafter.engine.emit.step_draft import Drafts
from everafter.engine.emit.writer import TRUE, Writer
from everafter.product.claim import AutomatonClaim, NeverClaim
from everafter.product.fairness import able_in, movers_of
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.program.layout import HOLDER
from everafter.questions.property import no_cycle_without_progress

MODELS = {
    "two who meet": """
        chan c = [0] of { bit }; byte x; active [2] proctype S() { do :: c!0 od }
        active proctype R() { bit b; do :: atomic { c?b; if :: x = 1 - x :: x = 0 fi } od }
    """,
    "a sequence handed over": """
        chan c = [0] of { bit }; byte x; active proctype P() { do :: atomic { x = 1; c!0; x = 2 } od }
        active proctype Q() { bit b; do :: atomic { c?b; x = 3; if :: x = 4 :: x == 3 -> x = 5 fi } od }
    """,
    "who is blocked": "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { x == 1; x == 2 }",
    "who waits in a sequence": """
        byte x; active proctype A() { do :: x = 1 - x od }
        active [2] proctype B() { do :: atomic { x == 1; x == 0 } od }
    """,
    "all stop": "byte x; active [2] proctype P() { x = 1; x = 2 }",
    "who is started, and ends": "byte x; active proctype P() { run Q(); x == 1 } proctype Q() { x = 1 }",
    "what goes wrong": "byte x, a[2]; active proctype P() { do :: a[x] = 0; x++ od } active proctype Q() { x == 9 }",
    "a long sequence": """
        byte x, y; active proctype P() { do :: atomic { x = 0; do :: x < 60 -> x++ :: y = 1 - y; break od } od }
        active proctype Q() { y == 1 }
    """,
    **{f"seed {seed}": random_program(seed) for seed in range(5000, 5040)},
}
PROVED = Proved()
SETS = range(1, MOST_FAIR_PROCESSES + 1)
"""The acceptance sets of processes: that of a process comes behind it."""
T = TypeVar("T")
Met = tuple[T, frozenset[int]]
"""What an edge leads to, and the sets of processes that it is in; or what several do, one after the other."""


@dataclass
class Numbered:
    """The product, step by step, as the graph of which the proof speaks."""

    product: Product
    states: list[ProductState] = field(default_factory=list)
    numbers: dict[ProductState, int] = field(default_factory=dict)

    def number(self, state: ProductState) -> int:
        if state not in self.numbers:
            self.numbers[state] = len(self.states)
            self.states.append(state)
        return self.numbers[state]

    def edges(self, source: int) -> list[Edge]:
        steps = self.product.edges(self.states[source])
        return [Edge(source, self.number(target), movers_of(step)) for target, step in steps]

    def graph(self) -> Graph:
        return Graph(
            self.edges,
            lambda number: able_in(self.product, self.states[number]),
            lambda number: self.product.is_accepting(self.states[number]),
        )


def followed(start: T, steps: Callable[[T], Iterable[Met[T]]], is_inside: Callable[[T], bool]) -> set[Met[T]]:
    """Where the sequences end that begin here, with the sets of all their edges."""
    pending: list[Met[T]] = [(start, frozenset())]
    seen = set(pending)
    found: set[Met[T]] = set()
    while pending:
        here, before = pending.pop()
        for target, sets in steps(here):
            met = target, before | sets
            if not is_inside(target):
                found.add(met)
            elif met not in seen:
                seen.add(met)
                pending.append(met)
    return found


def proved_steps(graph: Graph, source: int) -> Iterator[Met[int]]:
    for edge in graph.edges(source):
        yield edge.target, frozenset(each for each in SETS if PROVED.is_in_set(graph, each, edge))


def written_steps(code: Bare, row: bytes) -> Iterator[Met[bytes]]:
    for target, word in code.marked(row):
        yield target, frozenset(each for each in SETS if word >> each & 1)


def differences(text: str, most: int = 150) -> list[str]:
    """The states outside of sequences, among the first so many, from which code and proof follow other edges."""
    program = program_of(text)
    claim = no_cycle_without_progress(program).claim
    assert isinstance(claim, AutomatonClaim | NeverClaim)
    product, code = Product(program, claim), Bare(program, ProductCode(claim, fair=True))
    numbered = Numbered(product, [*product.initial()])
    graph, states = numbered.graph(), numbered.states
    numbered.numbers = {states[0]: 0}
    pending, seen = deque([0]), {0}
    wrong = []
    while pending and len(seen) < most:
        source = pending.popleft()
        proved = followed(source, lambda number: proved_steps(graph, number), lambda number: graph.able(number) is None)
        found = followed(row_of(states[source]), lambda row: written_steps(code, row), is_held)
        expected = {(row_of_any(states[number]), sets) for number, sets in proved}
        if VIOLATION_ROW in {row for row, _ in expected}:  # no cycle goes on from there
            found, expected = {(row, frozenset()) for row, _ in found}, {(VIOLATION_ROW, frozenset())}
        if found != expected:
            wrong.append(f"{states[source]}: {found ^ expected}")
        new = {number for number, _ in proved if states[number] != VIOLATION} - seen
        seen |= new
        pending.extend(sorted(new))
    return wrong


def row_of_any(state: ProductState) -> bytes:
    return VIOLATION_ROW if state == VIOLATION else row_of(state)


def is_held(row: bytes) -> bool:
    return bool(row[HOLDER]) and row != VIOLATION_ROW


@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS.keys())
def test_sets_are_those_of_the_proof(text: str) -> None:
    assert differences(text) == []


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sequences of some rows be too long to be followed to their end."""
    monkeypatch.setattr(bare, "SIZES", Sizes(chain=1 << 11, walked=1 << 3))


@pytest.mark.usefixtures("little_room")
@pytest.mark.parametrize("text", MODELS.values(), ids=MODELS.keys())
def test_sets_are_those_of_the_proof_where_sequences_are_left(text: str) -> None:
    assert differences(text) == []


@pytest.mark.usefixtures("little_room")
def test_a_sequence_is_left() -> None:
    program = program_of(MODELS["a long sequence"])
    claim = no_cycle_without_progress(program).claim
    assert isinstance(claim, AutomatonClaim | NeverClaim)
    code = Bare(program, ProductCode(claim, fair=True))
    assert any(is_held(row) for row, _ in code.marked(code.initial()))


def only_movers(w: Writer, facts: Any, rows: str, _unable: str) -> None:
    FAIR_SETS(w, facts, rows, "0")


def of_the_next_process(w: Writer, facts: Any, rows: str, unable: str) -> None:
    FAIR_SETS(w, facts, rows, w.get(f"shl i64 {unable}, 1"))


FAIR_SETS = claims._fair_sets
PLANTED = {
    "who cannot move is forgotten": ("who is blocked", claims, "_fair_sets", only_movers),
    "the set of another": ("who is blocked", claims, "_fair_sets", of_the_next_process),
    "who moves is not noted": ("two who meet", Drafts, "_note_movers", lambda *_: None),
    "rows with other movers are the same": ("two who meet", chain, "_same_movers", lambda *_: TRUE),
}


@pytest.mark.parametrize(("model", "where", "what", "mistake"), PLANTED.values(), ids=PLANTED.keys())
def test_a_mistake_is_found(
    monkeypatch: pytest.MonkeyPatch, model: str, where: object, what: str, mistake: object
) -> None:
    monkeypatch.setattr(chain, "_HASH", chain._HASH.replace("xor i64 %movers,", "xor i64 0,"))
    assert differences(MODELS[model]) == []
    monkeypatch.setattr(where, what, mistake)
    assert differences(MODELS[model])


@NEEDS_PROVERS
def test_a_mistake_of_the_proved_sets_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = ("middle of a sequence taken for unable", "set of the next process")

    def compare(names: dict[str, Any]) -> None:
        monkeypatch.setattr(sys.modules[__name__], "PROVED", Proved(names))
        for model in ("who is blocked", "who waits in a sequence", "two who meet"):
            assert differences(MODELS[model]) == []

    planted = {name: control("product/sets.v", name) for name in refused}
    assert unnoticed({"fair_runs": planted}, {"fair_runs": compare}) == []
