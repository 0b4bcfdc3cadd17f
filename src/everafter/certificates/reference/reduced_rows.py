"""Rows in which steps are left out, judged by the reference: whose are taken, and whether they are an ample set.

The reduction only names a process. What that process can do, who else can move and what a channel's name means say the
interpreter; what conflicts with what, the table that `independence/` makes of the program's text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from everafter.certificates.independence.conflict_table import ConflictTable, table_of
from everafter.certificates.independence.observation import Seen
from everafter.certificates.sufficing import ABLE, NOTES, look_at_processes, suffices
from everafter.execution.packing import Packer
from everafter.execution.perform import value_of
from everafter.execution.state import NO_PROCESS, RuntimeProblem, State
from everafter.execution.step import Step, initial_state, process_steps, steps
from everafter.product.claim import NeverClaim
from everafter.program.control_flow import Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.program import Program
from everafter.questions.question import Question
from everafter.record import dataclass, field

Expansion = Literal["all", "inside", "alone", "needed"]
"""Every step is taken; it is the middle of an atomic sequence; some are left out; some that may be needed are."""
_REMEMBERED = 1 << 16


def table_for(question: Question) -> ConflictTable:
    """By what a reduction that preserves the answer to a question is judged."""
    asked = question.property
    expressions = list(asked.watched)
    if isinstance(asked.claim, NeverClaim):
        effects = (step.effect for step in asked.claim.process.graph.transitions())
        expressions += (item for effect in effects for item in expressions_in(effect))
    accepting = asked.kind == "acceptance" or asked.accept_labels
    seen = Seen(tuple(expressions), accepting, asked.kind == "progress")
    return table_of(question.program, initial_state(question.program).memory, seen)


@dataclass
class Judge:
    """Decides states of the system, each once in a while."""

    program: Program
    chosen: Callable[[State], list[Step]]
    """The steps that a reduction leaves in a state of the system."""
    table: ConflictTable
    _known: dict[bytes, Expansion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._packer = Packer(self.program)

    def expansion(self, packed: bytes) -> Expansion:
        """Return which steps are taken in the state of the system that is `packed`."""
        found = self._known.get(packed)
        if found is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            found = self._known[packed] = self._decided(packed, self._packer.unpack(packed))
        return found

    def _decided(self, packed: bytes, state: State) -> Expansion:
        if state.holder != NO_PROCESS:
            return "inside"
        kept = self.chosen(state)
        own = [process_steps(self.program, state, number, False) for number in range(len(state.processes))]
        possible = [step for each in reversed(own) for step in each]
        if kept == (possible or steps(self.program, state)):
            return "all"
        if not kept or kept != own[kept[0].process]:  # nonempty, subset
            return "needed"
        return "alone" if self._suffices(packed, state, kept, own) else "needed"

    def _suffices(self, packed: bytes, state: State, kept: list[Step], own: list[list[Step]]) -> bool:
        asked = _StateQuestion(self.program, self.table, state, packed)
        count = look_at_processes(asked)
        for number, each in enumerate(own):
            asked.notes[number * NOTES + ABLE] = len(each)
        process, positions = kept[0].process, 0
        for step in kept:
            positions |= 1 << self._position(state, process, step.transition)
        answers = sum(self._may_not_answer(state, step) for step in kept)
        return suffices(asked, process, positions, answers, int(self._comes_to_an_end(kept)), count, True)

    def _comes_to_an_end(self, pending: list[Step]) -> bool:
        """Whether some of these steps, or of those behind them in an atomic sequence, ends it, or is an error."""
        passed: set[State] = set()
        pending = list(pending)
        while pending:
            state = pending.pop().state
            if state is None or state.holder == NO_PROCESS:
                return True
            if state not in passed:
                passed.add(state)
                pending += steps(self.program, state)
        return False

    def _may_not_answer(self, state: State, step: Step) -> bool:
        """Whether the partner in a rendezvous does what the property may see, or goes on in an atomic sequence."""
        if step.partner is None or step.partner_transition is None:
            return False
        partner = state.processes[step.partner]
        position = self._position(state, step.partner, step.partner_transition)
        goes_on = step.state is not None and step.partner_transition.keeps_atomic  # even if it cannot in this state
        return goes_on or (partner.proctype, partner.node, position) in self.table.visible

    def _position(self, state: State, number: int, transition: Transition) -> int:
        process = state.processes[number]
        listed = self.program.processes[process.proctype].graph.nodes[process.node].transitions
        return next(position for position, each in enumerate(listed) if each is transition)


class _StateQuestion:
    """What the decision asks, of one state."""

    def __init__(self, program: Program, table: ConflictTable, state: State, row: bytes) -> None:
        self._program = program
        self._spoken = table.spoken
        self._state = state
        self.row = row
        self.table: Sequence[int] = table.numbers
        self.notes = [0] * (NOTES * len(state.processes))

    def meant(self, process: int, expression: int) -> int:
        """The number of the channel that an expression of the table means to a process."""
        try:
            return value_of(self._program, self._state, process, self._spoken[expression][1])
        except RuntimeProblem:
            return 0
