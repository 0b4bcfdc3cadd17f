"""Which statements no run comes to: the same from both engines, and what trying everything says."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from oracles.asking import Engine
from oracles.promela.random_programs import program as random_text

from everafter.backends.decision import decide
from everafter.check import check
from everafter.choices import ReductionWish
from everafter.cli import main
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.search_outcome import SearchEnding
from everafter.execution.run import Choice
from everafter.execution.step import initial_state, steps
from everafter.hints import coverage as follow_up
from everafter.hints.effort import Means
from everafter.hints.facts import Coverage
from everafter.hints.sentences import remarks
from everafter.page.check_page import Album
from everafter.product.safety import SafetyGraph
from everafter.program.program import Program
from everafter.program.sites import Reached
from everafter.questions.outcome import Disagreement, Ending, Method, Outcome
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.reduction_choice import reduction_for
from everafter.questions.request import Request
from everafter.reduction.ample import Reduction
from everafter.source import InputError
from everafter.user_model import parse
from everafter.verdict.result import Result

PLANTED = """chan q = [0] of { byte };
byte x;
inline twice(n) { if :: n > 5 -> x = 1 :: else fi }
active proctype P() {
  if
  :: x > 3 -> x = 2; x = 3
  :: x == 0 -> skip
  fi;
  d_step {
    if
    :: x == 1 -> x = 2
    :: else -> skip
    fi
  };
  twice(2);
  twice(9);
  goto end_of_it;
  x = 9;
end_of_it: q!1
}
active proctype R() {
  if
  :: q?1 -> skip
  :: q?2 -> x = 4
  fi;
  atomic { x = 1; if :: x == 0 -> x = 5 :: x == 1 fi }
}
proctype Unborn() { x = 7 }
"""
MEANS = Means(decide, lambda _engine, _fairness: False)
MISSING = [(6, "x>3"), (6, "x=2"), (6, "x=3"), (11, "x==1"), (11, "x=2"), (15, "2>5"), (15, "x=1"), (16, "else")]
MISSING += [(18, "x=9"), (24, "q?2"), (24, "x=4"), (26, "x==0"), (26, "x=5")]


def covered(
    text: str, engine: Engine = "native", reduction: ReductionWish = "static", thorough: bool = False
) -> Coverage:
    (result,) = check(parse(text), Request(safety=True, engine=engine, reduction=reduction, coverage=thorough))
    assert result.holds
    assert result.coverage is not None
    return result.coverage


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("reduction", ["static", "none"])
def test_what_no_run_comes_to(engine: Engine, reduction: ReductionWish) -> None:
    found = covered(PLANTED, engine, reduction)
    assert [(each.spot.line, each.statement.replace(" ", "")) for each in found.unreached] == MISSING
    assert found.unstarted == ("Unborn",)
    assert found.is_exact


def test_where_all_is_reached_nothing_is_said() -> None:
    found = covered("byte x; active proctype P() { x = 1; x == 1 }")
    assert found == Coverage(3)  # the end of the process is one


def test_the_end_of_a_process_may_be_out_of_reach() -> None:
    found = covered("byte x; active proctype P() { end: do :: x == 1 -> break :: skip od }")
    assert [each.statement for each in found.unreached] == ["x == 1", "-end-"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("active proctype P() { assert(false) }", None),
        ("byte x; active proctype P() { x = 1 }", "[] (x < 2)"),  # a claim may cut runs off
    ],
)
def test_it_is_said_of_safety_that_holds(text: str, asked: str | None) -> None:
    assert parse(text).check(asked).coverage is None


def test_nothing_is_said_of_runs_that_begin_later() -> None:
    model = parse("byte x; active proctype P() { x = 1; x = 2 }")
    (first,) = steps(model.program, initial_state(model.program))
    (result,) = check(model, Request(safety=True), along=[Choice.of(first)])
    assert result.holds
    assert result.coverage is None


def test_several_threads_say_the_same() -> None:
    (result,) = check(parse(PLANTED), Request(safety=True, threads=2))
    assert result.coverage == covered(PLANTED)


# Reduction


INDEPENDENT = """byte x, y;
active [3] proctype P() { byte i; do :: i < 60 -> i++ :: i == 60 -> break od }
active proctype Q() { if :: x == 1 -> y = 1 :: else fi }
"""


def test_without_much_effort_it_may_not_be_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_up, "_MOST_STATES", 1_000)
    found = covered(INDEPENDENT, "reference")
    assert [each.statement for each in found.unreached] == ["x == 1", "y = 1"]
    assert not found.is_exact


def test_with_all_effort_it_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_up, "_MOST_STATES", 1)
    found = covered(INDEPENDENT, thorough=True)
    assert [each.statement for each in found.unreached] == ["x == 1", "y = 1"]
    assert found.is_exact


def test_what_only_the_second_search_executes_is_reached() -> None:
    program = parse("byte x; active proctype P() { x = 1; x = 2 }").program
    first = Outcome(Ending.COMPLETED, Method("reference", "unordered", reduction="static"), reached=frozenset())
    question = Question(program, SAFETY)
    assert follow_up.coverage(question, first, False, MEANS) == Coverage(3)
    stopped = Outcome(Ending.STOPPED, first.method, reached=frozenset({(0, 1)}))
    found = follow_up.coverage(question, first, False, replace(MEANS, decide=lambda _question, _request: stopped))
    assert found is not None
    assert not found.is_exact
    assert [each.statement for each in found.unreached] == ["x = 2", "-end-"]


def test_a_violation_that_only_the_second_search_finds_is_an_error_of_ours() -> None:
    program = parse("active proctype P() { assert(false) }").program
    unsound = Outcome(Ending.COMPLETED, Method("reference", "unordered", reduction="static"), reached=frozenset())
    with pytest.raises(Disagreement, match="with all steps there is a violation"):
        follow_up.coverage(Question(program, SAFETY), unsound, False, MEANS)


# Random programs


def by_native(program: Program, reduction: Reduction | None = None) -> Reached | None:
    """What machine code executes beyond all errors; None if that is much."""
    model = NativeModel(program, None, reduction)
    model.go_past_errors()
    outcome = model.search("unordered", 1 << 27, lambda _: None).run(lambda figures: figures.states > 20_000)
    return model.reached() if outcome.ending is SearchEnding.COMPLETED else None


def by_reference(program: Program) -> Reached | None:
    """What the reference executes beyond all errors; None if that is much, or if a d_step broke off midway."""
    graph = SafetyGraph(program, stops_at_violations=False)
    pending = list(graph.initial())
    seen = set(pending)
    while pending and len(seen) < 1_000:
        new = {row for row in graph.successors(pending.pop()) if row and row not in seen}
        seen |= new
        pending += new
    return None if pending or (graph.violations and "d_step" in program.model.source.text) else frozenset(graph.reached)


@pytest.mark.parametrize("first", [0, 20])
def test_random_programs(first: int) -> None:
    compared = 0
    for seed in range(first, first + 20):
        try:
            program = parse(random_text(seed)).program
        except InputError:
            continue
        everything = by_native(program)
        plain = by_reference(program)
        if everything is None:
            continue
        if plain is not None:
            compared += 1
            assert plain == everything, seed
        reduction = reduction_for(Question(program, SAFETY))
        if isinstance(reduction, Reduction):
            some = by_native(program, reduction)
            assert some is not None
            assert some <= everything, seed
    assert compared > 5


# What is told


def test_what_a_reduced_search_has_not_seen_is_said_of_it_alone() -> None:
    unsure = Result("safety", "safety", "holds", "", coverage=Coverage(1, ("P",), is_exact=False))
    text = "no process P takes a step in the reduced search (--coverage makes sure)"
    assert remarks(unsure, full=True)[-1] == f"  {text}"
    album = Album(parse("active proctype P() { skip }").program)
    assert album.answer(unsure).notes == (text,)
    sure = replace(unsure, coverage=Coverage(1, ("P",)))
    assert remarks(sure, full=True)[-1] == "  no process P ever takes a step"


def test_text_and_json_tell_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text(PLANTED)
    assert main(["check", str(path)]) == 0
    text = capsys.readouterr().out
    assert "  no process Unborn ever takes a step\n  never executed, of 29 statements:\n" in text
    assert f"    {path}:6   P  x > 3\n" in text
    assert "    … 3 more, --full shows them all\n" in text
    assert main(["check", str(path), "--full"]) == 0
    assert f"    {path}:26  R  x = 5\n" in capsys.readouterr().out
    assert main(["check", str(path), "--format", "json", "--coverage"]) == 0
    said = json.loads(capsys.readouterr().out)["results"][0]["coverage"]
    assert said["unstarted"] == ["Unborn"]
    assert said["unreached"][0]["statement"] == "x > 3"
    assert said["is_exact"]


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_what_is_reached_inside_an_atomic_sequence(engine: Engine) -> None:
    text = """byte x; active proctype P() {
        atomic { x = 1; x = 2; x = 3; if :: x == 3 -> x = 4; x = 5 :: else -> x = 6 fi; x = 7; x = 8 } }"""
    assert [each.statement for each in covered(text, engine).unreached] == ["else", "x = 6"]
