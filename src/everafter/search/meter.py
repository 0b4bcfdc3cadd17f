"""How far a search has come, and how its caller stops it.

An interrupted search never looks like a finished one: it raises `Stopped`, which carries the figures reached.
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.record import dataclass
from everafter.source import EverafterError


@dataclass(frozen=True, slots=True)
class Statistics:
    """The size of what a search has seen."""

    states: int
    """Distinct states seen."""
    transitions: int
    """Successors generated; what a search generates twice counts twice."""
    depth: int
    """States on the longest path that a depth-first search was on, or to the farthest state of a breadth-first one."""


class Stopped(EverafterError):
    """The caller stopped the search before it had an answer."""

    def __init__(self, statistics: Statistics) -> None:
        super().__init__(f"stopped after {statistics.states} states")
        self.statistics = statistics


class Meter:
    """The figures of one search while it runs; give it to the search, and read it then or afterwards.

    `report` is called with the meter each time `every` more states have been expanded. When it returns True, the
    search raises `Stopped`.
    """

    __slots__ = ("depth", "every", "expansions", "report", "states", "transitions")

    def __init__(self, report: Callable[[Meter], bool | None] | None = None, every: int = 1000) -> None:
        if every < 1:
            raise ValueError(f"a meter reports every 1 or more states, not every {every}")
        self.report = report
        self.every = every
        self.restart()

    def restart(self) -> None:
        """Set every figure to zero; each search does this when it starts."""
        self.states = 0
        self.transitions = 0
        self.depth = 0
        self.expansions = 0

    def tick(self) -> bool:
        """Count one more state expanded, report if a report is due, and say whether the search goes on."""
        self.expansions += 1
        if self.report is None or self.expansions % self.every:
            return True
        return not self.report(self)

    @property
    def statistics(self) -> Statistics:
        """The figures as a value."""
        return Statistics(self.states, self.transitions, self.depth)
