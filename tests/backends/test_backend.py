"""A new backend needs nothing but an implementation of `Backend`, and none is believed."""

from pathlib import Path

import pytest
from tests.backends.toy import LIAR, TOY

import everafter
from everafter.backends import shortest_run
from everafter.backends.engines import ENGINES
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, INTERNAL_ERROR, VIOLATED
from everafter.execution.run import Run
from everafter.questions.outcome import Ending, Method, Outcome
from everafter.questions.request import ENGINE_NAMES

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture(autouse=True)
def engines(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in (TOY, LIAR):
        monkeypatch.setitem(ENGINES, engine.name, engine)
        monkeypatch.setitem(ENGINE_NAMES, engine.name, "a toy")


@pytest.mark.parametrize("name", ["mutex_broken", "peterson", "philosophers", "dekker"])
def test_a_toy_backend_decides_safety(name: str) -> None:
    model = everafter.load(EXAMPLES / f"{name}.pml")
    toy, native = model.check(engine="toy"), model.check(engine="native", reduction="none")
    assert (toy.verdict, toy.reason, toy.engine) == (native.verdict, native.reason, "toy")
    if toy.counterexample is not None and native.counterexample is not None:
        assert len(toy.counterexample) == len(native.counterexample)


def test_the_command_line_takes_it_without_a_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES / "mutex_broken.pml"), "--safety", "--engine", "toy"]) == VIOLATED
    assert "inside = 2" in capsys.readouterr().out


def test_what_it_cannot_do_is_said_before_it_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["check", str(EXAMPLES / "mutex_broken.pml"), "--engine", "toy"]
    assert main([*arguments, "--threads", "2"]) == BAD_INPUT
    assert main([*arguments, "--ltl", "exclusive", "--fair", "weak"]) == BAD_INPUT
    assert "no search for weakly fair runs" in capsys.readouterr().err


def test_a_run_that_shows_nothing_is_a_disagreement() -> None:
    model = everafter.load(EXAMPLES / "peterson.pml")
    result = model.check(engine="liar")
    assert result.verdict == "incomplete"
    assert not result
    assert "disagree" in result.reason
    with pytest.raises(everafter.Disagreement):
        result.raise_if_violated()


def test_the_other_results_are_still_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """A disagreement about one property is told, with what to report, and keeps no other result back."""
    model = EXAMPLES / "peterson.pml"
    assert main(["check", str(model), "--engine", "liar"]) == INTERNAL_ERROR
    told = capsys.readouterr()
    assert told.out.count("incomplete") == 3  # safety and two formulas
    assert "please report it with" in told.err
    assert "peterson.pml" in told.err
    assert everafter.__version__ in told.err
    assert "Traceback" not in told.err


def test_a_real_engine_that_errs_is_found_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows that no step of the reference leads to, as a store would give them that confuses two states."""
    honest = shortest_run.run_by_steps
    monkeypatch.setattr(shortest_run, "run_by_steps", lambda asked, rows, end: honest(asked, (rows[0], *rows[2:]), end))
    model = EXAMPLES / "mutex_broken.pml"
    assert main(["check", str(model), "--safety", "--engine", "native", "--threads", "1"]) == INTERNAL_ERROR
    assert "a step that the reference does not have" in capsys.readouterr().err


def test_an_outcome_has_a_run_exactly_if_one_was_found() -> None:
    method = Method("toy", "none")
    with pytest.raises(ValueError, match="exactly if"):
        Outcome(Ending.COMPLETED, method, run=Run((), (), "stop"))
    with pytest.raises(ValueError, match="exactly if"):
        Outcome(Ending.FOUND, method)
