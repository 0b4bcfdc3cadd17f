"""The states of a model, as far as a picture needs them: those between atomic sequences, and the ways between."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from everafter.execution.state import NO_PROCESS, Problem, State
from everafter.execution.step import Step, initial_state, is_valid_end, steps
from everafter.program.program import Program
from everafter.record import dataclass

MOST_SHOWN = 6
"""Of a longer atomic sequence only the first steps are kept."""
INSIDE = 20
"""How many states inside atomic sequences are looked at for each state that is wanted."""


@dataclass(frozen=True, slots=True)
class UnfoldedEdge:
    """What leads from one state to another: the steps of an atomic sequence, or one step.

    `target` is the number of a state, or None where the last step goes wrong and leads nowhere. Of many steps `steps`
    has the first ones, and `is_cut` is true. `problem` is what goes wrong on the way.
    """

    source: int
    target: int | None
    steps: tuple[Step, ...]
    is_cut: bool
    problem: Problem | None


@dataclass(frozen=True, slots=True)
class UnfoldedStates:
    """The states found from the initial one on, which is the first. `is_whole`: there are no others."""

    states: tuple[State, ...]
    ways: tuple[UnfoldedEdge, ...]
    stuck: frozenset[int]
    """The states in which nothing can happen though some process may not stop there."""
    ended: frozenset[int]
    """The states in which nothing can happen, and nothing must."""
    is_whole: bool


def explored(program: Program, most: int) -> UnfoldedStates:
    """Return the first `most` states of `program`, breadth-first.

    Further states are not in it, nor the ways to them.
    """
    start = initial_state(program)
    numbers = {start: 0}
    pending = deque([start])
    ways: list[UnfoldedEdge] = []
    stuck: set[int] = set()
    ended: set[int] = set()
    room = most * INSIDE
    is_whole = True
    while pending and room > 0:
        state = pending.popleft()
        source = numbers[state]
        found = list(_sequences(program, state, room))
        room -= sum(path.state is not None and path.state.holder != NO_PROCESS for path in found)
        for path in found:
            reached = path.state
            if reached is not None and reached.holder != NO_PROCESS:
                continue
            if reached is not None and reached not in numbers:
                if len(numbers) == most:
                    is_whole = False
                    continue
                numbers[reached] = len(numbers)
                pending.append(reached)
            target = None if reached is None else numbers[reached]
            ways.append(UnfoldedEdge(source, target, path.steps, path.is_cut, path.problem))
        if not found:
            (ended if is_valid_end(program, state) else stuck).add(source)
    return UnfoldedStates(tuple(numbers), tuple(ways), frozenset(stuck), frozenset(ended), is_whole and room > 0)


@dataclass(frozen=True, slots=True)
class _Path:
    """The steps that lead from a state to another, within an atomic sequence or to its end."""

    steps: tuple[Step, ...]
    state: State | None
    is_cut: bool = False
    problem: Problem | None = None

    def on(self, step: Step) -> _Path:
        """The path with one more step."""
        is_cut = len(self.steps) == MOST_SHOWN
        taken = self.steps if is_cut else (*self.steps, step)
        return _Path(taken, step.state, is_cut, self.problem or step.problem)


def _sequences(program: Program, state: State, most: int) -> Iterator[_Path]:
    """The paths from a state to each next one in which any process may move, and to those inside, up to `room`.

    One path to each state inside is enough.
    """
    pending = [_Path((), state).on(step) for step in reversed(steps(program, state))]
    seen: set[State] = set()
    while pending:
        path = pending.pop()
        reached = path.state
        if reached is None or reached.holder == NO_PROCESS:
            yield path
        elif reached not in seen and len(seen) < most:
            seen.add(reached)
            yield path
            pending += [path.on(step) for step in reversed(steps(program, reached))]
