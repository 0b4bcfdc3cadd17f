"""Mistakes planted where the code of ample sets, of claims and of fairness is written are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.engine.test_emit import CLAIMS, product_differences, properties
from tests.engine.test_reduced import differences
from tests.reduction.models import SMALL

from everafter.engine.emit import chain, claims, moves
from everafter.engine.emit.answers import Answers
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.reduction import ample_code, conditions, reduced_successors
from everafter.engine.emit.reduction.clashes import Clashes
from everafter.engine.emit.reduction.conditions import Meanings
from everafter.engine.emit.reduction.reach import Reach
from everafter.engine.emit.step_draft import Drafts
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchEnding
from everafter.product.claim import AutomatonClaim
from everafter.promela.propositions import formula_text
from everafter.questions.property import of_formula, understand
from everafter.user_model import parse


def answering(value: object) -> Callable[..., Any]:
    """A function that always says the same."""
    return lambda *_: value


# Ample sets


def no_numbers(self: Reach, _meant: object) -> tuple[int, ...]:
    return (0,) * (self.last + 1)


def no_columns(self: Any, _name: str, _place: str) -> list[str]:
    return ["0" for _ in self.words]


AMPLE = {
    "nothing may be taken alone": ("local steps", ample_code, "_is_hopeless", answering(True)),
    "what is sticky may": ("a loop that may be left", ample_code, "_mask", answering(0)),
    "nobody is in the way": ("a shared variable", Clashes, "_class", answering(0)),
    "no full expansion": ("a shared variable", reduced_successors._Reduced, "_other_columns", no_columns),
    "no channel is the same": ("the same channel in parameters", Meanings, "may_mean", answering(FALSE)),
    "every channel is excepted": ("a receive beside a choice", Meanings, "is_excepted", answering(TRUE)),
    "nobody means a channel": ("two senders", Reach, "_by_number", no_numbers),
    "nobody is woken": ("woken by another", ample_code, "_wake", answering(None)),
    "there is always room": ("two senders", Meanings, "has_room", answering(TRUE)),
    "channels never die": ("channels that die", conditions.ClashCode, "_any_beyond", answering(FALSE)),
    "every waiver applies": ("to itself", ample_code, "_channels", answering([])),
    "every answer may be given": ("rendezvous for ever", Answers, "_note", answering(None)),
    "an end lets nobody end": ("processes that wait to end", Clashes, "_may_end", answering(False)),
}
MODELS = SMALL | {
    "two senders": (
        "chan q = [1] of { byte }; active proctype R() { byte v; q?v; q?v }"
        "active proctype S() { byte i; i = 1; q!1; i = 2; if :: q!2 :: i = 3 fi }"
    ),
    "a loop that may be left": (
        "byte x; active proctype Q() { x = 1; x = 2 }"
        "active proctype P() { byte i; do :: i = 1 - i :: i == 9 -> break od }"
    ),
    "woken by another": (
        "byte x, y; active proctype P() { x = 1; y == 1 }"
        "active proctype Q() { y == 1; x = 2 } active proctype R() { y = 1; y = 2 }"
    ),
    "processes that wait to end": (
        "chan c; byte x, y; active proctype P() { byte v; x == 1; c!1; v = 1 }"
        "active proctype D() { chan l = [1] of { byte }; c = l; x = 1 }"
        "active [2] proctype A() { x == 1; y = 1; y = 2 }"
    ),
}


@pytest.mark.parametrize(("name", "where", "what", "mistake"), AMPLE.values(), ids=AMPLE.keys())
def test_a_mistake_in_ample_sets_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, where: object, what: str, mistake: Callable[..., Any]
) -> None:
    program = parse(MODELS[name]).program
    assert differences(program, 300)[0] == 0
    monkeypatch.setattr(where, what, mistake)
    assert differences(program, 300)[0] > 0


# Claims


def found_in_product(name: str) -> bool:
    """Whether the code of a claim differs from the reference in some state."""
    model = parse(CLAIMS[name])
    return any(product_differences(asked, model.program, 300) for asked in properties(model))


def without_timeout(_timeout: str) -> Frame:
    return Frame("%row", "%row", "-1", None, "0", "failed")


def never_back(self: Any) -> None:
    self.writer.label("return")
    self.writer.jump("leave")
    self.writer.label("endless")
    self.writer.jump("failed")


CLAIM = {
    "every edge may be taken": ("a run that stops", moves._AutomatonMoves, "_label", answering(TRUE)),
    "the claim goes nowhere": ("atomic", moves, "_go", answering(None)),
    "nothing is accepting": ("a run that stops", claims, "ACCEPTING", 0),
    "an error is no violation": ("a step that goes wrong", claims, "BROKEN", 0),
    "an assertion of the claim holds": ("never with assertions", moves, "FAILED_STATE", 0),
    "the claim goes on inside atomic and forgets the rest": (
        "never with atomic in atomic",
        moves._NeverMoves,
        "_return",
        never_back,
    ),
    "the claim never sees a timeout": ("never with timeout", moves, "_observer", without_timeout),
}


@pytest.mark.parametrize(("name", "where", "what", "mistake"), CLAIM.values(), ids=CLAIM.keys())
def test_a_mistake_in_claims_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, where: object, what: str, mistake: object
) -> None:
    assert not found_in_product(name)
    monkeypatch.setattr(where, what, mistake)
    assert found_in_product(name)


# Fairness

BLOCKED = ("byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { x == 5 }", "<> (x == 7)")
KEPT_WAITING = ("byte x, y; active proctype A() { do :: y = 1 - y od } active proctype B() { x = 1 }", "<> (x == 1)")


def has_fair_run(text: str, formula: str) -> bool:
    """Whether the native search finds a weakly fair run that violates a formula."""
    model = parse(text)
    asked = of_formula(model.program, understand(model.tree, formula_text(model.tree, formula, "ltl")))
    assert isinstance(asked.claim, AutomatonClaim)
    code = NativeModel(model.program, claims.ProductCode(asked.claim, fair=True))
    return code.search("couvreur", 1 << 26, lambda _: None).run().ending is SearchEnding.ANSWERED


def fair_to_movers(w: Writer, facts: Any, rows: str, _unable: str) -> None:
    _FAIR_SETS(w, facts, rows, "0")


def fair_to_all(w: Writer, facts: Any, rows: str, _unable: str) -> None:
    _FAIR_SETS(w, facts, rows, "-1")


_FAIR_SETS = claims._fair_sets
FAIR = {
    "a process that cannot move must": (BLOCKED, True, claims, "_fair_sets", fair_to_movers),
    "a process that can move need not": (KEPT_WAITING, False, claims, "_fair_sets", fair_to_all),
    "who moves is not noted": (KEPT_WAITING, False, Drafts, "_note_movers", answering(None)),
}


@pytest.mark.parametrize(("question", "expected", "where", "what", "mistake"), FAIR.values(), ids=FAIR.keys())
def test_a_mistake_in_fairness_is_found(
    monkeypatch: pytest.MonkeyPatch,
    question: tuple[str, str],
    expected: bool,
    where: object,
    what: str,
    mistake: Callable[..., Any],
) -> None:
    assert has_fair_run(*question) == expected
    monkeypatch.setattr(where, what, mistake)
    assert has_fair_run(*question) != expected


MEETING = (
    "chan c = [0] of { bit }; byte x; active [3] proctype S() { do :: c!0 od }"
    "active proctype R() { bit b; do :: atomic { c?b; if :: x = 1 - x :: x = 0 fi } od }",
    "<> (x == 7)",
)


def test_in_a_fair_search_a_row_with_other_movers_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_fair_run(*MEETING)
    monkeypatch.setattr(chain, "_HASH", chain._HASH.replace("xor i64 %movers,", "xor i64 0,"))
    assert has_fair_run(*MEETING)
    monkeypatch.setattr(chain, "_same_movers", answering(TRUE))
    assert not has_fair_run(*MEETING)
