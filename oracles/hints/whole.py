"""All that a program can do, by the meaning alone: every state that can be reached, and every step from each.

Only `execution` is asked, which says what one step does. There is no search order, no reduction and no packing of
states here, and nothing of what the hints compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import Step, initial_state, steps
from everafter.program.program import Program


@dataclass(frozen=True)
class Whole:
    """The graph of a program: its states, the initial one first, and the steps from each with the state behind."""

    program: Program
    states: list[State]
    edges: list[list[tuple[Step, int | None]]]
    """The target is None where a step cannot be completed."""

    def every_step(self) -> Iterator[tuple[State, Step]]:
        """Each step with the state in which it can be taken."""
        for state, row in zip(self.states, self.edges, strict=True):
            for step, _ in row:
                yield state, step

    def targets(self, number: int) -> list[int]:
        """The states one step behind a state, in the order of the steps, the same one as often as it is met."""
        return [target for _, target in self.edges[number] if target is not None]

    @property
    def stopped(self) -> list[State]:
        """The states in which nothing can happen."""
        return [state for state, row in zip(self.states, self.edges, strict=True) if not row]

    @property
    def breaks(self) -> bool:
        """Whether some step cannot be completed."""
        return any(target is None for row in self.edges for _, target in row)

    def is_inside(self, number: int) -> bool:
        """Whether a state is in the middle of an atomic sequence, where no formula looks."""
        return self.states[number].holder != NO_PROCESS


def whole(program: Program, most: int) -> Whole | None:
    """The graph of a program; None if it has more than `most` states."""
    states = [initial_state(program)]
    numbers = {states[0]: 0}
    edges: list[list[tuple[Step, int | None]]] = []
    while len(edges) < len(states):
        row: list[tuple[Step, int | None]] = []
        for step in steps(program, states[len(edges)]):
            if step.state is not None and step.state not in numbers:
                if len(states) == most:
                    return None
                numbers[step.state] = len(states)
                states.append(step.state)
            row.append((step, None if step.state is None else numbers[step.state]))
        edges.append(row)
    return Whole(program, states, edges)


def hangs(graph: Whole) -> bool:
    """Whether an atomic sequence may go on for ever: a run that stays in it shows no formula anything."""
    inside = {number for number in range(len(graph.states)) if graph.is_inside(number)}
    while inside:
        left = {number for number in inside if any(target in inside for target in graph.targets(number))}
        if left == inside:
            return True
        inside = left
    return False
