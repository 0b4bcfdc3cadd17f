"""Memory for a team of workers: one arena and one hash table for all, a block and stacks for each."""

from __future__ import annotations

import ctypes
from types import TracebackType
from typing import Any, Final

from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, MOST_WORKERS, Team
from everafter.engine.columns import (
    BY_DEPTH,
    NARROW,
    NARROW_WORDS,
    WIDE,
    WIDE_WORDS,
    Kind,
    team_column_words,
    team_kinds,
)
from everafter.engine.memory import MODEL_BYTES, PAGE, Area, Biased, row_at

FIRST_TEAM_LINES: Final = 1 << 12
POOL_ROOM: Final = 1 << 16


class TeamMemory:
    """Everything a team's search needs, within a limit of bytes that counts for all workers together."""

    def __init__(self, columns: tuple[str, ...], limit: int, workers: int, lines: int = FIRST_TEAM_LINES) -> None:
        if not 1 <= workers <= MOST_WORKERS:
            raise ValueError(f"a team has 1 to {MOST_WORKERS} workers, not {workers}")
        self.width = NARROW if limit // 8 <= NARROW_WORDS else WIDE
        self.kinds = team_kinds(columns, self.width)
        self._areas: list[Area] = []
        try:
            self._lay_out(columns, limit, workers, lines)
        except BaseException:
            self.close()
            raise

    def _lay_out(self, columns: tuple[str, ...], limit: int, workers: int, lines: int) -> None:
        self.arena = self.area(limit + 2 * PAGE, small=0)
        self.slots = self.area(limit, small=0)
        self.initial = self.area(MODEL_BYTES)
        ends = self.area((limit >> CHUNK_SHIFT) + PAGE)
        pool = self.area(POOL_ROOM * self.width)
        self.block_area = self.area(Team.WORDS * 8)
        self.words = self.block_area.numbers(Kind(64, 8))
        most = NARROW_WORDS - 2 if self.width == NARROW else WIDE_WORDS
        self.arena_words = min((self.arena.size - 2 * PAGE) // 8, most)
        self.column_words = team_column_words(workers, columns, self.width)
        self.limit = limit
        settings = {
            Team.LINES: lines,
            Team.ENDS: ends.address,
            Team.YIELD: _address_of_yield(),
            Team.WORKERS: workers,
            Team.POOL: pool.address,
            Team.POOL_ROOM: POOL_ROOM,
            Team.ACTIVE: workers,
        }
        for index, value in settings.items():
            self.words[index] = value
        self.workers = [WorkerMemory(self, columns, number) for number in range(workers)]
        for worker in self.workers:
            self.words[Team.BLOCKS + worker.number] = worker.block_area.address

    def area(self, size: int, small: int | None = None) -> Area:
        """A new area, given back with all others."""
        self._areas.append(Area(size) if small is None else Area(size, small))
        return self._areas[-1]

    @property
    def bytes_in_use(self) -> int:
        """The memory in use by rows, hash table and stacks, as the limit counts it."""
        words = self.words
        chunks = int(words[Team.NEXT_CHUNK]) << (CHUNK_SHIFT + 3)
        return chunks + 64 * int(words[Team.LINES]) + int(words[Team.STACK_BYTES])

    def close(self) -> None:
        """Give all memory back."""
        while self._areas:
            self._areas.pop().close()

    def __enter__(self) -> TeamMemory:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()


class WorkerMemory:
    """What one worker has of its own, and where it finds what all have."""

    def __init__(self, team: TeamMemory, columns: tuple[str, ...], number: int) -> None:
        self.team = team
        self.number = number
        self.kinds = team.kinds
        width, limit = team.width, team.limit
        self.block_area = team.area(block.WORDS * 8)
        self.words = self.block_area.numbers(Kind(64, 8))
        stacks = [field for field in BY_DEPTH if self.kinds[field].bits]
        self.columns = {field: team.area(limit // (len(stacks) + 1)) for field in (*stacks, "pending")}
        if "component" in columns:
            self.columns["component"] = team.area(limit // 16 * width)
        room = min(area.size for area in self.columns.values()) // width
        settings = {
            block.ARENA: team.arena.address + PAGE,
            block.ARENA_WORDS: team.arena_words,
            block.SLOTS: team.slots.address,
            block.SLOTS_BYTES: team.slots.size,
            block.LINES: team.words[Team.LINES],
            block.BUFFER: self._model_area().address,
            block.SCRATCH: self._model_area().address,
            block.FRAMES: room - 2,
            block.PENDING_ROOM: room,
            block.LIMIT_BYTES: limit,
            block.COLUMN_WORDS: team.column_words,
            block.FRAME_BYTES: len(stacks) * width,
            block.PENDING_BYTES: width,
            block.STATE_BYTES: width if "component" in columns else 0,
            block.TEAM: team.block_area.address,
            block.WORKER: number,
        }
        for index, value in settings.items():
            self.words[index] = value
        for index, field in enumerate(block.TEAM_FIELDS):
            self.words[block.FIELD + index] = self._address(field)

    def _model_area(self) -> Area:
        area = self.team.area(MODEL_BYTES)
        if area.size < MODEL_BYTES:
            raise MemoryError(f"the system refuses {MODEL_BYTES >> 20} MiB of address space")
        return area

    def _address(self, field: str) -> int:
        """The address of element 0 of the field, 0 if it is not kept."""
        team = self.team
        rows = team.arena.address + PAGE
        shared = {
            "initial": team.initial.address,
            "colour": rows,
            "count": rows - 1,
            "own": rows - 2 - self.number,
            "parent": rows - 8 * team.column_words if self.kinds["parent"].bits else 0,
            "abort": team.block_area.address + 8 * Team.ABORT,
        }
        if field in shared:
            return shared[field]
        if field in block.SINGLE:
            return self.block_area.address + 8 * block.SINGLE[field]
        return self.columns[field].address if field in self.columns else 0

    def field(self, field: str) -> Any:
        """The worker's field as a sequence of numbers: `found`, a stack, or `parent`."""
        if field in block.SINGLE:
            return self.block_area.numbers(self.kinds[field], 8 * block.SINGLE[field])
        if field == "parent":
            return Biased(self.team.arena.numbers(self.kinds[field], self._address(field) - self.team.arena.address))
        return self.columns[field].numbers(self.kinds[field])

    def row(self, number: int) -> bytes:
        """The row of the state, its colour set to 0."""
        return row_at(self.team.arena, number)


def _address_of_yield() -> int:
    """The C function that lets other threads run."""
    address = ctypes.cast(ctypes.CDLL(None).sched_yield, ctypes.c_void_p).value
    assert address is not None
    return address
