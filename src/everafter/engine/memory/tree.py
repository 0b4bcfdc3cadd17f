"""Memory for a search by one worker that keeps rows as trees (everafter.engine.store.tree), and its rows for Python."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.columns import WORD_KIND, StoreKind, kept
from everafter.engine.memory.alone import FIRST_LINES, Memory
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.search.algorithm import Algorithm

HEADER_LINES: Final = 4
ROW_ROOM: Final = 1 << 20  # the longest row has 2**16 words
HEAP_ROOM: Final = 1 << 17  # … and half of it fewer nodes than this has bytes
SPARE_ROOTS: Final = 1 << 23  # for segments that are begun before another is full
SCRATCH_BYTES: Final = 4 * MODEL_BYTES  # the store notes four words for each row that the model writes
REMEMBERED_BYTES: Final = block.MOST_REMEMBERED_LINES << 6
MASKED: Final = 64  # words of a row whose half the split tells; from then on they take turns
MOST_WORDS: Final = 1 << 16
PLACES_BYTES: Final = 8 * (MOST_WORDS + 2)
EVERY_WORD: Final = (1 << MASKED) - 2
EVERY_OTHER: Final = 0x5555555555555554
"""The split in which every other word behind the header is in the left half."""
NODE_BYTES: Final = 16
SEGMENT_BYTES: Final = 16
SETS: Final = MappingProxyType(
    {
        block.NODE_SET: "nodes",
        block.HEADER_SET: "headers",
        block.LEFT_SET: "left halves",
        block.RIGHT_SET: "right halves",
    }
)
MOST_ROOT_BYTES: Final = 13  # of which the first may have bits of another
SIDES: Final = (block.LEFT_SET, block.RIGHT_SET)
MOST_LEAVES: Final = 2
"""A half of more leaves is a tree: where halves are many, they would take too much."""


class TreeMemory(Memory):
    """Everything that a search by one worker needs."""

    store: ClassVar[StoreKind] = "tree"
    fixed_bytes: ClassVar[int] = SCRATCH_BYTES + MODEL_BYTES + SPARE_ROOTS + 5 * ROW_ROOM + REMEMBERED_BYTES
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

    noted: ClassVar[tuple[int, ...]] = (
        *Memory.noted,
        *(each + word for each in SETS for word in (block.SET_LINES, block.SET_BITS, block.SET_COUNT)),
        *(block.ROOT_BITS, block.ROOTS_END, block.NEXT, block.SEGMENT, block.REMEMBERED_LINES, block.LEFT_MASK),
        *(block.HIGHEST_LEFT, block.HIGHEST_RIGHT, *(each + block.SET_LEAVES for each in SIDES)),
    )

    @property
    def extents(self) -> dict[str, tuple[Area, int]]:
        """All that is known of states: areas by name, and how many bytes of each are in use."""
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
        self.set_values: dict[int, Area] = {}
        self.left_places, self.right_places = (self._places(split, side) for side in (True, False))
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
            block.ROOT_BITS: _first_bits(lines),
            block.ROOTS: self.roots.address,
            block.ROOTS_BYTES: self.roots.size,
            block.ROOM_END: 1 << 62,  # there is no arena that could be full
            block.SEGMENTS: self.segments.address,
            block.SCRATCH: self.model_area(SCRATCH_BYTES).address,
            block.PARENT: self.model_area(ROW_ROOM).address,
            block.CHANGES: self.model_area(ROW_ROOM).address,
            block.LEFT: self.model_area(HEAP_ROOM).address,
            block.RIGHT: self.model_area(HEAP_ROOM).address,
            block.SPARE: self.model_area(HEAP_ROOM).address,
            block.REMEMBERED: self.area(REMEMBERED_BYTES, small=0).address,
            block.REMEMBERED_LINES: max(1, lines >> block.REMEMBERED_SHIFT),
            block.LEFT_MASK: split - ((split >> (MASKED - 1)) << MASKED),  # as a number with a sign
            block.LEFT_PLACES: self.left_places.address,
            block.RIGHT_PLACES: self.right_places.address,
        }

    def _places(self, split: int, is_left: bool) -> Area:
        """Where in a row the words of a half are: bytes from its beginning."""
        area = self.model_area(PLACES_BYTES)
        listed = array("q", (8 * index for index in range(1, MASKED) if split >> index & 1 == is_left))
        listed.extend(range(8 * MASKED if is_left else 8 * MASKED + 8, 8 * (MOST_WORDS + 2), 16))
        area.numbers(WORD_KIND)[: len(listed)] = memoryview(listed)
        return area

    def _is_left(self, index: int) -> bool:
        """Whether the word is in the left half."""
        return int(self.words[block.LEFT_MASK]) >> index & 1 == 1 if index < MASKED else index % 2 == 0

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
            first + block.SET_BITS: _first_bits(lines),
        }

    def _address(self, field: str) -> int:
        if field in block.SINGLE:
            return super()._address(field)
        return self.columns[field].address if field in self.columns else 0

    def field(self, field: str) -> Any:
        """The field as a mutable sequence of numbers, for whoever reads the store from Python."""
        if field in block.SINGLE:
            return super().field(field)
        return self.columns[field].numbers(self.kinds[field]) if field in self.columns else {}

    # Rows

    def row(self, node: int) -> bytes:
        """The row of the state, its colour set to 0."""
        left, right, header = self._root(node)
        first = self._value(block.HEADER_SET, header)[:8]
        words = int.from_bytes(first[2:4], "little")
        sides = [self._is_left(index) for index in range(1, words)]
        lefts = iter(self._words(block.LEFT_SET, left, sides.count(True)))
        rights = iter(self._words(block.RIGHT_SET, right, sides.count(False)))
        return first + b"".join(next(lefts if side else rights) for side in sides)

    def _root(self, state: int) -> tuple[int, int, int]:
        """The numbers of the two halves and of the header."""
        segment = self._segment(state)[0]
        left, right, header = segment & 63, segment >> 6 & 63, segment >> 12 & 63
        bit = (state & ((1 << block.SEGMENT_SHIFT) - 1)) * (left + right + header)
        root = int.from_bytes(self.roots.copied((segment >> 18) + bit // 8, MOST_ROOT_BYTES), "little") >> bit % 8
        return root & ((1 << left) - 1), root >> left & ((1 << right) - 1), root >> left + right & ((1 << header) - 1)

    def _segment(self, state: int) -> tuple[int, int]:
        """The words of the segment that a state is in."""
        found = self.segments.copied(SEGMENT_BYTES * (state >> block.SEGMENT_SHIFT), SEGMENT_BYTES)
        return int.from_bytes(found[:8], "little"), int.from_bytes(found[8:], "little")

    def _value_bytes(self, which: int) -> int:
        """The bytes of each value of a set."""
        return NODE_BYTES * (int(self.words[which + block.SET_LEAVES]) if which in SIDES else 1)

    def _value(self, which: int, number: int) -> bytes:
        size = self._value_bytes(which)
        return self.set_values[which].copied(size * number, size)

    def _leaves(self, top: int, leaves: int) -> list[bytes]:
        """The leaves, so many, of the tree whose top has this number."""
        inner = (leaves + 1) // 3
        numbers = [top] if leaves else []
        for position in range(inner):
            node = self._value(block.NODE_SET, numbers[position])
            numbers += [int.from_bytes(node[begin : begin + 4], "little") for begin in range(0, NODE_BYTES, 4)]
        return [self._value(block.NODE_SET, number) for number in numbers[inner : inner + leaves]]

    def _words(self, side: int, number: int, words: int) -> list[bytes]:
        """The words, so many, of the half of this side and number."""
        leaves = (words + 1) // 2
        is_whole = 0 < leaves <= int(self.words[side + block.SET_LEAVES])
        whole = self._value(side, number) if is_whole else b"".join(self._leaves(number, leaves))
        return [whole[begin : begin + 8] for begin in range(0, 8 * words, 8)]

    def rebuilt(self, states: Iterable[int]) -> Iterator[int]:
        """The address at which the row of each state stands, until the next is asked for; its colour is that of the
        state. The search must have ended."""
        rebuild = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(self.words[block.REBUILD])
        for state in states:
            yield int(rebuild(self.block_area.address, state))

    def states(self) -> Iterator[int]:
        """The numbers of all states."""
        for begin in range(0, int(self.words[block.NEXT]), 1 << block.SEGMENT_SHIFT):
            yield from range(max(begin, 1), self._segment(begin)[1])

    @property
    def bytes_in_use(self) -> int:
        """The memory in use by trees, hash tables and stacks, as the limit counts it."""
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


def _first_bits(lines: int) -> int:
    """How many bits of a slot are a number until a hash table of so many lines grows."""
    return max(24, (16 * lines).bit_length())
