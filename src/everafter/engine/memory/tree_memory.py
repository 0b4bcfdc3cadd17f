"""Memory for a search by one worker that keeps rows as trees (everafter.engine.store.tree)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.columns import StoreKind, kept
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.engine.memory.single_memory import FIRST_LINES, Memory
from everafter.engine.memory.stored_trees import (
    EVERY_OTHER,
    EVERY_WORD,
    HEADER_LINES,
    MASKED,
    PLACES_BYTES,
    REMEMBERED_BYTES,
    ROW_ROOM,
    SCRATCH_BYTES,
    SEGMENT_BYTES,
    SETS,
    SIDES,
    Trees,
    as_signed,
    first_bits,
)
from everafter.search.algorithm import Algorithm

SPARE_ROOTS: Final = 1 << 23  # for segments that are begun before another is full
MOST_LEAVES: Final = 2
"""A half of more leaves is a tree: where halves are many, they would take too much."""


class TreeMemory(Trees, Memory):
    """Everything that a search by one worker needs."""

    store: ClassVar[StoreKind] = "tree"
    fixed_bytes: ClassVar[int] = SCRATCH_BYTES + MODEL_BYTES + SPARE_ROOTS + 7 * ROW_ROOM + REMEMBERED_BYTES
    shares: ClassVar[float] = 8.5

    def __init__(
        self,
        algorithm: Algorithm,
        limit: int,
        lines: int = FIRST_LINES,
        split: int = EVERY_OTHER,
        usual_words: int = 0,
    ) -> None:
        self._first_split = split & EVERY_WORD
        self._usual_words = usual_words
        super().__init__(algorithm, limit, lines)
        self.rebuilder = self.block_area

    noted: ClassVar[tuple[int, ...]] = (
        *Memory.noted,
        *(each + word for each in SETS for word in (block.SET_LINES, block.SET_BITS, block.SET_COUNT)),
        *(block.ROOT_BITS, block.ROOTS_END, block.NEXT, block.SEGMENT, block.REMEMBERED_LINES, block.LEFT_MASK),
        *(block.HIGHEST_LEFT, block.HIGHEST_RIGHT, *(each + block.SET_LEAVES for each in SIDES)),
    )

    @property
    def extents(self) -> dict[str, tuple[Area, int]]:
        """Return all that is known of states: areas by name, and how many bytes of each are in use."""
        words, states = self.words, int(self.words[block.NEXT])
        by_state = kept("state", self.algorithm, self.width)
        return {
            "slots": (self.slots, 64 * int(words[block.LINES])),
            "initial": (self.initial, 8 * int(words[block.INITIAL_ROWS])),
            "roots": (self.roots, int(words[block.ROOTS_END])),
            "segments": (self.segments, SEGMENT_BYTES * ((states >> block.SEGMENT_SHIFT) + 1)),
            **{
                name: (self.set_values[each], self._value_bytes(each) * (int(words[each + block.SET_COUNT]) + 1))
                for each, name in SETS.items()
            },
            **{
                f"slots of {name}": (self.set_slots[each], 64 * int(words[each + block.SET_LINES]))
                for each, name in SETS.items()
            },
            "left places": (self.left_places, PLACES_BYTES),
            "right places": (self.right_places, PLACES_BYTES),
            **{name: (self.columns[name], states * kind.size) for name, kind in by_state.items()},
        }

    def _settings(self, lines: int) -> dict[int, int]:
        split = self._first_split
        self.set_slots: dict[int, Area] = {}
        self.set_values = {}
        self.left_places, self.right_places = (self.places_of(split, side) for side in (True, False))
        self.slots = self.area(self.limit, small=0)
        self.roots = self.area(self.limit + SPARE_ROOTS, small=0)
        self.segments = self.area(self.limit >> (block.SEGMENT_SHIFT - 4))
        return {
            **self._set(block.NODE_SET, lines),
            **self._set(block.HEADER_SET, min(lines, HEADER_LINES)),
            **self._set(block.LEFT_SET, lines),
            **self._set(block.RIGHT_SET, lines),
            **dict(zip((each + block.SET_LEAVES for each in SIDES), self._whole_leaves(split), strict=True)),
            block.SLOTS: self.slots.address,
            block.SLOTS_BYTES: self.slots.size,
            block.LINES: lines,
            block.ROOT_BITS: first_bits(lines),
            block.ROOTS: self.roots.address,
            block.ROOTS_BYTES: self.roots.size,
            block.ROOM_END: 1 << 62,  # there is no arena that could be full
            block.SEGMENTS: self.segments.address,
            **self.worker_areas(),
            block.REMEMBERED_LINES: max(1, lines >> block.REMEMBERED_SHIFT),
            block.LEFT_MASK: as_signed(split),
            block.LEFT_PLACES: self.left_places.address,
            block.RIGHT_PLACES: self.right_places.address,
        }

    def _whole_leaves(self, split: int) -> tuple[int, int]:
        """How many leaves a left and a right half have that are kept whole: those of usual rows, if they are few."""
        lefts = sum(split >> index & 1 for index in range(1, min(self._usual_words, MASKED)))
        rights = max(0, self._usual_words - 1 - lefts)
        left, right = ((words + 1) // 2 for words in (lefts, rights))
        return (left if left <= MOST_LEAVES else 0), (right if right <= MOST_LEAVES else 0)

    def _set(self, first: int, lines: int) -> dict[int, int]:
        """What the block says of a set of nodes."""
        slots = self.set_slots[first] = self.area(self.limit // 2, small=0)
        values = self.set_values[first] = self.area(self.limit, small=0)
        return {
            first + block.SET_SLOTS: slots.address,
            first + block.SET_BYTES: slots.size,
            first + block.SET_VALUES: values.address,
            first + block.SET_LINES: lines,
            first + block.SET_BITS: first_bits(lines),
        }

    def _address(self, field: str) -> int:
        if field in block.SINGLE:
            return super()._address(field)
        return self.columns[field].address if field in self.columns else 0

    def field(self, field: str) -> Any:
        """Return `field` as a mutable sequence of numbers, by which Python reads the store."""
        if field in block.SINGLE:
            return super().field(field)
        return self.columns[field].numbers(self.kinds[field]) if field in self.columns else {}

    def states(self) -> Iterator[int]:
        """Yield the numbers of all states."""
        for begin in range(0, int(self.words[block.NEXT]), 1 << block.SEGMENT_SHIFT):
            yield from range(max(begin, 1), self._segment(begin)[1])

    @property
    def bytes_in_use(self) -> int:
        """Return the memory in use by trees, hash tables and stacks, as the limit counts it."""
        words = self.words
        return int(
            sum(
                self._value_bytes(each) * words[each + block.SET_COUNT] + 64 * words[each + block.SET_LINES]
                for each in SETS
            )
            + words[block.ROOTS_END]
            + 64 * (words[block.LINES] + words[block.REMEMBERED_LINES])
            + words[block.NEXT] * words[block.STATE_BYTES]
            + words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
        )
