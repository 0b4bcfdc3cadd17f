"""Taking the steps of a run again, one by one, on the reference meaning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from everafter.execution.run import Choice
from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import Step, initial_state, steps, steps_of
from everafter.program.program import Program
from everafter.source import EverafterError


class ReplayError(EverafterError):
    """A run that the model cannot take: it belongs to another model, or everafter is wrong."""


def take(program: Program, state: State, choice: Choice) -> Step:
    """Return the step of `program` that `choice` means in `state`. Raises ReplayError if there is none."""
    for possible in _candidates(program, state, choice.process):
        for step in possible:
            if choice.means(step):
                return step
    raise ReplayError(f"process {choice.process} cannot take transition {choice.element} here")


def _candidates(program: Program, state: State, process: int) -> Iterator[Iterable[Step]]:
    """The steps of the process, where nothing forbids it to move; then all that are possible, of which these are some.

    Most often the first will do, and the other processes need not be looked at.
    """
    if state.holder in (NO_PROCESS, process) and 0 <= process < len(state.processes):
        yield steps_of(program, state, process, False)
    yield steps(program, state)


def replay(program: Program, choices: Iterable[Choice], begin: State | None = None) -> tuple[State, list[Step]]:
    """Return the run of `program` by `choices` from the initial state, or from `begin`: its start and its steps."""
    start = state = begin or initial_state(program)
    taken: list[Step] = []
    for choice in choices:
        step = take(program, state, choice)
        taken.append(step)
        if step.state is None:
            break
        state = step.state
    return start, taken


def state_along(program: Program, choices: Sequence[Choice]) -> State:
    """Return the state of `program` that `choices` lead to.

    Raises ReplayError where a step fails, or within an atomic sequence.
    """
    start, taken = replay(program, choices)
    state = taken[-1].state if taken else start
    if len(taken) != len(choices) or state is None:
        raise ReplayError("a step of this run cannot be completed: there is no state behind it")
    if state.holder != NO_PROCESS:
        raise ReplayError("in the middle of an atomic sequence nothing can be asked; go on to its end")
    return state
