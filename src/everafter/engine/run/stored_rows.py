"""The rows that a completed search has stored, where they are or gathered, and the columns beside them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, Team
from everafter.engine.columns import NARROW, WORD_BYTES, WORD_KIND, ColumnPlaces
from everafter.engine.memory.areas import Areas
from everafter.engine.memory.packed_memory import PackedMemory
from everafter.engine.memory.search_memory import Memory
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.record import dataclass
from everafter.search.parallel.space import MOST_RANK

BATCH_BYTES: Final = (8 << 16) + (1 << 20)
"""Room for the longest row, and for as many others as are worth gathering at a time."""
LEFT_AT: Final = "predecessors"
"""The column in which a state that is on no accepting cycle, and counts no predecessors, has when that was known."""
_COMPONENT: Final = "member"
Gathered = tuple[int | bytes, int, Sequence[int]]
"""A row, or its address; how many bytes it has; and its numbers."""


@dataclass(frozen=True, slots=True)
class StoredRows:
    """Rows one behind the other in `parts`, pairs of the first word and the end, counted from the address `origin`."""

    origin: int
    places: ColumnPlaces
    parts: Iterator[tuple[int, int]]
    ranks: str
    """The column of the numbers that ranks are made of."""
    highest: int
    """What these are subtracted from, 0 for the numbers of components that one worker has noted."""
    width: int
    """How many bytes they have."""

    def column(self, field: str) -> int:
        """Return the address of element 0 of the column `field`."""
        return self.origin + self.places.at[field]


@contextmanager
def stored_rows(memory: Memory) -> Iterator[StoredRows]:
    """Give the rows in the `memory` of a search that has come to its end."""
    ranks = _ranks_in(memory)
    highest = 0 if ranks == _COMPONENT else MOST_RANK
    if isinstance(memory, TreeMemory | PackedMemory):
        columns = {name: memory.field(name) for name in ((ranks,) if highest else (ranks, "missing"))}
        with gathered_rows(_rebuilt(memory, list(columns.values())), *columns) as rows:
            yield rows
    else:
        yield StoredRows(memory.rows.origin, memory.places, _parts(memory), ranks, highest, memory.width)


def _ranks_in(memory: Memory) -> str:
    """Return the column of ranks: that of a team, of rounds in which states leave, or of components."""
    if memory.is_team:
        return "below"
    return LEFT_AT if LEFT_AT in memory.algorithm.columns else _COMPONENT


def _rebuilt(memory: TreeMemory | PackedMemory, columns: Sequence[Any]) -> Iterator[Gathered]:
    """Yield the row of each state in `memory`, with what those of the `columns` have of it that are kept."""
    kept = [column for column in columns if len(column)]
    for state, row in zip(memory.states(), memory.rebuilt(memory.states()), strict=True):
        size = WORD_BYTES * int.from_bytes(ctypes.string_at(row + 2, 2), "little")
        yield row, size, [column[state] for column in kept] if kept else ()


@contextmanager
def gathered_rows(rows: Iterable[Gathered], *columns: str) -> Iterator[StoredRows]:
    """Give `rows`, each with its numbers in the `columns`, one or two, as a plain store would have them, part by part.

    The first column has ranks: with a second one numbers of components, else how far they are below the highest.
    """
    with GatheredRows(columns) as gathered:
        highest = 0 if len(columns) > 1 else MOST_RANK
        yield StoredRows(gathered.rows.origin, gathered.places, gathered.parts(rows), columns[0], highest, NARROW)


def _parts(memory: Memory) -> Iterator[tuple[int, int]]:
    """Yield where rows stand one behind the other: the first, and the end."""
    if not memory.is_team:
        yield int(memory.words[block.FIRST]), int(memory.words[block.END])
        return
    ends = memory.ends.numbers(WORD_KIND)
    for chunk in range(int(memory.words[Team.NEXT_CHUNK])):
        if ends[chunk] > chunk << CHUNK_SHIFT:
            yield (chunk << CHUNK_SHIFT) + memory.places.words, int(ends[chunk])


class GatheredRows(Areas):
    """Room for some rows at a time. Before each is a word with its numbers in the `columns`, four bytes each."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__()
        self.places = ColumnPlaces({name: NARROW * number - WORD_BYTES for number, name in enumerate(columns)}, 1)
        self.rows = self.arena(BATCH_BYTES)

    def parts(self, rows: Iterable[Gathered]) -> Iterator[tuple[int, int]]:
        """Yield where `rows` stand one behind the other, the first and the end: until the next part is read."""
        first = end = self.places.words
        places = list(self.places.at.values())
        for row, size, numbers in rows:
            if WORD_BYTES * end + size > BATCH_BYTES - WORD_BYTES:
                yield first, end - self.places.words
                end = first
            target = self.rows.origin + WORD_BYTES * end
            ctypes.memmove(target, row, size)
            for place, number in zip(places, numbers, strict=False):  # none where no column is kept
                ctypes.c_uint32.from_address(target + place).value = number
            end += size // WORD_BYTES + self.places.words
        yield first, end - self.places.words
