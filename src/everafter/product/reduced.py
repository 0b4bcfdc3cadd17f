"""The steps that suffice in a state: those of one process where the reduction allows it, else all."""

from __future__ import annotations

from everafter.execution.perform import Actor
from everafter.execution.state import NOBODY, RuntimeProblem, State
from everafter.execution.step import Step, process_steps, steps
from everafter.program.program import Program
from everafter.promela.model import Expression
from everafter.reduction.ample import Reduction


def reduced_steps(program: Program, reduction: Reduction, state: State) -> list[Step]:
    """A part of the steps possible in a state that suffices, in the order of `steps`; none only if there are none.

    Inside an atomic sequence, and where only a `timeout` is possible, it is all of them.
    """
    if state.holder != NOBODY:
        return steps(program, state)
    found: list[Step] = []
    for number in reversed(range(len(state.processes))):
        own = process_steps(program, state, number, False)
        if own and reduction.suffices(state, number, _positions(program, state, number, own), _Values(program, state)):
            return own
        found += own
    return found or steps(program, state)


def _positions(program: Program, state: State, number: int, own: list[Step]) -> frozenset[int]:
    """Which transitions of a process these steps are, by position."""
    process = state.processes[number]
    transitions = program.processes[process.proctype].graph.nodes[process.node].transitions
    taken = {id(step.transition) for step in own}
    return frozenset(position for position, step in enumerate(transitions) if id(step) in taken)


class _Values:
    """The values of expressions in a state; 0 where there is none, for then the step itself is in error."""

    def __init__(self, program: Program, state: State) -> None:
        self.program = program
        self.state = state

    def __call__(self, number: int, expression: Expression) -> int:
        try:
            return Actor(self.program, self.state, number).value(expression)
        except RuntimeProblem:
            return 0
