"""Safety verdicts: what is found, how it is shown, and that partial searches say so."""

from dataclasses import replace

import pytest
from oracles.asking import Engine, check_safety

from everafter.execution.run import Choice, Run
from everafter.program.program import Program
from everafter.questions.limits import Limits
from everafter.search.catalogue import names
from everafter.source import InputError
from everafter.system import memory_in_use
from everafter.user_model import parse
from everafter.verdict.judge import violating
from everafter.verdict.replay import ReplayError
from everafter.verdict.result import Result

ALGORITHMS = names("reachability", "one")
RACE = """
byte x;
active [2] proctype P() { byte t; t = x; x = t + 1 }
active proctype Watch() { assert(x != 1) }
"""


def checked(text: str, algorithm: str | None = None, limits: Limits | None = None) -> tuple[Program, Result]:
    program = parse(text).program
    return program, check_safety(program, limits or Limits(), algorithm)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_failing_assertion_is_shown(algorithm: str) -> None:
    _, result = checked(RACE, algorithm)
    assert result.verdict == "violated"
    assert result.counterexample is not None
    last = result.counterexample.prefix[-1]
    assert last.problem is not None
    assert last.problem.kind == "assertion"
    assert last.problem.place.line == 4


LONG_CHANNEL = """
    chan c = [{0}] of {{ byte, bit }};
    chan d = [1] of {{ bit }};
    active proctype P() {{
        byte x;
        do :: nfull(c) -> c!!len(c) % 7, 1 :: full(c) -> break od;
        assert(len(c) == {0});
        d!1;
        do :: c??eval(3), _ -> assert(len(c) < {0}) :: !c??[3, _] -> break od;
        do :: c?x, _ :: empty(c) -> break od;
        assert(len(c) == {1})
    }}"""


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize(("capacity", "states"), [(255, 809), (256, 813), (300, 951), (700, 2208)])
def test_a_channel_is_as_long_as_its_length_says(capacity: int, states: int, engine: Engine) -> None:
    """More than 255 messages do not fit a byte: with 256 the length was 0 again, and assertions seemed to hold.

    The states are those that SPIN counts.
    """
    holds = check_safety(parse(LONG_CHANNEL.format(capacity, 0)).program, engine=engine)
    assert (holds.verdict, holds.states) == ("holds", states)
    fails = check_safety(parse(LONG_CHANNEL.format(capacity, 1)).program, engine=engine)
    assert fails.reason == "assert(len(c) == 1) failed"


def test_a_channel_is_never_longer_than_its_length_can_say() -> None:
    with pytest.raises(InputError, match="capacity of 65536"):
        parse("chan c = [65536] of { bit }; active proctype P() { c!1 }")


def test_breadth_first_is_shortest() -> None:
    _, short = checked(RACE, "breadth-first")
    _, deep = checked(RACE, "depth-first")
    assert short.counterexample is not None
    assert deep.counterexample is not None
    assert len(short.counterexample.prefix) == 3
    assert len(deep.counterexample.prefix) >= 3


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("active proctype P() { byte a[2]; byte i = 2; a[i] = 1 }", "runtime", "index 2 is outside a[0..1]"),
        ("active proctype P() { int x; x = 1 / x }", "runtime", "division by zero"),
        ("active proctype P() { int x; x = 1 % x }", "runtime", "division by zero"),
        ("chan c; active proctype P() { c!1 }", "runtime", "not been initialised"),
        ("chan c; active proctype P() { byte x; c?x }", "runtime", "not been initialised"),
        ("active proctype P() { byte x; d_step { x = 1; x == 2 } }", "runtime", "blocks inside a d_step"),
        ("active proctype P() { byte x; d_step { x = 1; if :: x == 2 fi } }", "runtime", "no option is executable"),
        ("chan c = [0] of {byte}; active proctype P() { byte x; d_step { x = 1; c!x } }", "runtime", "rendezvous"),
        ("chan c = [1] of {byte, byte}; active proctype P() { c!1 }", "runtime", "too few fields"),
        ("chan c = [1] of {byte}; active proctype P() { c!1,2 }", "runtime", "too many fields"),
        ("chan c = [1] of {byte, byte}; active proctype P() { byte x; c!1,2; c?x }", "runtime", "2 fields, not 1"),
        ("proctype Q() { false } active proctype P() { do :: run Q() od }", "runtime", "more than 255 processes"),
        ("active proctype P() { enabled(0) }", "runtime", "enabled itself"),
        ("D_proctype P() { if :: skip :: skip fi } init { run P() }", "runtime", "D_proctype has a choice"),
        ("active proctype P() { false }", "end-state", "invalid end state"),
        ("byte x; active proctype P() { assert(x) }", "assertion", "assert(x) failed"),
    ],
)
def test_everything_that_can_go_wrong(text: str, kind: str, words: str) -> None:
    _, result = checked(text)
    assert result.verdict == "violated"
    assert result.counterexample is not None
    problem = result.counterexample.problem
    assert problem is not None
    assert problem.kind == kind
    assert words in problem.message


def test_end_labels_are_valid_ends() -> None:
    assert checked("active proctype P() { end: false }")[1].verdict == "holds"
    assert checked("active proctype P() { endless_wait: false }")[1].verdict == "holds"
    assert checked("active proctype P() { ending: skip; false }")[1].verdict == "violated"


def test_a_limit_makes_it_incomplete() -> None:
    grows = "int x; active proctype P() { do :: x++ od }"
    _, result = checked(grows, limits=Limits(states=1000))
    assert result.verdict == "incomplete"
    assert "1,000 states" in result.reason
    _, result = checked(grows, limits=Limits(seconds=0.05))
    assert result.verdict == "incomplete"
    assert "time limit" in result.reason
    _, result = checked(grows, limits=Limits(memory=1))
    assert result.verdict == "incomplete"
    assert "memory limit" in result.reason


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_memory_that_was_given_back_does_not_count(engine: Engine) -> None:
    program = parse("byte x, y, z; active proctype P() { do :: x++ :: y++ :: z < 3 -> z++ od }").program
    limit = memory_in_use() + (256 << 20)
    large = b"." * (512 << 20)
    assert memory_in_use() > limit
    del large
    result = check_safety(program, Limits(memory=limit, states=None if engine == "native" else 5000), engine=engine)
    assert result.verdict == ("holds" if engine == "native" else "incomplete")
    assert "memory" not in result.reason
    assert result.states > 1000


def test_depth_is_not_bounded_by_a_stack() -> None:
    deep = "int x; active proctype P() { do :: x < 30000 -> x++ :: else -> break od; assert(false) }"
    _, result = checked(deep, "depth-first")
    assert result.verdict == "violated"
    assert result.counterexample is not None
    assert len(result.counterexample.prefix) > 60_000


def test_a_counterexample_that_shows_nothing_is_not_shown() -> None:
    program, result = checked(RACE)
    shown = result.counterexample
    assert shown is not None
    run = Run.along(shown.prefix, is_finite=True)
    assert violating(program, run) == shown
    with pytest.raises(ReplayError, match="does not show"):
        violating(program, replace(run, prefix=run.prefix[:-1]))
    with pytest.raises(ReplayError, match="cannot take"):
        violating(program, replace(run, prefix=run.prefix[::-1]))
    with pytest.raises(ReplayError):
        violating(program, replace(run, prefix=(*run.prefix, Choice(0, 1))))


def test_lost_messages() -> None:
    text = "chan q = [1] of {byte}; active proctype P() { q!1; q!2; assert(len(q) == 1) }"
    assert check_safety(parse(text).program, Limits()).verdict == "violated"
    assert check_safety(parse(text, loses_messages=True).program, Limits()).verdict == "holds"


def test_a_receive_into_a_narrow_variable_does_not_change_the_message() -> None:
    """SPIN misses this violation: after searching the first option it puts back 0 instead of 2."""
    text = """
    chan q = [1] of { byte };
    byte seen;
    active proctype R() { bit b; if :: q?b :: q?seen -> assert(seen != 2) fi }
    init { q!2 }
    """
    for algorithm in ALGORITHMS:
        assert checked(text, algorithm)[1].verdict == "violated"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_second_process_of_a_kind_is_looked_at(algorithm: str) -> None:
    """SPIN, issue 78: with its default reduction the failing assertion of the process started last is missed."""
    text = "init { run Helper() } active proctype Helper() { assert(_pid < 2) }"
    assert checked(text, algorithm)[1].verdict == "violated"
