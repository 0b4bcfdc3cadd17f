"""Synchronous product: the runs of the system that a claim accepts.

The claim moves first: it reads a state, then the system takes a step. In the middle of an atomic sequence the claim
does not move, so it sees only the states in which any process may move. A system that has stopped stutters: it stays
where it is, and the claim goes on reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS, Problem, RuntimeProblem, State
from everafter.execution.step import Step, initial_state
from everafter.product.ample_steps import possible_steps
from everafter.product.claim import AtAcceptLabel, Claim, accepts_inside
from everafter.product.sequence_ways import ways
from everafter.program.program import Program
from everafter.record import dataclass, field
from everafter.reduction.ample import Reduction
from everafter.source import Place

ProductState = tuple[bytes, int]
"""A packed state of the system, and a state of the claim."""
VIOLATION: ProductState = (b"", 0)
"""Where a run goes that needs no infinite continuation: the claim is over, or a step cannot be completed."""
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Expansion:
    """A state of the system with everything that can happen in it."""

    state: State
    steps: tuple[Step, ...]
    successors: tuple[tuple[bytes, Step], ...]
    ways: int
    """How many ways lead to the next states in which any process may move."""

    @property
    def stopped(self) -> bool:
        """Whether nothing can happen any more."""
        return not self.steps

    @property
    def error(self) -> Step | None:
        """A step that cannot be completed, if there is one."""
        return next((step for step in self.steps if step.state is None), None)


@dataclass(slots=True)
class Product:
    """A graph whose accepting cycles are the runs that the claim accepts."""

    program: Program
    claim: Claim
    accept_labels: bool = False
    """Whether a process at an `accept` label makes a state accepting too, as beside a never claim."""
    reduction: Reduction | None = None
    """Which steps of the system suffice, if not all are to be taken."""
    start: State | None = None
    """Where all begins, if not in the initial state."""
    counts: bool = False
    """Whether `transitions` are counted."""
    violation = VIOLATION
    packer: Packer = field(init=False)
    transitions: int = 0
    """Edges followed from states in which any process may move; a way through an atomic sequence is one edge."""
    inside: set[ProductState] = field(default_factory=set)
    """Those in the middle of an atomic sequence that were left by an edge: no states by SPIN's count."""
    _expansions: dict[bytes, Expansion] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.packer = Packer(self.program)

    def initial(self) -> Iterator[ProductState]:
        """The state of the system in which all begins, with that of the claim."""
        yield self.packer.pack(self.start or initial_state(self.program)), self.claim.start

    def expansion(self, packed: bytes) -> Expansion:
        """What can happen in a state of the system; the last ones are remembered, for several claim states ask."""
        known = self._expansions.get(packed)
        if known is None:
            state = self.packer.unpack(packed)
            found = possible_steps(self.program, state, self.reduction)
            successors = [(self.packer.pack(step.state), step) for step in found if step.state is not None]
            leading = ways(self.program, found) if self.counts and state.holder == NO_PROCESS else 0
            known = Expansion(state, tuple(found), tuple(successors), leading)
            if len(self._expansions) >= _REMEMBERED:
                self._expansions.clear()
            self._expansions[packed] = known
        return known

    def successors(self, pair: ProductState) -> Iterator[ProductState]:
        """The product states one step away."""
        for target, _ in self.edges(pair):
            yield target

    def edges(self, pair: ProductState) -> Iterator[tuple[ProductState, Step | None]]:
        """The product states one step away, each with the step of the system, None when it stutters."""
        if pair == VIOLATION:
            yield VIOLATION, None
            return
        packed, at = pair
        here = self.expansion(packed)
        problem = self.problem(pair)
        if problem is not None:
            self.transitions += 1
            yield VIOLATION, None
            return
        is_inside = here.state.holder != NO_PROCESS
        targets = [at] if is_inside else self.claim.moves(here.state, at, here.stopped)
        if is_inside:
            self.inside.add(pair)
        else:
            self.transitions += (here.ways + here.stopped) * len(targets)
        for target in targets:
            if here.stopped:
                yield (packed, target), None
            for successor, step in here.successors:
                yield (successor, target), step

    def problem(self, pair: ProductState) -> Problem | None:
        """Why the run is over here with a violation: a step goes wrong, or the claim is at its end.

        The claim moves first: where it cannot, the run is of no interest, whatever goes wrong in it.
        """
        packed, at = pair
        here = self.expansion(packed)
        error = here.error if not accepts_inside(self.claim) else None
        if here.state.holder != NO_PROCESS:
            return error.problem if error is not None else None
        try:
            targets = self.claim.moves(here.state, at, here.stopped)
        except RuntimeProblem as stop:
            return stop.problem
        if error is not None and targets:
            return error.problem
        if any(self.claim.is_end(place) for place in (at, *targets)):
            return Problem("claim", self.claim.ending, self._place(here.state))
        return None

    def is_over(self, pair: ProductState) -> bool:
        """Whether the run is over here with a violation, whatever step could be taken: the claim is at its end."""
        packed, at = pair
        here = self.expansion(packed)
        if here.state.holder != NO_PROCESS:
            return False
        try:
            targets = self.claim.moves(here.state, at, here.stopped)
        except RuntimeProblem:
            return True
        return any(self.claim.is_end(place) for place in (at, *targets))

    def is_inside(self, pair: ProductState) -> bool:
        """Whether a product state is in the middle of an atomic sequence."""
        return pair != VIOLATION and self.expansion(pair[0]).state.holder != NO_PROCESS

    def wrong_step(self, pair: ProductState) -> Step | None:
        """The step that goes wrong in a state that leads to VIOLATION; None if the claim is over there."""
        error = self.expansion(pair[0]).error
        return error if error is not None and error.problem == self.problem(pair) else None

    def _place(self, state: State) -> Place:
        """Some place of the text to name: that of the oldest process."""
        for process in state.processes:
            return self.program.processes[process.proctype].graph.nodes[process.node].place
        return self.program.processes[0].declaration.place

    def is_accepting(self, pair: ProductState) -> bool:
        """Whether meeting this state for ever makes a run accepted."""
        if pair == VIOLATION:
            return True
        packed, at = pair
        state = self.packer.unpack(packed)
        if accepts_inside(self.claim) or state.holder != NO_PROCESS:
            return accepts_inside(self.claim) and state.holder != NO_PROCESS and self.claim.is_accepting(at)
        return self.claim.is_accepting(at) or (self.accept_labels and AtAcceptLabel(self.program)(state, False))
