"""Memory for a search by one worker that keeps rows as trees (everafter.engine.store.tree), and its rows for Python."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.columns import StoreKind, kept
from everafter.engine.memory.alone import Memory
from everafter.engine.memory.areas import MODEL_BYTES, Area

HEADER_LINES: Final = 4
ROW_ROOM: Final = 1 << 20  # the longest row has 2**16 words
HEAP_ROOM: Final = 1 << 17  # … and half of it fewer nodes than this has bytes
SPARE_ROOTS: Final = 1 << 22  # for segments that are begun before another is full
SCRATCH_BYTES: Final = 4 * MODEL_BYTES  # the store notes four words for each row that the model writes
REMEMBERED_BYTES: Final = (block.REMEMBERED_LINES << 6) + (1 << 22)  # a huge page fits in, wherever it begins
NODE_BYTES: Final = 16
SEGMENT_BYTES: Final = 16
SETS: Final = (block.NODE_SET, block.HEADER_SET)


class TreeMemory(Memory):
    """Everything that a search by one worker needs."""

    store: ClassVar[StoreKind] = "tree"
    fixed_bytes: ClassVar[int] = SCRATCH_BYTES + MODEL_BYTES + SPARE_ROOTS + 3 * ROW_ROOM + REMEMBERED_BYTES
    shares: ClassVar[float] = 5.5

    noted: ClassVar[tuple[int, ...]] = (
        *Memory.noted,
        *(each + word for each in SETS for word in (block.SET_LINES, block.SET_BITS, block.SET_COUNT)),
        *(block.ROOT_BITS, block.ROOTS_END, block.NEXT, block.SEGMENT),
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
            **{name: (self.columns[name], states * kind.size) for name, kind in by_state.items()},
        }

    def _settings(self, lines: int) -> dict[int, int]:
        self.set_slots: dict[int, Area] = {}
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
        }

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
        leaves = words // 2
        middle = (leaves + 1) // 2
        turns = [*self._leaves(left, middle), *self._leaves(right, leaves - middle)]
        return b"".join([first, *turns[::2], *turns[1::2]])[: 8 * words]

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
            + 64 * words[block.LINES]
            + words[block.NEXT] * words[block.STATE_BYTES]
            + words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
        )


def _first_bits(lines: int) -> int:
    """How many bits of a slot are a number until a hash table of so many lines grows."""
    return max(24, (16 * lines).bit_length())
