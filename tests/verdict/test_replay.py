"""A choice means the same step whether one process is asked or all are."""

import random
from collections.abc import Iterator

import pytest
from oracles.promela.random_runs import programs, states_of_run

from everafter.execution.run import Choice
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import initial_state, process_steps, steps
from everafter.program.program import Program
from everafter.user_model import parse
from everafter.verdict import replay
from everafter.verdict.replay import ReplayError, take

SPECIAL = (
    "byte x; active proctype P() { timeout -> x = 1 } active proctype Q() { x == 1; x = 2 }",
    "byte x; active [2] proctype P() { atomic { x = 1; x = 2; x == 3; x = 4 } } active proctype Q() { x = 3 }",
    "chan c = [0] of { byte }; active [2] proctype P() { c!1 } active [2] proctype Q() { byte y; c?y }",
    "byte x; active proctype P() provided (x > 0) { x = 2 } active proctype Q() { x = 1 }",
    "byte x; active proctype P() priority 5 { x = 1 } active proctype Q() priority 9 { x > 0; x = 2 }",
    "byte x; active proctype P() { do :: x++ :: else -> x = 0 od unless { x > 3 } }",
)


def disagreement() -> str | None:
    """A state and a choice of which `take` and the list of all steps do not say the same."""
    for number, program in enumerate(programs(SPECIAL, range(60))):
        for state in states_of_run(program, random.Random(number), 40):
            possible = steps(program, state)
            tempting = [
                step
                for process in range(len(state.processes))
                for timeout in (False, True)
                for step in process_steps(program, state, process, timeout)
            ]
            for choice in {Choice.of(step) for step in (*possible, *tempting)}:
                meant = next((step for step in possible if Choice.of(step) == choice), None)
                try:
                    taken = take(program, state, choice)
                except ReplayError:
                    taken = None
                if taken != meant:
                    return f"{choice} in {state}"
    return None


def test_one_process_is_asked_instead_of_all() -> None:
    assert disagreement() is None


def test_a_mistake_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def whoever_holds(program: Program, state: State, process: int) -> Iterator[list[object]]:
        yield list(process_steps(program, state, process, state.holder != NO_PROCESS))

    monkeypatch.setattr(replay, "_candidates", whoever_holds)
    assert disagreement() is not None


def test_a_process_that_does_not_exist_takes_no_step() -> None:
    program = parse("byte x; active proctype P() { x = 1 }").program
    for process in (-1, 1, 255):
        with pytest.raises(ReplayError):
            take(program, initial_state(program), Choice(process, 1))
