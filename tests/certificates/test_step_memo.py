"""Steps that are remembered are those that the interpreter takes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from oracles.claims import formula, global_names
from oracles.promela.random_programs import program
from tests.execution.meaning import CASES

from everafter.certificates.reference import reads as read_set
from everafter.certificates.reference import step_memo
from everafter.certificates.reference.product_memo import RememberedGraph
from everafter.certificates.reference.reads import read_set_from
from everafter.execution.step import Step, steps_of
from everafter.product.product import Product
from everafter.product.safety import SafetyGraph
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.source import EverafterError
from everafter.stated_questions import questions
from everafter.user_model import Model, load, parse

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.pml"))


def row_of(state: bytes | tuple[bytes, int]) -> bytes:
    """A state as the row of a certificate."""
    if isinstance(state, bytes):
        return state
    packed, claim = state
    return packed[:6] + (claim & 0xFFFF).to_bytes(2, "little") + packed[8:] if packed else b""


def differences(graph: Product | SafetyGraph, most: int) -> int:
    """In how many of the first so many states something else is remembered than the interpreter says."""
    quick = RememberedGraph(graph)
    whole: Any = graph  # each graph has states of its own
    states = list(dict.fromkeys(whole.initial()))
    known = set(states)
    different = 0
    for state in states:
        targets = list(whole.successors(state))
        row = row_of(state)
        found = quick.successors(row) if row else None
        expected = sorted(int.from_bytes(row_of(target), "little") for target in targets)
        different += found is not None and sorted(found) != expected
        different += bool(row) and isinstance(graph, Product) and quick.is_accepting(row) != whole.is_accepting(state)
        fresh = [target for target in dict.fromkeys(targets) if target not in known][: most - len(states)]
        known.update(fresh)
        states += fresh
    return different


def graphs_of(model: Model, request: Request) -> Iterator[Product | SafetyGraph]:
    for asked in questions(model, request):
        question = asked.question(Question(model.program, SAFETY))
        claim = question.property.claim
        yield SafetyGraph(question.program) if claim is None else Product(question.program, claim)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    for graph in graphs_of(load(path), Request()):
        assert differences(graph, 600) == 0


@pytest.mark.parametrize("name", CASES)
def test_every_rule_of_the_language(name: str) -> None:
    for graph in graphs_of(parse(CASES[name].text), Request(safety=True, progress=True)):
        assert differences(graph, 200) == 0


def test_random_programs_with_formulas() -> None:
    looked_at = 0
    for seed in range(60):
        text = program(seed)
        try:
            model = parse(text)
        except EverafterError:
            continue
        names = global_names(text)
        formulas = (formula(random.Random(seed), names, 6),) if names else ()
        for graph in graphs_of(model, Request(safety=True, formulas=formulas)):
            assert differences(graph, 150) == 0, seed
            looked_at += 1
    assert looked_at > 60


MODEL = """
byte x, y; chan q = [1] of { byte };
active proctype P() { do :: x = 1 - x :: y == 1 -> q!x; y = 0 od }
active proctype Q() { byte v; do :: q?v; y = 1 :: y = 1 od }
"""


def test_most_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0

    def counted(*each: Any) -> Iterator[Step]:
        nonlocal asked
        asked += 1
        return steps_of(*each)

    monkeypatch.setattr(step_memo, "steps_of", counted)
    model = load(EXAMPLES[0].parent / "peterson_n.pml", {"N": 3})
    [graph] = graphs_of(model, Request(safety=True))
    assert differences(graph, 2000) == 0
    assert 0 < asked < 600  # three processes in each of 2,000 states


@pytest.mark.parametrize("missing", ["variables", "channels"])
def test_what_is_overlooked_makes_a_difference(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [graph] = graphs_of(parse(MODEL), Request(safety=True))
    assert differences(graph, 200) == 0

    def blind(*asked: object) -> read_set.Reads:
        seen = read_set_from(*asked)  # type: ignore[arg-type]
        return read_set.Reads(
            **{**{name: getattr(seen, name) for name in read_set.Reads.__slots__}, missing: frozenset()}
        )

    monkeypatch.setattr(step_memo, "read_set_from", blind)
    assert differences(graph, 200) > 0
