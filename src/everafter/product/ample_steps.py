"""An ample set of the steps in a state: those of one process where the reduction allows it, else all."""

from __future__ import annotations

from collections.abc import Collection

from everafter.execution.perform import value_of
from everafter.execution.state import NO_PROCESS, RuntimeProblem, State
from everafter.execution.step import Step, process_steps, steps
from everafter.program.control_flow import Transition
from everafter.program.program import Program
from everafter.promela.model import Expression
from everafter.reduction.ample import Known, Move, Reduction


def possible_steps(program: Program, state: State, reduction: Reduction | None) -> list[Step]:
    """Return the steps possible in `state` of `program`, or, with a `reduction`, an ample set of them."""
    return steps(program, state) if reduction is None else reduced_steps(program, reduction, state)


def reduced_steps(program: Program, reduction: Reduction, state: State) -> list[Step]:
    """Return an ample set of the steps possible in `state` of `program`, by `reduction`, in the order of `steps`.

    It is empty only if no step is possible. Inside an atomic sequence, and where only a `timeout` is possible, it is
    all of the steps.
    """
    if state.holder != NO_PROCESS:
        return steps(program, state)
    everybody = range(len(state.processes))
    places = [(process.proctype, process.node) for process in state.processes]
    found: list[list[Step]] = [[]] * len(places)
    ask = _Question(program, reduction, state)
    for number in reversed(everybody):
        own = found[number] = process_steps(program, state, number, False)
        if own and reduction.may_suffice(places, number, everybody) and ask.suffices(own, ()):
            return own
    able = [number for number in reversed(everybody) if found[number]]
    if 1 < len(able) < len(places):
        blocked = frozenset(everybody) - frozenset(able)
        for number in able:
            own = found[number]
            if reduction.may_suffice(places, number, able) and ask.suffices(own, blocked):
                return own
    return [step for number in able for step in found[number]] or steps(program, state)


class _Question:
    """What the reduction reads of one state; it remembers the answers."""

    def __init__(self, program: Program, reduction: Reduction, state: State) -> None:
        self.program = program
        self.reduction = reduction
        self.state = state
        self.known = Known()

    def suffices(self, own: list[Step], blocked: Collection[int]) -> bool:
        """Whether these steps of a process suffice."""
        number = own[0].process
        if self.known.refuses(number, blocked):
            return False
        moves = _moves(self.program, self.state, own)
        return self.reduction.suffices(self.state, number, moves, self._value, blocked, self.known)

    def _value(self, number: int, expression: Expression) -> int:
        """The value of an expression; 0 where there is none, for then the step itself is in error."""
        try:
            return value_of(self.program, self.state, number, expression)
        except RuntimeProblem:
            return 0


def _moves(program: Program, state: State, own: list[Step]) -> list[Move]:
    """The steps of a process as the reduction asks for them."""
    return [
        Move(
            _position(program, state, step.process, step.transition),
            step.partner,
            _position(program, state, step.partner, step.partner_transition),
            _goes_on(step),
        )
        for step in own
    ]


def _goes_on(step: Step) -> bool:
    """Whether the partner in a rendezvous goes on without interruption, even if it cannot in this state."""
    answer = step.partner_transition
    return answer is not None and step.state is not None and answer.keeps_atomic


def _position(program: Program, state: State, number: int | None, transition: Transition | None) -> int:
    """The position of a transition among those of the place where its process is; 0 if there is none."""
    if number is None:
        return 0
    process = state.processes[number]
    transitions = program.processes[process.proctype].graph.nodes[process.node].transitions
    return next(position for position, other in enumerate(transitions) if other is transition)
