"""Machine code finds a strongly fair run exactly where the reference does, and what it finds is confirmed."""

from __future__ import annotations

import random
from typing import Any

import pytest
from oracles.fair_verdicts import same_fair_verdicts
from oracles.promela.random_waiting import waiting_program

from everafter.check import check
from everafter.cli import main
from everafter.commands.status import BAD_INPUT
from everafter.engine.emit import claims
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer
from everafter.questions.outcome import Disagreement
from everafter.questions.request import Request
from everafter.search import streett
from everafter.search.space import Searched
from everafter.user_model import parse

NOW_AND_THEN = "byte x, y; active proctype A() { do :: x = 1 - x od } active proctype B() { x == 1; y = 1 }"
"""B can move again and again, but not all the time."""
OR_NEVER = NOW_AND_THEN.replace("x = 1 - x", "x = 1 - x :: z = 1 - z").replace("y;", "y, z;")
"""… or A sees to it that B cannot move any more: only part of the component is strongly fair."""
MEETING = (
    "chan c = [0] of { bit }; byte y, z; active proctype A() { do :: c!1 :: z = 1 - z od }"
    "active proctype B() { bit b; do :: c?b; y = 1 - y od }"
)
INSIDE = (
    "byte x, y; active proctype A() { do :: atomic { x = 1; x = 0 } :: x = 1 - x od }"
    "active proctype B() { do :: atomic { x == 1; y = 1 - y; y = 1 - y } od }"
)
QUESTIONS = {
    "now and then": (NOW_AND_THEN, "<> (y == 1)", ["weak: violated", "strong: holds"]),
    "or never": (OR_NEVER, "<> (y == 1)", ["weak: violated", "strong: violated"]),
    "an end": ("byte x; active proctype A() { x = 1 }", "<> (x == 2)", ["weak: violated", "strong: violated"]),
    "a meeting": (MEETING, "[] <> (y == 1)", ["weak: holds", "strong: holds"]),
    "atomic sequences": (INSIDE, "[] <> (y == 1)", ["weak: violated", "strong: violated"]),
}


@pytest.mark.parametrize(("text", "formula", "verdicts"), QUESTIONS.values(), ids=QUESTIONS.keys())
def test_verdicts(text: str, formula: str, verdicts: list[str]) -> None:
    assert same_fair_verdicts(parse(text), formula, 1000) == verdicts


def test_random_programs() -> None:
    """A few of campaigns/fairness.py: in some of them strong fairness matters."""
    found = []
    for seed in range(12):
        text, formula = waiting_program(random.Random(seed))
        found.append(same_fair_verdicts(parse(text), formula, 400))
    assert ["weak: violated", "strong: holds"] in found
    assert ["weak: violated", "strong: violated"] in found


def test_the_start_of_a_run_is_sought_among_initial_states_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def noted(space: Searched[bytes], *others: Any) -> list[int]:
        seen.append(len(space.initial))
        return ROUND(space, *others)

    monkeypatch.setattr(streett, "_round", noted)
    same_fair_verdicts(parse(OR_NEVER), "<> (y == 1)", 1000)
    assert seen == [1]


ROUND = streett._round


def no_requests(w: Writer, facts: Facts, rows: str, _unable: str) -> None:
    PAIR_SETS(w, facts, rows, "-1")


PAIR_SETS = claims._pair_sets


def test_requests_that_are_forgotten_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    text, formula, _ = QUESTIONS["now and then"]
    monkeypatch.setattr(claims, "_pair_sets", no_requests)
    with pytest.raises((AssertionError, Disagreement)):
        same_fair_verdicts(parse(text), formula, 1000)


def test_more_processes_than_pairs_are_given_up() -> None:
    text = "byte x; active [31] proctype A() { do :: x == 0 od }"
    assert same_fair_verdicts(parse(text), "<> (x == 1)", 1000)[1] == "strong: given up"
    [result] = check(parse(text), Request(formulas=("<> (x == 1)",), fairness="strong"))
    assert result.verdict == "incomplete"
    assert "more than 30 processes" in result.reason


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--cluster", "inside:2"], "keeps no note of who moves"),
        (["--checkpoint", "folder"], "no checkpoints of a search for strongly fair runs"),
        (["--certificate", "file"], "writes no certificates"),
    ],
)
def test_what_cannot_be_is_refused(
    options: list[str], why: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    with open("model.pml", "w") as file:
        file.write(NOW_AND_THEN)
    assert main(["check", "model.pml", "--ltl", "<> (y == 1)", "--fair", "strong", *options]) == BAD_INPUT
    assert why in capsys.readouterr().err
