"""A model in Python has the states of its Promela twin in examples/ where both have the same steps."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest
from tests.pymodel.models import kind_of

import everafter
from everafter.execution.state import NO_PROCESS
from everafter.execution.step import initial_state, steps
from everafter.program.program import Program
from everafter.user_model import model_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PETERSON = """wants, last_polite, inside = m.Array[bool, 2](False), m.Int[0, 1](0), m.Int[0, 2](0)
@m.process(instances=2)
def process(self, me: int) -> None:
    while True:
        self.wants[me] = True
        self.last_polite = me
        m.wait(not self.wants[1 - me] or self.last_polite == 1 - me)
        self.inside += 1
        assert self.inside == 1
        self.inside -= 1
        self.wants[me] = False"""
PHILOSOPHERS = """taken, eating = m.Array[bool, 4](False), m.Int[0, 4](0)
@m.process(given=FORKS)
def philosopher(self, first: int, second: int) -> None:
    while True:
        self.take(first)
        self.take(second)
        self.eating += 1
        assert self.eating <= 2
        self.eating -= 1
        self.taken[second] = False
        self.taken[first] = False
def take(self, fork: int) -> None:
    with m.atomic():
        m.wait(not self.taken[fork])
        self.taken[fork] = True"""
READERS_WRITERS = """reading, writing, writers_waiting = m.Int[0, 3](0), m.Int[0, 2](0), m.Int[0, 2](0)
@m.process(instances=3)
def reader(self, me: int) -> None:
    while True:
        with m.atomic():
            m.wait(self.writing == 0 and self.writers_waiting == 0)
            self.reading += 1
        assert self.writing == 0
        self.reading -= 1
@m.process(instances=2)
def writer(self, me: int) -> None:
    while True:
        self.writers_waiting += 1
        with m.atomic():
            m.wait(self.reading == 0 and self.writing == 0)
            self.writing += 1
            self.writers_waiting -= 1
        assert self.reading == 0 and self.writing == 1
        self.writing -= 1"""
TWINS = {
    "mutex_broken": """busy, inside = m.Array[bool, 2](False), m.Int[0, 2](0)
@m.process(instances=2)
def process(self, me: int) -> None:
    while True:
        m.wait(not self.busy[1 - me])
        self.busy[me] = True
        self.inside += 1
        assert self.inside == 1
        self.inside -= 1
        self.busy[me] = False""",
    "peterson": PETERSON,
    "philosophers": PHILOSOPHERS.replace("FORKS", "[(0, 1), (1, 2), (2, 3), (3, 0)]"),
    "philosophers_fixed": PHILOSOPHERS.replace("FORKS", "[(0, 1), (1, 2), (2, 3), (0, 3)]"),
    "readers_writers": READERS_WRITERS,
}
"""The twins, in the steps of the texts in Promela."""
OTHERWISE = {
    "alternating_bit": "An option in Promela begins by receiving; a branch in Python by a condition, then receives.",
    "raft_election": "The text in Promela sends messages; the class in Python looks at the others, as in TLA+.",
    "two_phase_commit": "`for` in Promela counts in steps of its own; in Python loops over known numbers are no steps.",
}
"""Why a model has other steps than the text in Promela of the same name."""


def _states(program: Program) -> int:
    """The states in which no process is in the middle of an atomic sequence; behind an error there are none."""
    first = initial_state(program)
    known, pending = {first}, deque([first])
    while pending:
        for way in steps(program, pending.popleft()):
            if way.state is not None and way.problem is None and way.state not in known:
                known.add(way.state)
                pending.append(way.state)
    return sum(state.holder == NO_PROCESS for state in known)


@pytest.mark.parametrize("name", TWINS)
def test_a_twin_has_as_many_states(name: str) -> None:
    promela = everafter.load(EXAMPLES / f"{name}.pml")
    assert _states(model_of(kind_of(TWINS[name])).program) == _states(promela.program)


def test_each_example_in_both_languages_is_compared_or_told_apart() -> None:
    both = {path.stem for path in EXAMPLES.glob("*.pml")} & {path.stem for path in (EXAMPLES / "python").glob("*.py")}
    assert both <= {*TWINS, *OTHERWISE}
    assert not set(TWINS) & set(OTHERWISE)
