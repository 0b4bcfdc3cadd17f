"""Nothing is called a violation unless the run, replayed, violates the property by its definition."""

from dataclasses import replace

import pytest
from oracles.asking import check_property

from everafter.execution.run import Run
from everafter.execution.step import steps
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.questions.property import Property, of_formula, of_never, understand
from everafter.user_model import Model, parse
from everafter.verdict.judge import accepted
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Counterexample

LOOPS = "byte x; active proctype P() { x = 1; do :: x = 3 - x :: x = 0; break od }"


def run_of(shown: Counterexample) -> Run:
    """The run of a counterexample, by its choices."""
    return Run.along(shown.prefix, shown.cycle, is_finite=shown.problem is not None)


def judged(program: Program, asked: Property, run: Run) -> Counterexample:
    assert asked.claim is not None
    return accepted(program, asked, asked.claim, run)


def found(text: str, formula: str) -> tuple[Model, Property, Counterexample]:
    model = parse(f"{text} ltl asked {{ {formula} }}")
    asked = of_formula(model.program, model.formulas["asked"])
    run = check_property(model.program, asked, Limits()).counterexample
    assert run is not None
    return model, asked, run


def test_a_real_counterexample_passes() -> None:
    model, asked, run = found(LOOPS, "<> [] (x == 1)")
    assert judged(model.program, asked, run_of(run)) == run


def test_a_run_on_which_the_formula_holds_is_refused() -> None:
    model, _, run = found(LOOPS, "<> [] (x == 1)")
    other = of_formula(model.program, understand(model.tree, replace(model.tree.formulas[0], text="<> (x == 1)")))
    with pytest.raises(ReplayError, match="holds on the counterexample"):
        judged(model.program, other, run_of(run))


def test_a_cycle_that_does_not_close_is_refused() -> None:
    model, asked, run = found(LOOPS, "[] <> (x == 0)")
    assert len(run.cycle) == 2
    with pytest.raises(ReplayError, match="does not close"):
        judged(model.program, asked, replace(run_of(run), cycle=run_of(run).cycle[:1]))


def test_stopping_where_the_model_goes_on_is_refused() -> None:
    model, asked, run = found(LOOPS, "[] <> (x == 0)")
    with pytest.raises(ReplayError, match="can go on"):
        judged(model.program, asked, replace(run_of(run), cycle=(), end="stop"))


def test_steps_the_model_cannot_take_are_refused() -> None:
    model, asked, run = found(LOOPS, "[] <> (x == 0)")
    with pytest.raises(ReplayError, match="cannot take"):
        judged(model.program, asked, replace(run_of(run), prefix=()))


def test_a_claim_that_does_not_accept_is_refused() -> None:
    text = "byte x; active proctype P() {{ do :: x = 1 - x od }} never {{ accept: do :: x < {} od }}"
    model = parse(text.format(2))
    index = next(process.index for process in model.program.processes if process.role == "never")
    asked = of_never(model.program, index)
    run = check_property(model.program, asked, Limits()).counterexample
    assert run is not None
    assert judged(model.program, asked, run_of(run)) == run
    other = parse(text.format(1)).program
    with pytest.raises(ReplayError):
        judged(model.program, of_never(other, index), run_of(run))


def test_a_problem_that_does_not_show_is_refused() -> None:
    model, asked, run = found("byte x, y; active proctype P() { x = 1; y = 1 / (x - 1) }", "[] (x < 5)")
    assert run.problem is not None
    assert "division" in run.problem.message
    with pytest.raises(ReplayError, match="does not show"):
        judged(model.program, asked, replace(run_of(run), prefix=run_of(run).prefix[:-1]))


def test_every_state_of_a_cycle_is_met_again() -> None:
    model, _, run = found(LOOPS, "[] <> (x == 0)")
    last = run.cycle[-1].state
    assert last is not None
    assert [step.transition.element for step in steps(model.program, last)]
