"""Reduction is not believed: where it leaves out too much, its certificate is refused, though it agrees with itself.

Each mistake is at work when the certificate is written, and when it is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import changed, confirmed, sections_of, written
from oracles.reduction.judged import judged
from tests.engine.test_planted import AMPLE, BLOCKED, answering, fair_to_movers
from tests.engine.test_planted import MODELS as ENGINE_MODELS
from tests.reduction.models import SMALL
from tests.reduction.test_planted_bugs import PLANTED, never

from everafter.certificates.certification import Checker
from everafter.certificates.file import CertificateError
from everafter.certificates.independence import conflicts, later_steps
from everafter.certificates.independence.observation import Seen
from everafter.engine.emit import claims
from everafter.engine.emit.control_block import Record
from everafter.engine.emit.reduction import reduced_successors
from everafter.engine.emit.reduction.records import noted
from everafter.engine.emit.writer import Writer
from everafter.questions.request import Request
from everafter.reduction import visibility
from everafter.reduction.ample import Reduction
from everafter.reduction.soundness import for_safety
from everafter.user_model import Model, load, parse

EXAMPLES = Path(__file__).parents[2] / "examples"
CHECKERS: tuple[Checker, ...] = ("native", "reference")
UNNEEDED = "may be needed"
FOR_EVER = "left out for ever"
REQUEST = Request(safety=True, ignore=("end-states", "assertions"), reduction="ample")
"""So that it holds, and is certified, with steps left out and no others merged."""
MOST = 5000


def refusal(path: Path, model: Model, by: Checker, request: Request = REQUEST) -> str:
    """Why the certificate is refused."""
    with pytest.raises(CertificateError) as refused:
        confirmed(path, model, by, request)
    return str(refused.value)


REDUCED = {name: text for name, text in SMALL.items() if isinstance(for_safety(parse(text).program), Reduction)}
"""The small models that may be reduced."""


@pytest.mark.parametrize("name", REDUCED)
def test_what_the_reduction_leaves_out_is_needless(name: str, tmp_path: Path) -> None:
    model = parse(SMALL[name])
    assert judgement(model) == "needless"
    if written(model, REQUEST, tmp_path / "c") == ["holds"]:
        ((heading, _),) = sections_of(tmp_path / "c")
        assert heading["reduced"]
        for by in CHECKERS:
            assert [each.verdict for each in confirmed(tmp_path / "c", model, by, REQUEST)] == ["holds"]


def judgement(model: Model) -> str:
    """What the judge says of the reduction as it is now."""
    reduction = for_safety(model.program)
    assert isinstance(reduction, Reduction)
    return judged(model.program, reduction, Seen(), MOST)


@pytest.mark.parametrize(("name", "where", "what", "mistake", "condition"), PLANTED)
def test_a_mistake_in_the_choice_is_noticed_by_the_reference(
    monkeypatch: pytest.MonkeyPatch, name: str, where: object, what: str, mistake: Callable[..., Any], condition: str
) -> None:
    monkeypatch.setattr(where, what, mistake)
    assert judgement(parse(SMALL[name])) == ("for ever" if condition == "wellfounded" else "needed")


TABLES = [planted for planted in PLANTED if "_Asked" not in str(planted[1]) and planted[0] != "a trace"]
"""The mistakes that the machine code of the reduction shares, where no run-time error is found all the same."""


@pytest.mark.parametrize(("name", "where", "what", "mistake", "condition"), TABLES)
def test_a_mistake_in_the_tables_is_noticed_on_machine_code(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    where: object,
    what: str,
    mistake: Callable[..., Any],
    condition: str,
) -> None:
    model = parse(SMALL[name])
    monkeypatch.setattr(where, what, mistake)
    assert written(model, REQUEST, tmp_path / "c") == ["holds"]
    expected = FOR_EVER if condition == "wellfounded" else UNNEEDED
    assert expected in refusal(tmp_path / "c", model, "native")


LEAVES_OUT = {name: planted for name, planted in AMPLE.items() if planted[2] != "_is_hopeless"}


@pytest.mark.parametrize(("name", "where", "what", "mistake"), LEAVES_OUT.values(), ids=LEAVES_OUT.keys())
def test_a_mistake_in_the_code_of_ample_sets_is_noticed_by_the_same_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, where: object, what: str, mistake: Callable[..., Any]
) -> None:
    model = parse(ENGINE_MODELS[name])
    monkeypatch.setattr(where, what, mistake)
    assert written(model, REQUEST, tmp_path / "c") == ["holds"]
    reason = refusal(tmp_path / "c", model, "native")
    assert UNNEEDED in reason or FOR_EVER in reason


def too_small(self: Any, own: str, number: str) -> None:
    """Only the first step of the process is kept."""
    w: Writer = self.writer
    w.store(w.at(own, Record.END), w.add(noted(w, own, Record.BEGIN), 16), 8)
    w.store(w.at(own, Record.COUNT), 1, 8)
    TAKE(self, own, number)


TAKE = reduced_successors._Reduced._take
CHOICE = "byte x; active proctype Q() { x = 1 } active proctype P() { byte i; if :: i = 1 :: i = 2 :: i = 3 fi }"


def test_all_steps_of_the_process_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = parse(CHOICE)
    monkeypatch.setattr(reduced_successors._Reduced, "_take", too_small)
    assert written(model, REQUEST, tmp_path / "c") == ["holds"]
    assert "does not explain" in refusal(tmp_path / "c", model, "native")


SEEN = (
    "byte x, y; active proctype A() { x = 1; x = 0 }"
    "active proctype B() { y = 1; y = 0 } ltl p { [] (x == 0 || y == 0 || x == 1) }"
)


@pytest.mark.parametrize("by", CHECKERS)
def test_a_step_that_the_formula_sees_is_not_taken_alone(
    by: Checker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = parse(SEEN)
    monkeypatch.setattr(visibility.Visibility, "is_visible", never)
    assert written(model, Request(formulas=["p"]), tmp_path / "c") == ["holds"]
    assert UNNEEDED in refusal(tmp_path / "c", model, by, Request())


JUDGE = {
    "cells are no cells": ("a shared variable", PLANTED[0], conflicts, "_share", never),
    "nobody starts anybody": ("a process started late", PLANTED[-1], later_steps, "runs_in", answering(())),
    "nothing follows in an atomic sequence": (
        "atomic that writes later",
        PLANTED[1],
        conflicts,
        "goes_on",
        never,
    ),
}
"""Mistakes of the reduction, and the same ones of the judge."""


@pytest.mark.parametrize(("name", "planted", "where", "what", "mistake"), JUDGE.values(), ids=JUDGE.keys())
def test_the_judge_has_a_text_of_its_own(
    monkeypatch: pytest.MonkeyPatch, name: str, planted: Any, where: object, what: str, mistake: Callable[..., Any]
) -> None:
    """What is noticed is noticed by that text: with the same mistake planted there, too, nothing is."""
    monkeypatch.setattr(*planted[1:4])
    assert judgement(parse(SMALL[name])) == "needed"
    monkeypatch.setattr(where, what, mistake)
    assert judgement(parse(SMALL[name])) == "needless"


# Weak fairness

WEAK = Request(fairness="weak")


def test_ranks_of_fair_runs_are_decided_by_both(tmp_path: Path) -> None:
    model = load(EXAMPLES / "peterson.pml")
    path = tmp_path / "c"
    assert written(model, Request(formulas=["first_gets_in"], fairness="weak"), path) == ["holds"]
    for by in CHECKERS:
        assert [each.verdict for each in confirmed(path, model, by, WEAK)] == ["holds"]


FAIR = "byte x; active proctype A() { do :: x = 1 - x od } active proctype B() { x = 5; x = 6 } ltl p { <> (x == 6) }"


@pytest.mark.parametrize("by", CHECKERS)
def test_a_rank_must_name_a_process_that_is_passed_over(by: Checker, tmp_path: Path) -> None:
    model = parse(FAIR)
    path = tmp_path / "c"
    assert written(model, Request(formulas=["p"], fairness="weak"), path) == ["holds"]
    assert [each.verdict for each in confirmed(path, model, by, WEAK)] == ["holds"]
    whole = path.read_bytes()
    ((heading, rows),) = sections_of(path)
    sets = heading["sets"]
    assert any(rank % sets for _, rank in rows), "fairness matters here"
    for named in (0, 1):
        changed(path, lambda heading, rows: (heading, [(row, rank // sets * sets + named) for row, rank in rows]))  # noqa: B023
        assert "does not explain" in refusal(path, model, by, WEAK)
        path.write_bytes(whole)


def test_a_mistake_in_the_code_of_fairness_is_noticed_by_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By mistaken code, no run is fair to a process that cannot move: what does not hold is certified."""
    text, formula = BLOCKED
    model = parse(text)
    monkeypatch.setattr(claims, "_fair_sets", fair_to_movers)
    request = Request(formulas=[formula], fairness="weak")
    assert written(model, request, tmp_path / "c") == ["holds"]
    assert [each.verdict for each in confirmed(tmp_path / "c", model, "native", request)] == ["holds"]
    assert "does not explain" in refusal(tmp_path / "c", model, "reference", request)


def test_a_sample_of_fair_rows_is_decided_by_the_reference(tmp_path: Path) -> None:
    model = load(EXAMPLES / "peterson.pml")
    assert written(model, Request(formulas=["first_gets_in"], fairness="weak"), tmp_path / "c") == ["holds"]
    (certified,) = confirmed(tmp_path / "c", model, request=WEAK, sample=10)
    assert certified.sampled == 10
