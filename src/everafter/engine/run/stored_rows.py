"""The rows that a completed search has stored, where they are or rebuilt, and the columns beside them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, Team
from everafter.engine.columns import WORD_BYTES, WORD_KIND, ColumnPlaces
from everafter.engine.memory.areas import Areas
from everafter.engine.memory.packed_memory import PackedMemory
from everafter.engine.memory.search_memory import Memory
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.record import dataclass
from everafter.search.parallel.space import MOST_RANK

BATCH_BYTES: Final = (8 << 16) + (1 << 20)
"""Room for the longest row, and for as many others as are worth rebuilding at a time."""


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Rows one behind the other in `parts`, pairs of the first word and the end, counted from the address `origin`."""

    origin: int
    places: ColumnPlaces
    parts: Iterator[tuple[int, int]]
    highest: int
    """What the ranks of a team are subtracted from, 0 for the numbers of components that one worker has noted."""

    def column(self, field: str) -> int:
        """Return the address of element 0 of the column `field`."""
        return self.origin + self.places.at[field]

    @property
    def ranks(self) -> int:
        """The address of element 0 of the numbers that ranks are made of."""
        return self.column("below" if self.highest else "member")


@contextmanager
def stored_rows(memory: Memory) -> Iterator[StoredRows]:
    """Give the rows in the `memory` of a search that has come to its end."""
    highest = MOST_RANK if memory.is_team else 0
    if isinstance(memory, TreeMemory | PackedMemory):
        with RebuiltRows(memory) as rows:
            yield StoredRows(rows.rows.origin, rows.places, rows.parts(), highest)
    else:
        yield StoredRows(memory.rows.origin, memory.places, _parts(memory), highest)


def _parts(memory: Memory) -> Iterator[tuple[int, int]]:
    """Yield where rows stand one behind the other: the first, and the end."""
    if not memory.is_team:
        yield int(memory.words[block.FIRST]), int(memory.words[block.END])
        return
    ends = memory.ends.numbers(WORD_KIND)
    for chunk in range(int(memory.words[Team.NEXT_CHUNK])):
        if ends[chunk] > chunk << CHUNK_SHIFT:
            yield (chunk << CHUNK_SHIFT) + memory.places.words, int(ends[chunk])


class RebuiltRows(Areas):
    """The rows of a search that has kept them as trees, or packed: some at a time, as a plain store would have them.

    Before each row is a word with the number of its component in the lower half, and what that lacks in the upper; of a
    team, with its rank as the team has noted it.
    """

    def __init__(self, memory: TreeMemory | PackedMemory) -> None:
        super().__init__()
        self._memory = memory
        self.places = ColumnPlaces(
            {"below": -WORD_BYTES} if memory.is_team else {"member": -WORD_BYTES, "missing": -WORD_BYTES // 2}, 1
        )
        self._columns = {name: memory.field(name) for name in self.places.at}
        self.rows = self.arena(BATCH_BYTES)

    def parts(self) -> Iterator[tuple[int, int]]:
        """Where rows stand one behind the other, the first and the end: until the next part is read."""
        first = end = self.places.words
        memory = self._memory
        for state, row in zip(memory.states(), memory.rebuilt(memory.states()), strict=True):
            size = WORD_BYTES * int.from_bytes(ctypes.string_at(row + 2, 2), "little")
            if WORD_BYTES * end + size > BATCH_BYTES - WORD_BYTES:
                yield first, end - self.places.words
                end = first
            target = self.rows.origin + WORD_BYTES * end
            ctypes.memmove(target, row, size)
            self._write_columns(target, state)
            end += size // WORD_BYTES + self.places.words
        yield first, end - self.places.words

    def _write_columns(self, row: int, state: int) -> None:
        for name, place in self.places.at.items():
            column = self._columns[name]
            ctypes.c_uint32.from_address(row + place).value = column[state] if len(column) else 0
