"""A check from another state than the initial one: what is true from there on, on both engines."""

from collections import deque
from pathlib import Path
from typing import Literal

import pytest

import everafter
from everafter.check import check
from everafter.execution.packing import Packer
from everafter.execution.run import Choice
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import initial_state, steps
from everafter.program.program import Program
from everafter.questions.request import Request
from everafter.verdict.replay import ReplayError, state_along

EXAMPLES = Path(__file__).parents[2] / "examples"
ONE_WAY = """
byte x;
active proctype P() { if :: x = 1; x = 2 :: x = 5; assert(x != 5) fi; end: do :: x = 3 - x od }
ltl never_two { [] (x != 2) }
ltl one_again { []<> (x == 1) }
"""


def ways(program: Program, most: int) -> list[tuple[Choice, ...]]:
    """Ways to the first states, breadth-first, that are not in the middle of an atomic sequence."""
    packer, start = Packer(program), initial_state(program)
    queue: deque[tuple[tuple[Choice, ...], State]] = deque([((), start)])
    seen = {packer.pack(start)}
    found: list[tuple[Choice, ...]] = []
    while queue and len(found) < most:
        way, state = queue.popleft()
        if state.holder == NO_PROCESS:
            found.append(way)
        for step in steps(program, state):
            if step.state is not None and step.problem is None and packer.pack(step.state) not in seen:
                seen.add(packer.pack(step.state))
                queue.append(((*way, Choice.of(step)), step.state))
    return found


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_what_is_behind_does_not_count(engine: str) -> None:
    model = everafter.parse(ONE_WAY)
    good = next(way for way in ways(model.program, 20) if state_along(model.program, way).memory[0] == 1)
    request = Request(engine=engine)
    assert [result.verdict for result in check(model, request)] == ["violated", "violated", "violated"]
    safe, two, again = check(model, request, along=good)
    assert (safe.verdict, two.verdict, again.verdict) == ("holds", "violated", "holds")
    assert two.counterexample is not None
    assert two.counterexample.start == state_along(model.program, good)


SMALL = ("alternating_bit", "philosophers", "process_creation")
SEARCHES: tuple[tuple[str, Literal["static", "none"]], ...] = (
    ("native", "static"),
    ("native", "none"),
    ("reference", "none"),
)


@pytest.mark.parametrize("name", SMALL)
def test_both_engines_agree_from_any_state(name: str) -> None:
    model = everafter.load(EXAMPLES / f"{name}.pml")
    for way in ways(model.program, 30)[9::20]:
        verdicts = [
            [result.verdict for result in check(model, Request(engine=engine, reduction=reduction), along=way)]
            for engine, reduction in SEARCHES
        ]
        assert verdicts[0] == verdicts[1] == verdicts[2]


def test_nothing_is_asked_inside_an_atomic_sequence() -> None:
    model = everafter.parse("byte x; active proctype P() { atomic { x = 1; x = 2 } }")
    first = steps(model.program, initial_state(model.program))[0]
    with pytest.raises(ReplayError, match="atomic"):
        check(model, Request(), along=[Choice.of(first)])


def test_nothing_is_asked_behind_a_step_that_fails() -> None:
    model = everafter.parse("byte x; active proctype P() { x = 1 / x }")
    first = steps(model.program, initial_state(model.program))[0]
    with pytest.raises(ReplayError, match="cannot be completed"):
        check(model, Request(), along=[Choice.of(first)])
