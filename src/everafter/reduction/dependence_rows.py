"""When a process at one place depends on what one at another may still do: computed when it is needed, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from everafter.reduction.candidates import Candidate
from everafter.reduction.dependence import Condition, Dependence, ScopeClashes, Touch, told
from everafter.reduction.footprint import Cells
from everafter.reduction.futures import Futures

PlaceKey = tuple[int, int]
"""A proctype and a place of control."""
_Meant = dict[int, set[int] | None]
"""For a touch, by number, the numbers of the channels that the other process means; None is any channel."""


class Split(NamedTuple):
    """When two processes depend on each other, by what must be known of the other.

    `told`: only where it is. By number, touches with the numbers of the channels that it means there; None is any
    channel. `untold`: all other conditions.
    """

    told: list[tuple[int, set[int] | None]]
    untold: list[Condition]


class DependenceRow(dict[PlaceKey, frozenset[Condition]]):
    """When a process at one place depends on what another process may still do, by the place of the other."""

    def __init__(self, candidate: Candidate, futures: Futures, dependence: Dependence) -> None:
        super().__init__()
        self.candidate = candidate
        self._futures = futures
        self._dependence = dependence
        self.touches: list[Touch] = []
        """What a process here can do to channels that others may mean, too."""
        self._split: dict[PlaceKey, Split] = {}
        self.obstacle = 0
        """The number of the process that was in the way when a process was here the last time. It only saves time."""

    def split(self, other: PlaceKey, memory: Sequence[int]) -> Split:
        """Return the conditions for the place `other` of another process, in two parts.

        `memory` are the global cells.
        """
        if other not in self._split:
            meant: _Meant = {}
            untold: list[Condition] = []
            for item in self[other]:
                found = told(item)
                if found is None:
                    untold.append(item)
                else:
                    self._tell(*found, memory, meant)
            self._split[other] = Split(list(meant.items()), untold)
        return self._split[other]

    def _tell(self, touch: Touch, theirs: Cells | None, memory: Sequence[int], meant: _Meant) -> None:
        """Add what a clash says to the numbers that others mean, for each touch."""
        if touch not in self.touches:
            self.touches.append(touch)
        number = self.touches.index(touch)
        known = meant.setdefault(number, set())
        if theirs is None:
            meant[number] = None
        elif known is not None:
            known.update(memory[cell] for cell in theirs.cells)

    @property
    def clashes(self) -> ScopeClashes:
        """When a process here depends on what another may still do, for those who ask for more than one place."""
        return self._dependence.of(self.candidate.scope)

    def __missing__(self, other: PlaceKey) -> frozenset[Condition]:
        found = self._dependence.clashes(self.candidate.scope, self._futures.of(*other))
        self[other] = found
        return found
