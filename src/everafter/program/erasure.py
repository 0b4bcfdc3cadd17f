"""What of a state is written as zero, since nothing that may follow depends on it: cells as sets of bits.

A program that erases has fewer states, and they are those of the program itself with these cells taken for equal; runs
are the same, step by step. Where the sets come from, `unread_cells.py` and `reduction/live_cells.py` say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from everafter.record import dataclass

CellSet = int
"""Cells of one region, the global one or that of a process: bit n stands for cell n."""


NOWHERE = -1
"""The place of a process that has ended."""


class Dead(NamedTuple):
    """Cells without a reader at a place of control: of the process there, and of the globals that it alone uses."""

    local: CellSet = 0
    owned: CellSet = 0


@dataclass(frozen=True, slots=True)
class Erasure:
    """The cells that are zero in every state, and those that are at places of control."""

    unread: CellSet
    """The global cells that are never read."""
    unread_locals: tuple[CellSet, ...]
    """Those of each proctype."""
    dead: tuple[Mapping[int, Dead], ...]
    """For each proctype and place, the cells that are zero there, except the global ones that are never read."""
    owned: tuple[CellSet, ...]
    """The global cells that only the process of a proctype uses, of which there is one: zero once it has ended."""
    fields: tuple[CellSet, ...]
    """For each type of channels, the fields of messages that are never read."""

    @property
    def is_empty(self) -> bool:
        """Whether every state is left as it is."""
        is_any = self.unread or any(self.fields)
        return not is_any and all(not any(item) for places in self.dead for item in places.values())

    def at(self, proctype: int, node: int) -> Dead:
        """Return what is zero while a process of `proctype` is at `node`, or has ended, if there is no such place."""
        found = self.dead[proctype].get(node)
        return Dead(0, self.owned[proctype]) if found is None else found


def cells_in(cells: CellSet) -> Iterator[int]:
    """The numbers of the cells in a set, in order."""
    while cells:
        lowest = cells & -cells
        yield lowest.bit_length() - 1
        cells ^= lowest
