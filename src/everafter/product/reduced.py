"""The steps that suffice in a state: those of one process where the reduction allows it, else all."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from everafter.execution.perform import Actor
from everafter.execution.state import NOBODY, RuntimeProblem, State
from everafter.execution.step import Step, process_steps, steps
from everafter.program.graph import Transition
from everafter.program.program import Program
from everafter.promela.model import Expression
from everafter.reduction.ample import Move, Reduction


def reduced_steps(program: Program, reduction: Reduction, state: State) -> list[Step]:
    """A part of the steps possible in a state that suffices, in the order of `steps`; none only if there are none.

    Inside an atomic sequence, and where only a `timeout` is possible, it is all of them.
    """
    if state.holder != NOBODY:
        return steps(program, state)
    everybody = range(len(state.processes))
    places = [(process.proctype, process.node) for process in state.processes]
    value = _Values(program, state)
    found: dict[int, list[Step]] = {}

    def suffices(number: int, others: Sequence[int], blocked: Collection[int]) -> bool:
        if not found[number] or not reduction.may_suffice(places, number, others):
            return False
        return reduction.suffices(state, number, _moves(program, state, found[number]), value, blocked)

    for number in reversed(everybody):
        found[number] = process_steps(program, state, number, False)
        if suffices(number, everybody, ()):
            return found[number]
    able = [number for number, own in found.items() if own]
    if 1 < len(able) < len(found):
        blocked = found.keys() - able
        for number in able:
            if suffices(number, able, blocked):
                return found[number]
    return [step for own in found.values() for step in own] or steps(program, state)


def _moves(program: Program, state: State, own: list[Step]) -> list[Move]:
    """The steps of a process as the reduction asks for them."""
    return [
        Move(
            _position(program, state, step.process, step.transition),
            step.partner,
            _position(program, state, step.partner, step.partner_transition),
            step.partner is not None and step.state is not None and step.state.holder != NOBODY,
        )
        for step in own
    ]


def _position(program: Program, state: State, number: int | None, transition: Transition | None) -> int:
    """The position of a transition among those of the place where its process is; 0 if there is none."""
    if number is None:
        return 0
    process = state.processes[number]
    transitions = program.processes[process.proctype].graph.nodes[process.node].transitions
    return next(position for position, other in enumerate(transitions) if other is transition)


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
