"""Traces can be written, read and taken again."""

from pathlib import Path

import pytest
from oracles.asking import check_safety

from everafter.questions.limits import Limits
from everafter.stated_questions import program_asked
from everafter.user_model import load, parse
from everafter.verdict.replay import ReplayError
from everafter.verdict.trace import read_trace, run_of_trace, trace_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.parametrize("name", ["mutex_broken", "philosophers"])
def test_a_trace_can_be_written_and_read(name: str) -> None:
    model = load(EXAMPLES / f"{name}.pml")
    run = check_safety(model.program, Limits()).counterexample
    assert run is not None
    trace = trace_of(run, model.name, "safety", {"N": "2"})
    text = "".join(trace.text())
    assert read_trace(text) == trace
    assert run_of_trace(model.program, read_trace(text)) == (run.start, list(run.prefix))


DAMAGED = (
    """{"format": "everafter trace 1", "model": 1, "property": "p", "defines": {}, "prefix": [[1]], "cycle": []}"""
)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "everafter trace 1"}', "no json", DAMAGED])
def test_a_damaged_trace_is_refused(text: str) -> None:
    with pytest.raises(ReplayError):
        read_trace(text)


def test_a_trace_of_another_model_is_refused() -> None:
    model = load(EXAMPLES / "mutex_broken.pml")
    run = check_safety(model.program, Limits()).counterexample
    assert run is not None
    other = parse("byte x; active proctype P() { x = 1; x = 2 }")
    with pytest.raises(ReplayError):
        run_of_trace(other.program, trace_of(run, "m", "safety", {}))


def test_a_run_that_depends_on_its_formula_can_be_taken_again() -> None:
    """A label on a goto is a place of control only for a formula that watches it."""
    model = parse("byte x; active proctype P() { again: goto middle; middle: x = 1 - x; goto again }")
    result = model.check("[] !(P@again && x == 1)")
    assert result.counterexample is not None
    written = trace_of(result.counterexample, model.name, result.property, model.defines)
    trace = read_trace("".join(written.text()))
    with pytest.raises(ReplayError):
        run_of_trace(model.program, trace)
    _, taken = run_of_trace(program_asked(model, trace.formula), trace)
    assert len(taken) == len(result.counterexample)
