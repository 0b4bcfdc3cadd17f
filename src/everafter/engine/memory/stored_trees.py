"""Rows that are kept as trees, for Python, and the memory that they need in a search by one worker or a team."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator
from types import MappingProxyType
from typing import Final

from everafter.engine import block
from everafter.engine.columns import WORD_KIND
from everafter.engine.memory.areas import MODEL_BYTES, Area, Areas

ROW_ROOM: Final = 1 << 20  # the longest row has 2**16 words
HEAP_ROOM: Final = 1 << 17  # … and half of it fewer nodes than this has bytes
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
HEADER_LINES: Final = 4
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


def first_bits(lines: int) -> int:
    """Return how many bits of a slot are a number until a hash table of `lines` cache lines grows."""
    return max(24, (16 * lines).bit_length())


def as_signed(split: int) -> int:
    """Return `split` as a number with a sign."""
    return split - ((split >> (MASKED - 1)) << MASKED)


class Trees(Areas):
    """What trees are kept in; the worker that rebuilds rows for Python has its block there."""

    rebuilder: Area
    roots: Area
    segments: Area
    set_values: dict[int, Area]

    def _said(self, index: int) -> int:
        """A word of the block of the worker that rebuilds rows."""
        return int.from_bytes(self.rebuilder.copied(8 * index, 8), "little", signed=True)

    def worker_areas(self) -> dict[int, int]:
        """Return what a worker has of its own, as its block says it."""
        return {
            block.SCRATCH: self.model_area(SCRATCH_BYTES).address,
            **{each: self.model_area(ROW_ROOM).address for each in (block.PARENT, block.PARENT + block.AHEAD)},
            block.CHANGES: self.model_area(ROW_ROOM).address,
            **{
                each + ahead: self.model_area(HEAP_ROOM).address
                for each in (block.LEFT, block.RIGHT)
                for ahead in (0, block.AHEAD)
            },
            block.SPARE: self.model_area(HEAP_ROOM).address,
            block.REMEMBERED: self.area(REMEMBERED_BYTES, small=0).address,
        }

    def places_in_half(self, split: int, is_left: bool) -> Area:
        """Return where in a row the words of a half are by `split`, the left if `is_left`: bytes from its beginning."""
        area = self.model_area(PLACES_BYTES)
        listed = array("q", (8 * index for index in range(1, MASKED) if split >> index & 1 == is_left))
        listed.extend(range(8 * MASKED if is_left else 8 * MASKED + 8, 8 * (MOST_WORDS + 2), 16))
        area.numbers(WORD_KIND)[: len(listed)] = memoryview(listed)
        return area

    def _is_left(self, index: int) -> bool:
        """Whether the word is in the left half."""
        return self._said(block.LEFT_MASK) >> index & 1 == 1 if index < MASKED else index % 2 == 0

    def rebuilt_row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
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
        bit = (state & ((1 << block.SEGMENT_SHIFT) - 1)) * self._root_bits(left + right + header)
        root = int.from_bytes(self.roots.copied((segment >> 18) + bit // 8, MOST_ROOT_BYTES), "little") >> bit % 8
        return root & ((1 << left) - 1), root >> left & ((1 << right) - 1), root >> left + right & ((1 << header) - 1)

    def _root_bits(self, bits: int) -> int:
        """Return how many bits a root takes whose parts have `bits` bits."""
        return bits

    def _segment(self, state: int) -> tuple[int, int]:
        """The words of the segment that a state is in."""
        found = self.segments.copied(SEGMENT_BYTES * (state >> block.SEGMENT_SHIFT), SEGMENT_BYTES)
        return int.from_bytes(found[:8], "little"), int.from_bytes(found[8:], "little")

    def _value_bytes(self, which: int) -> int:
        """The bytes of each value of a set."""
        return NODE_BYTES * (self._said(which + block.SET_LEAVES) if which in SIDES else 1)

    def _value(self, which: int, number: int) -> bytes:
        size = self._value_bytes(which)
        return self.set_values[which].copied(size * number, size)

    def _leaves(self, top: int, leaves: int) -> list[bytes]:
        """Return the leaves, `leaves` of them, of the tree whose top has the number `top`."""
        inner = (leaves + 1) // 3
        numbers = [top] if leaves else []
        for position in range(inner):
            node = self._value(block.NODE_SET, numbers[position])
            numbers += [int.from_bytes(node[begin : begin + 4], "little") for begin in range(0, NODE_BYTES, 4)]
        return [self._value(block.NODE_SET, number) for number in numbers[inner : inner + leaves]]

    def _words(self, side: int, number: int, words: int) -> list[bytes]:
        """Return the words, `words` of them, of the half of this `side` and `number`."""
        leaves = (words + 1) // 2
        is_whole = 0 < leaves <= self._said(side + block.SET_LEAVES)
        whole = self._value(side, number) if is_whole else b"".join(self._leaves(number, leaves))
        return [whole[begin : begin + 8] for begin in range(0, 8 * words, 8)]

    def rebuilt(self, states: Iterable[int]) -> Iterator[int]:
        """Yield the address of the row of each of `states`, which stands there until the next is rebuilt.

        Its colour is that of the state. The search must have ended.
        """
        place = self.rebuilder.address
        rebuild = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(self._said(block.REBUILD))
        for state in states:
            yield int(rebuild(place, state))
