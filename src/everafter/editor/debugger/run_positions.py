"""A run with a position in it: between two steps, from before the first to behind the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from everafter.execution.state import State
from everafter.execution.step import Step
from everafter.program.control_flow import Jump
from everafter.record import dataclass
from everafter.source import Place
from everafter.verdict.result import Counterexample

Stops = Callable[[int], bool]
"""Whether something at a position is to be looked at."""


@dataclass(frozen=True)
class RunPositions:
    """The positions of a counterexample: 0 is before its first step. Behind a cycle, its first step comes again."""

    run: Counterexample

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The state at each position; where a step could not be completed, the one before it."""
        found = [self.run.start]
        for step in self.run.steps:
            found.append(step.state if step.state is not None else found[-1])
        return tuple(found)

    @property
    def last(self) -> int:
        """The last position."""
        return len(self.run)

    def coming(self, position: int) -> Step | None:
        """The step that is taken at `position`; None where the run ends."""
        if position < self.last:
            return self.run.steps[position]
        return self.run.cycle[0] if self.run.cycle else None

    def gone(self, position: int) -> Step | None:
        """The step that has led to `position`."""
        return self.run.steps[position - 1] if position else None

    def behind(self, position: int) -> int | None:
        """The position one step on; None where the run ends."""
        if position < self.last:
            return position + 1
        return len(self.run.prefix) + 1 if self.run.cycle else None

    def forwards(self, position: int, stops: Stops) -> int:
        """Return the first position behind `position` at which `stops` is true, or the last one."""
        following = self.behind(position)
        while following is not None:
            position = following
            if stops(position) or position == self.last:
                break
            following = self.behind(position)
        return position

    def backwards(self, position: int, stops: Stops) -> int:
        """Return the last position before `position` at which `stops` is true, or the first of all."""
        while position > 0:
            position -= 1
            if stops(position):
                break
        return position

    def is_statement(self, position: int) -> bool:
        """Whether more is done at `position` than to go on to another place."""
        step = self.coming(position)
        return step is None or not isinstance(step.transition.effect, Jump)

    def changes_hands(self, position: int) -> bool:
        """Whether at `position` another process moves than before."""
        before, step = self.gone(position), self.coming(position)
        return before is None or step is None or before.process != step.process

    def places(self, position: int) -> Iterator[tuple[int, Place]]:
        """The processes that are alive at `position`, the one that moves first, each with where it is."""
        state, step = self.states[position], self.coming(position)
        moving: dict[int, Place] = {}
        problem = self.run.problem
        if step is not None:
            moving[step.process] = step.transition.place
            if step.partner is not None and step.partner_transition is not None:
                moving[step.partner] = step.partner_transition.place
        elif problem is not None and problem.kind != "end-state" and (before := self.gone(position)) is not None:
            moving[before.process] = problem.place
        others = (number for number in range(len(state.processes)) if number not in moving)
        for number in (*moving, *others):
            if number < len(state.processes):
                yield number, moving.get(number) or self._standing(state, number)

    def _standing(self, state: State, number: int) -> Place:
        process = state.processes[number]
        return self.run.program.processes[process.proctype].graph.nodes[process.node].place
