"""Taking the steps of a run again, one by one, on the reference meaning."""

from __future__ import annotations

from collections.abc import Iterable

from everafter.execution.run import Choice
from everafter.execution.state import State
from everafter.execution.step import Step, initial_state, steps
from everafter.program.program import Program
from everafter.source import EverafterError


class ReplayError(EverafterError):
    """A run that the model cannot take: it belongs to another model, or somebody is wrong."""


def take(program: Program, state: State, choice: Choice) -> Step:
    """The step a choice means in a state."""
    for step in steps(program, state):
        if Choice.of(step) == choice:
            return step
    raise ReplayError(f"process {choice.process} cannot take transition {choice.element} here")


def replay(program: Program, choices: Iterable[Choice]) -> tuple[State, list[Step]]:
    """The run that the choices lead to from the initial state."""
    start = state = initial_state(program)
    taken: list[Step] = []
    for choice in choices:
        step = take(program, state, choice)
        taken.append(step)
        if step.state is None:
            break
        state = step.state
    return start, taken
