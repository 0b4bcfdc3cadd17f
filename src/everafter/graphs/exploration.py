"""The states of a model, as far as a picture needs them: those between atomic sequences, and the ways between."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from everafter.execution.state import NOBODY, Problem, State
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.program.program import Program


@dataclass(frozen=True, slots=True)
class Way:
    """What leads from one state to another: the steps of an atomic sequence, or one step.

    `target` is the number of a state, or None where the last step goes wrong and leads nowhere.
    """

    source: int
    target: int | None
    steps: tuple[Step, ...]

    @property
    def problem(self) -> Problem | None:
        """What goes wrong on the way."""
        return next((step.problem for step in self.steps if step.problem is not None), None)


@dataclass(frozen=True, slots=True)
class Explored:
    """The states found from the initial one on, which is the first. `is_whole`: there are no others."""

    states: tuple[State, ...]
    ways: tuple[Way, ...]
    stuck: frozenset[int]
    """The states in which nothing can happen though somebody may not stop there."""
    ended: frozenset[int]
    """The states in which nothing can happen, and nothing must."""
    is_whole: bool


def explored(program: Program, most: int) -> Explored:
    """The states of a program, breadth-first, up to so many. Of further ones neither states nor ways are told."""
    start = initial_state(program)
    numbers = {start: 0}
    pending = deque([start])
    ways: list[Way] = []
    stuck: set[int] = set()
    ended: set[int] = set()
    is_whole = True
    while pending:
        state = pending.popleft()
        source = numbers[state]
        moved = False
        for taken in _sequences(program, state):
            moved = True
            reached = taken[-1].state
            if reached is not None and reached not in numbers:
                if len(numbers) == most:
                    is_whole = False
                    continue
                numbers[reached] = len(numbers)
                pending.append(reached)
            ways.append(Way(source, None if reached is None else numbers[reached], taken))
        if not moved:
            (ended if is_valid_end(program, state) else stuck).add(source)
    return Explored(tuple(numbers), tuple(ways), frozenset(stuck), frozenset(ended), is_whole)


def _sequences(program: Program, state: State) -> Iterator[tuple[Step, ...]]:
    """The steps from a state to each next one in which any process may move; one way to each is enough."""
    pending: list[tuple[tuple[Step, ...], State | None]] = [
        ((step,), step.state) for step in reversed(steps(program, state))
    ]
    seen: set[State] = set()
    while pending:
        taken, reached = pending.pop()
        if reached is None or reached.holder == NOBODY:
            yield taken
        elif reached not in seen:
            seen.add(reached)
            pending += [((*taken, step), step.state) for step in reversed(steps(program, reached))]
