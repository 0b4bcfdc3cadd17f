"""Mistakes planted where machine code is written, and in the translation of formulas.

Code that is wrong when it decides, too, agrees with itself: the reference notices. An automaton that misses a violation
has no reason, whoever decides; `test_automata.py` has more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import confirmed, written
from tests.certificates.test_planted_searches import refused_by
from tests.engine.test_planted import answering

from everafter.certificates.file import CertificateError
from everafter.engine.emit import claims
from everafter.engine.emit.effects import Effects
from everafter.engine.emit.guards import Guards
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import FALSE, TRUE
from everafter.ltl import Automaton, to_buchi
from everafter.questions.request import Request
from everafter.user_model import parse

# Machine code

_ASSIGN, _TEST = Effects.assign, Guards.test


def assign_one_more(self: Effects, frame: Any, target: Any, value: str) -> None:
    _ASSIGN(self, frame, target, self.writer.add(value, 1))


def never_blocked(self: Guards, frame: Any, effect: Any, blocked: str) -> None:
    """Nobody waits; what follows is the label that a guard would jump to."""
    if type(effect).__name__ != "Test":
        _TEST(self, frame, effect, blocked)


CODE: dict[str, tuple[str, object, str, Callable[..., Any]]] = {
    "another value is assigned": ("byte x; active proctype P() { x = 1; x = 2 }", Effects, "assign", assign_one_more),
    "nothing is assigned": ("byte x; active proctype P() { x = 1; x = 2 }", Effects, "assign", answering(None)),
    "a guard is always true": (
        "byte x, y; active proctype P() { do :: x == 1 -> y = 1; x = 0 :: else -> y = 2; x = 1 od }",
        Values,
        "condition",
        answering(TRUE),
    ),
    "a guard is always false": (
        "byte x, y; active proctype P() { do :: x = 1 - x :: x == 1 -> y = 1 - y od }",
        Values,
        "condition",
        answering(FALSE),
    ),
    "nobody is blocked": (
        "byte x; active proctype P() { do :: x > 0 -> x = x - 1 :: else -> x = 2 od }",
        Guards,
        "test",
        never_blocked,
    ),
    "a message is not taken away": (
        "chan q = [2] of { byte }; active proctype P() { byte v; do :: q!1 :: q?v od }",
        Effects,
        "_remove",
        answering(None),
    ),
}


@pytest.mark.parametrize(("text", "where", "what", "mistake"), CODE.values(), ids=CODE)
def test_a_mistake_in_machine_code_is_noticed_by_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, where: object, what: str, mistake: Callable[..., Any]
) -> None:
    model = parse(text)
    request = Request(safety=True, ignore=("end-states",), reduction="none")
    assert written(model, request, tmp_path / "c") == ["holds"]
    assert refused_by(tmp_path / "c", model, request) == []
    monkeypatch.setattr(where, what, mistake)
    monkeypatch.setattr("everafter.check.follow_up", lambda _question, _outcome, result, *_: (result, False))
    assert written(model, request, tmp_path / "c") == ["holds"]
    assert refused_by(tmp_path / "c", model, request) == ["reference"]


def test_an_accepting_state_that_is_not_marked_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the reference, and by the code itself once it is mended."""
    model = parse("bool p; active proctype P() { do :: p = !p od } ltl settles { <> [] p }")
    with monkeypatch.context() as patch:
        patch.setattr(claims, "ACCEPTING", 0)
        patch.setattr("everafter.check.follow_up", lambda _question, _outcome, result, *_: (result, False))
        assert written(model, Request(formulas=["settles"], reduction="none"), tmp_path / "c") == ["holds"]
        assert refused_by(tmp_path / "c", model) == ["reference"]
    assert refused_by(tmp_path / "c", model) == ["native", "reference"]


# Translation


def without_an_edge(formula: Any) -> Automaton:
    """An edge into an accepting state is missing."""
    found = to_buchi(formula)
    source, missing = next(
        (source, edge)
        for source, edge in found.edges
        if edge.target in found.accepting_states and source not in found.accepting_states
    )
    edges = tuple(edge for edge in found.outgoing[source] if edge is not missing)
    outgoing = tuple(edges if state == source else found.outgoing[state] for state in found.states)
    return replace(found, outgoing=outgoing)


def without_acceptance(formula: Any) -> Automaton:
    """No state is accepting."""
    found = to_buchi(formula)
    return replace(found, outgoing=tuple(tuple(edge._replace(marks=0) for edge in row) for row in found.outgoing))


def begun_elsewhere(formula: Any) -> Automaton:
    """Another state is the first."""
    found = to_buchi(formula)
    return replace(found, initial=len(found.outgoing) - 1 - found.initial)


def of_another_formula(formula: Any) -> Automaton:
    """What is said to be forbidden is what is wanted."""
    return to_buchi(formula.operand)


TRANSLATION = {
    "an edge is removed": ("[] (p -> <> !p)", without_an_edge),
    "no state is accepting": ("[] <> !p", without_acceptance),
    "it begins in another state": ("[] (p -> <> !p)", begun_elsewhere),
    "the formula is not negated": ("[] <> !p", of_another_formula),
}


@pytest.mark.parametrize(("formula", "mistake"), TRANSLATION.values(), ids=TRANSLATION)
def test_a_mistake_in_the_translation_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, formula: str, mistake: Callable[..., Any]
) -> None:
    """The model violates the first formula, and what comes of the mistake says that it holds."""
    model = parse("bool p; active proctype P() { p = true; do :: p = p od }")
    request = Request(formulas=[formula], reduction="none")
    with monkeypatch.context() as patch:
        patch.setattr("everafter.ltl.translation.to_buchi", mistake)
        patch.setattr("everafter.check.follow_up", lambda _question, _outcome, result, *_: (result, False))
        verdicts = written(model, request, tmp_path / "c")
    assert verdicts == ["holds"]
    for by in ("native", "reference"):
        with pytest.raises(CertificateError, match="is refused"):
            confirmed(tmp_path / "c", model, by, request)
