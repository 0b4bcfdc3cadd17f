"""Graphs of states with and without reduction, to be searched and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from everafter.execution.packing import Packer
from everafter.execution.state import NO_PROCESS, RuntimeProblem, State
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.product.ample_steps import reduced_steps
from everafter.product.claim import AtAcceptLabel, Claim
from everafter.program.program import Program
from everafter.reduction.ample import Reduction

Successors = Callable[[State], list[Step]]


def successors_of(program: Program, reduction: Reduction | None) -> Successors:
    """The steps in a state, all or those that suffice."""
    if reduction is None:
        return lambda state: steps(program, state)
    return lambda state: reduced_steps(program, reduction, state)


class TooManyError(Exception):
    """More states than were asked for."""


@dataclass(slots=True)
class Explored:
    """What a search of all states finds: what goes wrong, and how many states there are."""

    states: int = 0
    wrong: set[str] = field(default_factory=set)


def explore(program: Program, reduction: Reduction | None, most: int, past_errors: bool = False) -> Explored:
    """Look at every state. As a safety check does, go no further from one in which something is wrong, unless asked."""
    following, packer = successors_of(program, reduction), Packer(program)
    found = Explored()
    pending = [packer.pack(initial_state(program))]
    seen = set(pending)
    while pending:
        state = packer.unpack(pending.pop())
        found.states += state.holder == NO_PROCESS
        own = following(state)
        wrong = {step.problem.kind for step in own if step.problem is not None}
        if not own and not is_valid_end(program, state):
            wrong.add("end-state")
        found.wrong |= wrong
        if past_errors or not wrong:
            new = {packer.pack(step.state) for step in own if step.state is not None} - seen
            seen |= new
            pending += new
        if len(seen) > most:
            raise TooManyError
    return found


@dataclass(slots=True)
class ClaimGraph:
    """The product with a claim. A step that goes wrong counts only if the claim can read the state it is in.

    Where the claim is at its end the run is over, even if an atomic sequence without end would begin.
    """

    program: Program
    claim: Claim
    reduction: Reduction | None
    most: int
    accept_labels: bool = False
    """Whether a process at an accept label makes a state accepting, too."""
    known: dict[State, list[Step]] = field(default_factory=dict)

    def initial(self) -> Iterable[tuple[State, int]]:
        yield initial_state(self.program), self.claim.start

    def _steps(self, state: State) -> list[Step]:
        if state not in self.known:
            if len(self.known) >= self.most:
                raise TooManyError
            self.known[state] = successors_of(self.program, self.reduction)(state)
        return self.known[state]

    def successors(self, pair: tuple[State, int]) -> Iterator[tuple[State, int]]:
        state, at = pair
        if at == _OVER:
            yield pair
            return
        own = self._steps(state)
        targets = [at]
        if state.holder == NO_PROCESS:
            try:
                targets = self.claim.moves(state, at, not own)
            except RuntimeProblem:
                targets = [_OVER]
        if targets and any(step.state is None for step in own):
            targets = [_OVER]
        if state.holder == NO_PROCESS and any(map(self.claim.is_end, (at, *targets))):
            targets = [_OVER]
        for target in targets:
            if target == _OVER or not own:
                yield state, target
            else:
                yield from ((step.state, target) for step in own if step.state is not None)

    def is_accepting(self, pair: tuple[State, int]) -> bool:
        state, at = pair
        if at == _OVER or state.holder != NO_PROCESS:
            return at == _OVER
        return self.claim.is_accepting(at) or (self.accept_labels and AtAcceptLabel(self.program)(state, False))


_OVER = -1
"""Where the claim is when something has gone wrong."""
