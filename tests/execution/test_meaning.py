"""One small model for each rule of the language: our outcome and state count are the stated ones, and so are SPIN's."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import pytest
from oracles.asking import Engine, check_safety
from oracles.counting import count_states
from oracles.spin import PLAIN_PAN, SpinResult, _build, _compiler, _Pan, _place, _spin, safety
from tests.execution.meaning import CASES, Case

from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.user_model import parse


def outcome(program: Program, engine: Engine = "reference") -> str:
    """`holds`, or the kind of the first thing that goes wrong; SPIN counts a trace among errors of the run."""
    found = check_safety(program, Limits(), engine=engine).counterexample
    if found is None or found.problem is None:
        return "holds"
    return "runtime" if found.problem.kind == "trace" else found.problem.kind


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_our_meaning(case: Case, engine: Engine) -> None:
    program = parse(case.text).program
    assert outcome(program, engine) == case.outcome
    if case.states is not None:
        assert count_states(program, engine=engine)[0] == case.states


ASKED = {name: case for name, case in CASES.items() if case.asked}


@pytest.mark.parametrize("case", ASKED.values(), ids=ASKED.keys())
@pytest.mark.spin
def test_the_meaning_that_spin_gives(case: Case) -> None:
    result = safety(case.text, past_errors=True)
    assert (result.kind or "holds") == case.outcome
    if case.states is not None:
        assert result.complete
        assert result.states == case.states


def test_assertions_that_would_fail_do_fail() -> None:
    """The models above mostly hold: their assertions bite when they are negated."""
    bitten = 0
    for case in CASES.values():
        if case.outcome == "holds" and case.text.count("assert(") == 1 and "assert(false)" not in case.text:
            negated = case.text.replace("assert(", "assert(0 * ")
            bitten += outcome(parse(negated).program) == "assertion"
    assert bitten >= 30


# Losing messages, SPIN's option -m

LOSSY = {
    "chan q = [1] of { byte }; byte x; active proctype P() { q!1; q!2; q!3; q?x; assert(x == 1 && len(q) == 0) }": 7,
    "chan q = [1] of { byte }; active proctype P() { byte n; do :: n < 3 -> q!n; n++ :: else -> break od }"
    "active proctype Q() { byte x; end: do :: q?x od }": 41,
}


def safety_losing_messages(text: str) -> SpinResult:
    """What SPIN says when a send to a full channel loses the message."""
    with tempfile.TemporaryDirectory(prefix="oracle-") as name:
        folder = Path(name)
        _place(text, folder, "")
        said = _spin(folder, ("-m",))
        built = _build([*_compiler("fast"), *PLAIN_PAN, "-DSAFETY", "-DNOCLAIM"], folder)
        return _Pan(folder, said, built, time.monotonic()).run_to(100_000, (), 60)


@pytest.mark.parametrize(("text", "states"), LOSSY.items())
@pytest.mark.spin
def test_a_full_channel_loses_messages_if_it_may(text: str, states: int) -> None:
    program = parse(text, loses_messages=True).program
    assert outcome(program) == "holds"
    assert count_states(program)[0] == states
    result = safety_losing_messages(text)
    assert result.holds
    assert result.states == states


def test_without_the_option_a_full_channel_blocks() -> None:
    assert outcome(parse(next(iter(LOSSY))).program) == "end-state"
