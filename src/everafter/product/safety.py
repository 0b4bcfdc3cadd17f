"""The states of a program as a graph in which every violation of safety is one more state."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS, Problem, State
from everafter.execution.step import Step, end_problem, initial_state, is_valid_end, steps
from everafter.product.ample_steps import possible_steps
from everafter.product.sequence_ways import ways
from everafter.program.layout import HOLDER
from everafter.program.program import Program
from everafter.record import dataclass, field
from everafter.reduction.ample import Reduction

VIOLATION = b""
"""Stands for every violation as a state of the graph; no state packs to nothing."""


@dataclass(slots=True)
class SafetyGraph:
    """The states of a program, packed. One in which something goes wrong leads to VIOLATION, if that is wanted."""

    program: Program
    stops_at_violations: bool = True
    reduction: Reduction | None = None
    start: State | None = None
    """Where all begins, if not in the initial state."""
    counts: bool = False
    """Whether `transitions` are counted."""
    violation = VIOLATION
    packer: Packer = field(init=False)
    states: int = 0
    """States expanded in which any process may move: those that SPIN stores."""
    transitions: int = 0
    """Ways followed from such states to the next; a way through an atomic sequence is one."""
    violations: int = 0
    reached: set[tuple[int, int]] = field(default_factory=set)
    """The statements that were executable in a state expanded: process types with elements."""

    def __post_init__(self) -> None:
        self.packer = Packer(self.program)

    def initial(self) -> Iterator[bytes]:
        """The packed state in which all begins."""
        yield self.packer.pack(self.start or initial_state(self.program))

    def successors(self, packed: bytes) -> Iterator[bytes]:
        """The packed successors, in the order SPIN tries them."""
        for target, _ in self.edges(packed):
            yield target

    def edges(self, packed: bytes) -> Iterator[tuple[bytes, Step | None]]:
        """The packed successors, each with the step that leads there, None to VIOLATION."""
        if packed == VIOLATION:
            return
        state = self.packer.unpack(packed)
        self.states += state.holder == NO_PROCESS
        found = possible_steps(self.program, state, self.reduction)
        if self.first_problem(state, found) is not None:
            self.violations += 1
            if self.stops_at_violations:
                self.transitions += 1
                yield VIOLATION, None
                return
        if self.counts and state.holder == NO_PROCESS:
            self.transitions += ways(self.program, found)
        for step in found:
            self.reached.update(_executed(state, step))
            if step.state is not None:
                yield self.packer.pack(step.state), step

    def is_inside(self, packed: bytes) -> bool:
        """Whether a state is in the middle of an atomic sequence."""
        return packed != VIOLATION and packed[HOLDER] != 0

    def wrong_step(self, packed: bytes) -> Step | None:
        """The step in which something goes wrong in a state that leads to VIOLATION; None if it is in an end state."""
        state = self.packer.unpack(packed)
        found = self.first_problem(state, steps(self.program, state))
        return found[1] if found is not None else None

    def first_problem(self, state: State, found: list[Step]) -> tuple[Problem, Step | None] | None:
        """Return what goes wrong in `state` first, and the step in which it does, of the steps `found`, or None."""
        for step in found:
            if step.problem is not None:
                return step.problem, step
        if not found and not is_valid_end(self.program, state):
            return end_problem(self.program, state), None
        return None


def _executed(state: State, step: Step) -> Iterator[tuple[int, int]]:
    """The statements that a step executes. A d_step is that of the partner, if there is one: it cannot send."""
    mover = state.processes[step.process].proctype
    yield mover, step.transition.element
    if step.partner is not None and step.partner_transition is not None:
        mover = state.processes[step.partner].proctype
        yield mover, step.partner_transition.element
    for element in step.inside:
        yield mover, element
