"""Memory for one search: large reserved areas of which only the pages touched cost anything.

All of it is given back when the `with` block that holds a `Memory` ends.
"""

from __future__ import annotations

import ctypes
import mmap
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Literal

from everafter.engine import block
from everafter.engine.columns import (
    BY_DEPTH,
    BY_ROW,
    NARROW,
    NARROW_WORDS,
    WIDE,
    WIDE_WORDS,
    Kind,
    column_words,
    cost,
    kinds,
    state_columns,
)
from everafter.search.algorithm import Algorithm

PAGE: Final = 4096
HUGE_PAGE: Final = 1 << 21
LEAST_BYTES: Final = 1 << 20
MODEL_BYTES: Final = 1 << 28  # room for what the model writes at once, which it must never pass
FIRST_LINES: Final = 64
FIRST_ROW: Final = 8
# Pages cost nothing before they are touched, and no system should refuse them because they might be.
_RESERVE: Final = sum(getattr(mmap, name, 0) for name in ("MAP_PRIVATE", "MAP_ANONYMOUS", "MAP_NORESERVE"))


class Area:
    """A reserved area: of the size wanted, or smaller if the system refuses that much.

    It is made of huge pages, except for its first bytes: where little is used, little should be paid.
    """

    def __init__(self, size: int, small: int = HUGE_PAGE) -> None:
        self._map = _reserved(max(size, LEAST_BYTES))
        self.size = len(self._map)
        self._anchor = ctypes.c_char.from_buffer(self._map)
        self.address = ctypes.addressof(self._anchor)
        self._views: list[memoryview[int]] = []
        if hasattr(mmap, "MADV_HUGEPAGE") and small < self.size:
            with suppress(OSError):  # a system without huge pages
                self._map.madvise(mmap.MADV_HUGEPAGE, small, self.size - small)

    def numbers(self, kind: Kind, begin: int = 0) -> Any:
        """The numbers in the area, the first of them at the byte `begin`, as a mutable sequence."""
        formats: dict[int, Literal["B", "I", "q"]] = {8: "B", 32: "I", 64: "q"}
        whole = memoryview(self._map).cast(formats[kind.bits])
        view = whole[begin // kind.size :: kind.scale // kind.size]
        self._views += [view, whole]
        return view

    def copied(self, begin: int, count: int) -> bytes:
        """A copy of some bytes of the area."""
        return self._map[begin : begin + count]

    def close(self) -> None:
        """Give the memory back; views that are still around become unusable."""
        for view in self._views:
            view.release()
        del self._anchor
        self._map.close()


def _reserved(size: int) -> mmap.mmap:
    size = -(-size // PAGE) * PAGE
    while True:
        try:
            return mmap.mmap(-1, size, flags=_RESERVE) if _RESERVE else mmap.mmap(-1, size)
        except (OSError, OverflowError, ValueError):
            if size <= LEAST_BYTES:
                raise
            size = size // 2 // PAGE * PAGE


def row_at(arena: Area, number: int) -> bytes:
    """The row of a state in the arena, its colour set to 0."""
    begin = PAGE + 8 * number
    words = int.from_bytes(arena.copied(begin + 2, 2), "little")
    return b"\0" + arena.copied(begin + 1, 8 * words - 1)


class Biased:
    """A column that keeps each number plus one, as numbers."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __getitem__(self, index: int) -> int:
        return int(self._column[index]) - 1

    def __setitem__(self, index: int, value: int) -> None:
        self._column[index] = value + 1


class Memory:
    """The block, the arena, the hash table and the columns of one search, within a limit of bytes."""

    def __init__(self, algorithm: Algorithm, limit: int, lines: int = FIRST_LINES) -> None:
        self.width = NARROW if limit // 8 <= NARROW_WORDS else WIDE
        self._most = NARROW_WORDS - 2 if self.width == NARROW else WIDE_WORDS
        self.kinds = kinds(algorithm, self.width)
        self._areas: list[Area] = []
        try:
            self._lay_out(algorithm, limit, lines)
        except BaseException:
            self.close()
            raise

    def _lay_out(self, algorithm: Algorithm, limit: int, lines: int) -> None:
        self.block_area = self._area(block.WORDS * 8)
        self.words = self.block_area.numbers(Kind(64, 8))
        self.arena = self._area(limit + 2 * PAGE, small=0)
        self.slots = self._area(limit, small=0)
        self.columns: dict[str, Area] = {}
        rows = limit // 16
        frame_bytes = cost(BY_DEPTH, algorithm, self.width)
        pending_bytes = cost(("pending", "masks"), algorithm, self.width)
        for field, kind in self.kinds.items():
            if kind.bits and field in BY_DEPTH:
                self.columns[field] = self._area(limit // frame_bytes * kind.size)
            elif kind.bits and field in ("pending", "masks"):
                self.columns[field] = self._area(limit // pending_bytes * kind.size)
            elif kind.bits and field in BY_ROW:
                self.columns[field] = self._area(rows * kind.size)
        self.columns["initial"] = self._model_area()
        settings = {
            block.ARENA: self.arena.address + PAGE,
            block.ARENA_WORDS: min((self.arena.size - 2 * PAGE) // 8, self._most),
            block.SLOTS: self.slots.address,
            block.SLOTS_BYTES: self.slots.size,
            block.LINES: lines,
            block.ROOM_ROWS: 7 * lines,
            block.BUFFER: self._model_area().address,
            block.SCRATCH: self._model_area().address,
            block.FRAMES: self._room(BY_DEPTH) - 2,
            block.PENDING_ROOM: self._room(("pending", "masks")),
            block.LIMIT_BYTES: limit,
            block.COLUMN_WORDS: column_words(algorithm, self.width),
            block.FRAME_BYTES: frame_bytes,
            block.PENDING_BYTES: pending_bytes,
            block.STATE_BYTES: cost(BY_ROW, algorithm, self.width),
            block.FIRST: FIRST_ROW,
            block.END: FIRST_ROW - column_words(algorithm, self.width),
            block.WANTED: 1,
        }
        self.state_columns = state_columns(algorithm)
        for index, value in settings.items():
            self.words[index] = value
        for index, field in enumerate(block.FIELDS):
            self.words[block.FIELD + index] = self._address(field)

    def _area(self, size: int, small: int = HUGE_PAGE) -> Area:
        self._areas.append(Area(size, small))
        return self._areas[-1]

    def _model_area(self) -> Area:
        """An area that depends on what the model writes, which nobody limits: less will not do."""
        area = self._area(MODEL_BYTES)
        if area.size < MODEL_BYTES:
            raise MemoryError(f"the system refuses {MODEL_BYTES >> 20} MiB of address space")
        return area

    def _room(self, fields: tuple[str, ...]) -> int:
        """How many elements every one of these columns has room for."""
        kept = [(self.columns[field], self.kinds[field]) for field in fields if field in self.columns]
        return min(self._most, *(area.size // kind.size for area, kind in kept))

    def _address(self, field: str) -> int:
        """The address of element 0 of the field, 0 if it is not kept."""
        if field == "colour":
            return self.arena.address + PAGE
        if field in block.SINGLE:
            return self.block_area.address + 8 * block.SINGLE[field]
        if field in self.state_columns:
            return self.arena.address + PAGE - self.width * (1 + self.state_columns.index(field))
        return self.columns[field].address if field in self.columns else 0

    def field(self, field: str) -> Any:
        """The field as a mutable sequence of numbers, for whoever reads the store from Python.

        A field that the search does not keep is a dictionary: enough for an explanation, which fills it in order.
        """
        kind = Kind(64, 8) if field == "initial" else self.kinds[field]
        if not kind.bits:
            return {}
        if field in block.SINGLE:
            view = self.block_area.numbers(kind, 8 * block.SINGLE[field])
        elif field == "colour" or field in self.state_columns:
            view = self.arena.numbers(kind, self._address(field) - self.arena.address)
        else:
            view = self.columns[field].numbers(kind)
        return Biased(view) if kind.bias else view

    def row(self, number: int) -> bytes:
        """The row of the state, its colour set to 0."""
        return row_at(self.arena, number)

    def bytes_in_use(self) -> int:
        """The memory in use by rows, hash table and stacks, as the limit counts it."""
        words = self.words
        return int(
            8 * words[block.END]
            + 64 * words[block.LINES]
            + words[block.ROWS] * words[block.STATE_BYTES]
            + words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
        )

    def close(self) -> None:
        """Give all memory back."""
        while self._areas:
            self._areas.pop().close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()
