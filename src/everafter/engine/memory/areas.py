"""Reserved areas of memory, and the arena, which knows where the row of a state is.

An area costs addresses; memory only where it is touched. Where the system limits the addresses of a process, areas are
made smaller before any is reserved, so that something is left for the rest of the process.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Literal, Self

from everafter.engine.columns import WORD_BYTES, WORD_KIND, ElementKind
from everafter.system import address_space_left

PAGE: Final = 4096
HUGE_PAGE: Final = 1 << 21
LEAST_BYTES: Final = 1 << 20
MODEL_BYTES: Final = 1 << 28  # room for what the model writes at once, which it must never pass
MOST_MARGIN: Final = 1 << 28  # bytes of addresses left to Python and LLVM, or a quarter of all if that is less
# Pages cost nothing before they are touched, and no system should refuse them because they might be.
_RESERVE: Final = sum(getattr(mmap, name, 0) for name in ("MAP_PRIVATE", "MAP_ANONYMOUS", "MAP_NORESERVE"))


def addresses() -> int | None:
    """Return how many bytes of addresses a search may reserve, None if nothing limits them."""
    left = address_space_left()
    return None if left is None else left - min(MOST_MARGIN, left // 4)


def fitting(limit: int, fixed: int, shares: float) -> int:
    """Return `limit`, or less where areas of `shares` times the limit and of `fixed` bytes more would not fit."""
    room = addresses()
    if room is None:
        return limit
    if room - fixed < LEAST_BYTES:
        raise MemoryError(f"{room >> 20} MiB of address space are too few: a search needs {fixed >> 20} MiB and more")
    return min(limit, int((room - fixed) / shares))


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

    def numbers(self, kind: ElementKind, begin: int = 0) -> Any:
        """Return the numbers of this `kind` in the area, the first at the byte `begin`, as a mutable sequence."""
        formats: dict[int, Literal["B", "I", "q"]] = {8: "B", 32: "I", 64: "q"}
        whole = memoryview(self._map).cast(formats[kind.bits])
        view = whole[begin // kind.size :: kind.scale // kind.size]
        self._views += [view, whole]
        return Biased(view) if kind.bias else view

    def copied(self, begin: int, count: int) -> bytes:
        """Return a copy of `count` bytes of the area, from the byte `begin` on."""
        return self._map[begin : begin + count]

    @contextmanager
    def view(self, begin: int, count: int) -> Iterator[memoryview[int]]:
        """Give `count` bytes of the area, from the byte `begin` on, where they are, during a `with` block."""
        with memoryview(self._map) as whole, whole[begin : begin + count] as part:
            yield part

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


class Arena(Area):
    """The area of all rows. Before its word 0 there is a page for the columns of the first row, after its last one."""

    def __init__(self, size: int) -> None:
        super().__init__(size + 2 * PAGE, small=0)

    @property
    def origin(self) -> int:
        """Return the address of word 0."""
        return self.address + PAGE

    @property
    def words(self) -> int:
        """Return how many words there are."""
        return (self.size - 2 * PAGE) // WORD_BYTES

    def column(self, kind: ElementKind, place: int) -> Any:
        """Return the numbers of this `kind`, by state, that are `place` bytes from each row."""
        return self.numbers(kind, PAGE + place)

    def row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
        begin = PAGE + WORD_BYTES * node
        words = int.from_bytes(self.copied(begin + 2, 2), "little")
        return b"\0" + self.copied(begin + 1, WORD_BYTES * words - 1)


class Biased:
    """A column that keeps each number plus one, as numbers."""

    def __init__(self, column: Any) -> None:
        self._column = column

    def __getitem__(self, index: int) -> int:
        return int(self._column[index]) - 1

    def __setitem__(self, index: int, value: int) -> None:
        self._column[index] = value + 1


class Areas:
    """Areas that are given back together, when the `with` block that holds them ends."""

    def __init__(self) -> None:
        self._areas: list[Area] = []

    def area(self, size: int, small: int = HUGE_PAGE) -> Area:
        """Return a new area of `size` bytes, whose first `small` bytes are not in huge pages."""
        self._areas.append(Area(size, small))
        return self._areas[-1]

    def arena(self, size: int) -> Arena:
        """Return a new arena of `size` bytes."""
        arena = Arena(size)
        self._areas.append(arena)
        return arena

    def model_area(self, size: int = MODEL_BYTES) -> Area:
        """Return an area for what the model writes, which has no limit. Fewer than `size` bytes: MemoryError."""
        area = self.area(size)
        if area.size < size:
            raise MemoryError(f"the system refuses {size >> 20} MiB of address space")
        return area

    def word_area(self, count: int, settings: dict[int, int]) -> Area:
        """Return an area of `count` words: the values of `settings` at their indices, else zero."""
        area = self.area(WORD_BYTES * count)
        words = area.numbers(WORD_KIND)
        for index, value in settings.items():
            words[index] = value
        return area

    def close(self) -> None:
        """Give all memory back."""
        while self._areas:
            self._areas.pop().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()
