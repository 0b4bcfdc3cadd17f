"""States as views of their rows: of a large memory only the cells that are read are unpacked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, cast, overload

from everafter.execution.packing import Packer, RowBytes
from everafter.program.layout import bytes_of
from everafter.program.program import Program


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

    __slots__ = ("_cells", "_row", "_start")

    def __init__(self, row: RowBytes, start: int, cells: _Cells) -> None:
        self._row = row
        self._start = start
        self._cells = cells

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


class ViewPacker(Packer):
    """Unpacks states whose memory is a view of their row."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._cells = _Cells.of(program)

    def _memory(self, data: RowBytes, start: int) -> tuple[int, ...]:
        """The global cells of a row, of which the first byte is at `start`, as a view."""
        return cast(tuple[int, ...], StoredCells(data, start, self._cells))  # a sequence all the same
