"""Taking the steps of a run again, one by one, on the reference meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from everafter.execution.state import State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.verdict.result import Counterexample


@dataclass(frozen=True, slots=True)
class Choice:
    """Which step was taken: the process and its transition, and for a rendezvous also the receiver's."""

    process: int
    element: int
    partner: int | None = None
    partner_element: int | None = None

    @staticmethod
    def of(step: Step) -> Choice:
        """The choice that leads to this step."""
        answer = step.partner_transition
        return Choice(step.process, step.transition.element, step.partner, answer.element if answer else None)


class ReplayError(Exception):
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


def confirmed(program: Program, run: Counterexample) -> Counterexample:
    """The counterexample, taken once more from its choices alone, and judged again; nobody sees it otherwise."""
    start, taken = replay(program, [Choice.of(step) for step in run.prefix])
    last = taken[-1].state if taken else start
    problem = taken[-1].problem if taken else None
    if problem is None and last is not None and not steps(program, last) and not is_valid_end(program, last):
        problem = end_problem(program, last)
    if problem is None or start != run.start or problem != run.problem:
        raise ReplayError("the counterexample does not show the violation that was found")
    return Counterexample(start, tuple(taken), (), problem)
