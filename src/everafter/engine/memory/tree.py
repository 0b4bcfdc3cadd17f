"""Memory for a search by one worker that keeps rows as trees (everafter.engine.store.tree), and its rows for Python."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.columns import WORD_KIND, StoreKind, kept
from everafter.engine.memory.alone import FIRST_LINES, Memory
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.search.algorithm import Algorithm

HEADER_LINES: Final = 4
ROW_ROOM: Final = 1 << 20  # the longest row has 2**16 words
HEAP_ROOM: Final = 1 << 17  # … and half of it fewer nodes than this has bytes
SPARE_ROOTS: Final = 1 << 22  # for segments that are begun before another is full
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
SETS: Final = (block.NODE_SET, block.HEADER_SET)


class TreeMemory(Memory):
    """Everything that a search by one worker needs."""

    store: ClassVar[StoreKind] = "tree"
    fixed_bytes: ClassVar[int] = SCRATCH_BYTES + MODEL_BYTES + SPARE_ROOTS + 5 * ROW_ROOM + REMEMBERED_BYTES
    shares: ClassVar[float] = 5.5

    def __init__(self, algorithm: Algorithm, limit: int, lines: int = FIRST_LINES, split: int = EVERY_OTHER) -> None:
        self._first_split = split & EVERY_WORD
        super().__init__(algorithm, limit, lines)

    noted: ClassVar[tuple[int, ...]] = (
        *Memory.noted,
        *(each + word for each in SETS for word in (block.SET_LINES, block.SET_BITS, block.SET_COUNT)),
        *(block.ROOT_BITS, block.ROOTS_END, block.NEXT, block.SEGMENT, block.REMEMBERED_LINES, block.LEFT_MASK),
    )

    @property
    def extents(self) -> dict[str, tuple[Area, int]]:
        """All that is known of states: areas by name, and how many bytes of each are in use."""
        words, states = self.words, int(self.words[block.NEXT])
        nodes, headers = (NODE_BYTES * (int(words[each + block.SET_COUNT]) + 1) for each in SETS)
        node_lines, header_lines = (64 * int(words[each + block.SET_LINES]) for each in SETS)
        by_state = kept("state", self.algorithm, self.width)
        return {
            "slots": (self.slots, 64 * int(words[block.LINES])),
            "initial": (self.initial, 8 * int(words[block.INITIAL_ROWS])),
            "roots": (self.roots, int(words[block.ROOTS_END])),
            "segments": (self.segments, SEGMENT_BYTES * ((states >> block.SEGMENT_SHIFT) + 1)),
            "nodes": (self.nodes, nodes),
            "headers": (self.headers, headers),
            "node slots": (self.set_slots[block.NODE_SET], node_lines),
            "header slots": (self.set_slots[block.HEADER_SET], header_lines),
            "left places": (self.left_places, PLACES_BYTES),
            "right places": (self.right_places, PLACES_BYTES),
            **{name: (self.columns[name], states * kind.size) for name, kind in by_state.items()},
        }

    def _settings(self, lines: int) -> dict[int, int]:
        split = self._first_split
        self.set_slots: dict[int, Area] = {}
        self.left_places, self.right_places = (self._places(split, side) for side in (True, False))
        self.slots = self.area(self.limit, small=0)
        self.roots = self.area(self.limit + SPARE_ROOTS, small=0)
        self.segments = self.area(self.limit >> (block.SEGMENT_SHIFT - 4))
        self.nodes = self.area(self.limit, small=0)
        self.headers = self.area(self.limit)
        return {
            **self._set(block.NODE_SET, self.nodes, lines),
            **self._set(block.HEADER_SET, self.headers, min(lines, HEADER_LINES)),
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

    def _set(self, first: int, values: Area, lines: int) -> dict[int, int]:
        """What the block says of a set of nodes."""
        slots = self.set_slots[first] = self.area(self.limit // 2, small=0)
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
        first = self._node(self.headers, header)[:8]
        words = int.from_bytes(first[2:4], "little")
        sides = [self._is_left(index) for index in range(1, words)]
        lefts, rights = (iter(self._words(top, sides.count(side))) for top, side in ((left, True), (right, False)))
        return first + b"".join(next(lefts if side else rights) for side in sides)

    def _root(self, state: int) -> tuple[int, int, int]:
        """The numbers of the two halves and of the header."""
        segment = self._segment(state)[0]
        nodes, headers = segment & 255, segment >> 8 & 255
        size = (2 * nodes + headers + 7) // 8
        begin = (segment >> 16) + (state & ((1 << block.SEGMENT_SHIFT) - 1)) * size
        root = int.from_bytes(self.roots.copied(begin, size), "little")
        mask = (1 << nodes) - 1
        return root & mask, root >> nodes & mask, root >> 2 * nodes & ((1 << headers) - 1)

    def _segment(self, state: int) -> tuple[int, int]:
        """The words of the segment that a state is in."""
        found = self.segments.copied(SEGMENT_BYTES * (state >> block.SEGMENT_SHIFT), SEGMENT_BYTES)
        return int.from_bytes(found[:8], "little"), int.from_bytes(found[8:], "little")

    @staticmethod
    def _node(values: Area, number: int) -> bytes:
        return values.copied(NODE_BYTES * number, NODE_BYTES)

    def _leaves(self, top: int, leaves: int) -> list[bytes]:
        """The leaves, so many, of the tree whose top has this number."""
        inner = (leaves + 1) // 3
        numbers = [top] if leaves else []
        for position in range(inner):
            node = self._node(self.nodes, numbers[position])
            numbers += [int.from_bytes(node[begin : begin + 4], "little") for begin in range(0, NODE_BYTES, 4)]
        return [self._node(self.nodes, number) for number in numbers[inner : inner + leaves]]

    def _words(self, top: int, words: int) -> list[bytes]:
        """The words, so many, of the half whose top has this number."""
        whole = b"".join(self._leaves(top, (words + 1) // 2))
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
            sum(NODE_BYTES * words[each + block.SET_COUNT] + 64 * words[each + block.SET_LINES] for each in SETS)
            + words[block.ROOTS_END]
            + 64 * (words[block.LINES] + words[block.REMEMBERED_LINES])
            + words[block.NEXT] * words[block.STATE_BYTES]
            + words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
        )


def _first_bits(lines: int) -> int:
    """How many bits of a slot are a number until a hash table of so many lines grows."""
    return max(24, (16 * lines).bit_length())
