"""How many ways lead from a state to the next ones in which any process may move."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import Step, steps
from everafter.program.program import Program

_MOST: Final = 10_000
"""Choices in one sequence that are followed."""


def ways(program: Program, found: Iterable[Step]) -> int:
    """Return how many ways through atomic sequences of `program` begin with one of the steps `found`.

    A way goes on while one process alone may move. Ways that meet where it has a choice are one from there on, and one
    that runs in a circle ends there. Where there are very many choices, only some are followed.
    """
    pending = [step.state for step in found]
    count, met = 0, set[State]()
    while pending and len(met) < _MOST:
        state = pending.pop()
        mark, length = state, 0
        while state is not None and state.holder != NO_PROCESS:
            following = steps(program, state)
            if len(following) != 1:
                if state not in met:
                    met.add(state)
                    pending += [step.state for step in following]
                count -= 1
                break
            state = following[0].state
            length += 1
            if state == mark:
                break
            if length & (length - 1) == 0:  # as Brent does, 1980
                mark = state
        count += 1
    return count
