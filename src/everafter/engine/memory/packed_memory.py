"""Memory for a search by one worker that keeps rows packed in its table (everafter.engine.store.packed)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, Final, Protocol

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.columns import NARROW, WIDE
from everafter.engine.memory.areas import MODEL_BYTES, Area
from everafter.engine.memory.search_memory import LINE_BYTES, Memory, WorkerMemory
from everafter.engine.memory.stacks import stack_shares
from everafter.engine.store.packed.scrambling import unscrambled
from everafter.search.algorithm import Algorithm

ROW_ROOM: Final = 1 << 12  # more than a row has that is packed
COPY_ROOM: Final = 1 << 15  # for the first lines of the table while it grows
SPARE_LINES: Final = 18  # these stand in the store as well, which only kernels import
HALF_BITS: Final = 24
DISTANCE_BITS: Final = 4
MOST_NARROW_BITS: Final = 31
LEAST_LINES: Final = 8
"""Where lines are fewer, a remainder and a distance together might be longer than a word."""


class PackingFunctions(Protocol):
    """The machine code that packs rows: how many bits they become, and where its functions are."""

    bits: int

    def address(self, name: str) -> int:
        """Return the address of the function `name`: pack, or unpack."""


def width_of(packing: PackingFunctions) -> int:
    """Return the bytes of a state's number, which is a packed row, or behind those of all, plus one."""
    return NARROW if packing.bits <= MOST_NARROW_BITS else WIDE


class PackedMemory(Memory):
    """Everything that a search by one worker needs, by the functions of `packing`, within a `limit`, as in `Memory`."""

    store: ClassVar[StoreKind] = "packed"
    worker_bytes: ClassVar[int] = 3 * MODEL_BYTES
    noted: ClassVar[tuple[int, ...]] = (
        *Memory.noted,
        *(block.SPAN, block.SPAN_RECIPROCAL, block.LINE_SLOTS, block.REST_BYTES, block.PACKED_BITS),
    )

    def __init__(
        self,
        algorithm: Algorithm,
        limit: int,
        workers: int = 1,
        lines: int = 0,
        packing: PackingFunctions | None = None,
    ) -> None:
        assert packing is not None
        self.packing = packing
        super().__init__(algorithm, limit, workers, lines)

    def number_bytes(self, limit: int) -> int:
        """Return the bytes of a state's number, however much memory there is within `limit`."""
        return width_of(self.packing)

    def _shares(self, workers: int) -> float:
        return 1 + workers * stack_shares(self.algorithm, self.width, self.store)

    @property
    def is_whole(self) -> bool:
        """Whether the caller has ended the search: a table that could not grow lacks rows that were to move."""
        return int(self.words[block.REASON]) in (block.NO_REASON, block.BY_CALLER)

    def _row_extents(self) -> dict[str, tuple[Area, int]]:
        return {}  # rows are in the table

    def _lay_out_states(self, _workers: int) -> None:
        self.slots = self.area(self.limit, small=0)
        self._row = self.area(ROW_ROOM)
        bits = self.packing.bits
        self._span = -(-(1 << bits) // min(max(self.lines, LEAST_LINES), 1 << bits))
        self._whole_lines = -(-(1 << bits) // self._span)
        self.lines = self._whole_lines + SPARE_LINES

    def _worker(self, number: int) -> WorkerMemory:
        return PackedWorker(self, number, self.initial, None)

    def settings_of(self, worker: WorkerMemory) -> dict[int, int]:
        """Return what the block of `worker` says of rows."""
        rest = rest_bytes(self._span)
        slots = LINE_BYTES // (4 + rest)
        return {
            block.QUOTA: self._whole_lines * slots * 9 // 10,
            block.SCRATCH: self.model_area().address,
            block.ARENA_WORDS: 1 << 62,  # there is no arena that could be full
            block.PACK: self.packing.address("pack"),
            block.UNPACK: self.packing.address("unpack"),
            block.ROW_PLACE: self._row.address,
            block.PACKED_BITS: self.packing.bits,
            block.SPAN: self._span,
            block.SPAN_RECIPROCAL: (1 << 62) // self._span,
            block.LINE_SLOTS: slots,
            block.REST_BYTES: rest,
            block.LOW_LINES_COPY: self.area(COPY_ROOM).address,
        }

    def places_of(self, number: int) -> dict[str, int]:
        """Return no places, for any `number` of a worker: no column is beside a row."""
        return {}

    def rebuilt(self, states: Iterable[int]) -> Iterator[int]:
        """Yield the address of the row of each of `states`, which stands there until the next is unpacked."""
        bits = self.packing.bits
        unpack = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(self.packing.address("unpack"))
        for state in states:
            mixed = state - 1
            unpack(unscrambled(mixed, bits) if mixed >> bits == 0 else mixed, self._row.address)
            yield self._row.address

    def row(self, node: int, number: int = 0) -> bytes:
        """Return the row of the state `node`, which a worker of any `number` has, its colour set to 0."""
        next(self.rebuilt([node]))
        words = int.from_bytes(self._row.copied(2, 2), "little")
        return b"\0" + self._row.copied(1, 8 * words - 1)

    def states(self) -> Iterator[int]:
        """Yield the numbers of all states, as they are in the table."""
        words = self.words
        slots, rest, span = (int(words[each]) for each in (block.LINE_SLOTS, block.REST_BYTES, block.SPAN))
        for line in range(int(words[block.LINES])):
            content = self.slots.copied(LINE_BYTES * line, LINE_BYTES)
            for slot in range(slots):
                lower = int.from_bytes(content[4 * slot : 4 * slot + 4], "little")
                if lower == 0:
                    break
                behind = 4 * slots + rest * slot
                upper = int.from_bytes(content[behind : behind + rest], "little")
                kept = lower >> 8 | upper << HALF_BITS
                yield (line - kept % (1 << DISTANCE_BITS)) * span + (kept >> DISTANCE_BITS) + 1


class PackedWorker(WorkerMemory):
    """What the worker has; colours are found by functions of the store."""

    def _address(self, field: str) -> int:
        return self.block_area.address if field == "colour" else super()._address(field)

    def field(self, field: str) -> Any:
        """Return `field` as a mutable sequence of numbers, by which Python reads the store."""
        return Colours(self) if field == "colour" else super().field(field)


def rest_bytes(span: int) -> int:
    """Return how many bytes a slot takes beside its half of a word where lines have this `span`."""
    return max(0, -(-((span - 1).bit_length() + DISTANCE_BITS - HALF_BITS) // 8))


class Colours:
    """The colours of states, by their numbers, as the functions of the store find them."""

    def __init__(self, worker: PackedWorker) -> None:
        self._block = worker.block_area.address
        words = worker.words
        self._get: Callable[[int, int], int] = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 3)(int(words[block.COLOUR_OF]))
        self._put: Callable[..., int] = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)(int(words[block.PUT_COLOUR]))

    def __getitem__(self, node: int) -> int:
        return self._get(self._block, node)

    def __setitem__(self, node: int, colour: int) -> None:
        self._put(self._block, node, colour)
