"""States as views of their rows: of a large memory only the cells that are read, or that differ, are unpacked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, cast, overload

from everafter.execution.packing import Packer, RowBytes
from everafter.program.layout import WORD, bytes_of
from everafter.program.program import Program

_FEW = 64
"""No more bytes than these are compared one by one."""
_PARTS = 16
"""More bytes are compared in this number of parts."""


class _Cells(NamedTuple):
    """Where the cells of a program's memory are, counted from the first. A hidden one has no bytes."""

    offsets: tuple[int, ...]
    """The last one is that of what follows the cells."""
    sizes: tuple[int, ...]
    signed: tuple[bool, ...]

    @staticmethod
    def of(program: Program) -> _Cells:
        """The cells of `program`."""
        cells = program.memory.cells
        sizes = tuple(0 if cell.hidden else bytes_of(cell.width) for cell in cells)
        offsets = tuple(accumulate(sizes, initial=0))
        return _Cells(offsets, sizes, tuple(cell.width.signed for cell in cells))


class StoredCells(Sequence[int]):
    """The global cells of a row."""

    __slots__ = ("_cells", "_changed", "_row", "_start")

    def __init__(self, row: RowBytes, start: int, cells: _Cells, changed: Sequence[int] | None = None) -> None:
        self._row = row
        self._start = start
        self._cells = cells
        self._changed = changed

    @property
    def part(self) -> bytes:
        """The bytes of the cells."""
        found: bytes = self._row[self._start : self._start + self._cells.offsets[-1]]
        return found

    @overload
    def __getitem__(self, cell: int) -> int: ...
    @overload
    def __getitem__(self, cell: slice) -> tuple[int, ...]: ...
    def __getitem__(self, cell: int | slice) -> int | tuple[int, ...]:
        if isinstance(cell, slice):
            return tuple(self[number] for number in range(*cell.indices(len(self))))
        offset = self._start + self._cells.offsets[cell]
        data = self._row[offset : offset + self._cells.sizes[cell]]
        return int.from_bytes(data, "little", signed=self._cells.signed[cell])

    def __len__(self) -> int:
        return len(self._cells.signed)

    def __eq__(self, other: object) -> bool:
        return self.part == other.part if isinstance(other, StoredCells) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.part)

    def differing(self, old: StoredCells) -> Iterator[int]:
        """Yield, in order, the cells whose values are not those of `old`."""
        last, first = -1, self._start
        for byte in self._other_bytes(old):
            cell = bisect_right(self._cells.offsets, byte - first) - 1
            if cell != last:
                yield cell
            last = cell

    def _other_bytes(self, old: StoredCells) -> Iterator[int]:
        """The places of the bytes that are not those of `old`."""
        first, behind = self._start, self._start + self._cells.offsets[-1]
        if self._changed is None:
            yield from _differing(old._row, self._row, first, behind)
            return
        for word in self._changed:
            if first - WORD < word < behind:
                yield from _differing(old._row, self._row, max(word, first), min(word + WORD, behind))


def _differing(old: RowBytes, new: RowBytes, begin: int, end: int) -> Iterator[int]:
    """The places of the bytes from `begin` to `end` that differ."""
    if end - begin <= _FEW:
        yield from (place for place in range(begin, end) if old[place] != new[place])
        return
    size = max(-(-(end - begin) // _PARTS), _FEW)
    for first in range(begin, end, size):
        last = min(first + size, end)
        if old[first:last] != new[first:last]:
            yield from _differing(old, new, first, last)


class ViewPacker(Packer):
    """Unpacks states whose memory is a view of their row."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._cells = _Cells.of(program)
        self.changed: Sequence[int] | None = None
        """The words that may not be as in the row with which the next one is compared, if that is known."""

    def _memory(self, data: RowBytes, start: int) -> tuple[int, ...]:
        """The global cells of a row, of which the first byte is at `start`, as a view."""
        return cast(tuple[int, ...], StoredCells(data, start, self._cells, self.changed))  # a sequence all the same
