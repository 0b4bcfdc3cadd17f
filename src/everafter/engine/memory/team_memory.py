"""Memory for a team of workers: one arena and one hash table for all, a block and stacks for each."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, ClassVar, Final

from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, MOST_WORKERS, TEAM_SINGLE, Team
from everafter.engine.columns import WORD_KIND, ElementKind, StoreKind, kinds, most_words, places, width_within
from everafter.engine.memory.areas import MODEL_BYTES, PAGE, Area, Areas, Arena, addresses, fitting
from everafter.engine.memory.single_memory import initial_bytes
from everafter.engine.memory.stacks import Stacks, stack_shares
from everafter.search.algorithm import Algorithm
from everafter.search.parallel.space import SHARED_FIELDS

FIRST_TEAM_LINES: Final = 1 << 12
POOL_ROOM: Final = 1 << 16
NAP: Final = 1 if sys.platform == "win32" else 200  # milliseconds there, microseconds elsewhere
THREAD_BYTES: Final = 80 << 20  # the addresses that a thread takes, with its stack and what it allocates
WORKER_BYTES: Final = 2 * MODEL_BYTES + THREAD_BYTES


def workers_within(workers: int, size: int) -> int:
    """Return `workers`, or as many as fit into half of the addresses at `size` bytes each: the rest is for states."""
    room = addresses()
    return workers if room is None else max(1, min(workers, room // 2 // size))


class TeamMemory(Areas):
    """Everything a team's search needs, within a limit of bytes that counts for all workers together.

    `limit` is the limit that was given, or what fits of it; `workers` are as many as were given, or as fit.
    """

    store: ClassVar[StoreKind] = "plain"
    worker_bytes: ClassVar[int] = WORKER_BYTES
    """What is reserved for each worker whatever the limit is."""
    sizes: ClassVar[tuple[int, ...]] = (block.LINES,)
    """The words of a block that say how large the hash table is."""
    shares_rows: ClassVar[bool] = True
    """Whether all workers have the same rows."""

    def __init__(self, algorithm: Algorithm, limit: int, workers: int, lines: int = FIRST_TEAM_LINES) -> None:
        if not 1 <= workers <= MOST_WORKERS:
            raise ValueError(f"a team has 1 to {MOST_WORKERS} workers, not {workers}")
        super().__init__()
        self.moved = 0
        """Bytes of stacks that workers have counted and that are on disk."""
        self.algorithm = algorithm
        self.width = width_within(limit, self.store)
        workers = workers_within(workers, self.worker_bytes)
        self.limit = fitting(limit, self._fixed_bytes(workers), self._shares(workers))
        self.kinds = kinds(algorithm, self.width, self.store)
        self.places = places(algorithm, self.width, workers if self.shares_rows else 1)
        try:
            self._lay_out(workers, lines)
        except BaseException:
            self.close()
            raise

    def _fixed_bytes(self, workers: int) -> int:
        """What is reserved whatever the limit is."""
        return workers * self.worker_bytes

    def _shares(self, workers: int) -> float:
        """How much is reserved beside that, as a multiple of the limit."""
        return 3 + workers * stack_shares(self.algorithm, self.width)

    def _lay_out(self, workers: int, lines: int) -> None:
        self.initial = self.model_area(initial_bytes(self.limit))
        self._pool = self.area(self._pool_bytes())
        settings = {
            **self._settings(workers, lines),
            Team.YIELD: address_of_yield(),
            Team.SLEEP: address_of_sleep(),
            Team.NAP: NAP,
            Team.WORKERS: workers,
            Team.POOL: self._pool.address,
            Team.POOL_ROOM: POOL_ROOM,
            Team.ACTIVE: workers,
        }
        self.block_area = self.word_area(Team.WORDS, settings)
        self.words = self.block_area.numbers(WORD_KIND)
        self.workers: list[WorkerMemory] = [self._worker(number) for number in range(workers)]
        for worker in self.workers:
            self.words[Team.BLOCKS + worker.number] = worker.block_area.address

    def _pool_bytes(self) -> int:
        """How large the pool is, from which idle workers take."""
        return POOL_ROOM * self.width

    def _settings(self, _workers: int, lines: int) -> dict[int, int]:
        """Return what the team's words say of rows and the hash table, which begins with `lines` cache lines."""
        self.rows = self.arena(self.limit)
        self.slots = self.area(self.limit, small=0)
        self.ends = self.area((self.limit >> CHUNK_SHIFT) + PAGE)
        return {Team.LINES: lines, Team.ENDS: self.ends.address}

    def _worker(self, number: int) -> WorkerMemory:
        return WorkerMemory(self, number)

    def share_initial(self) -> None:
        """Let all workers know the initial states, which the first has stored."""
        first, *others = self.workers
        for worker in others:
            for index in (block.INITIAL_ROWS, *self.sizes):
                worker.words[index] = first.words[index]

    @property
    def blocks(self) -> list[Any]:
        """Return the words of each worker's block."""
        return [worker.words for worker in self.workers]

    @property
    def bytes_in_use(self) -> int:
        """Return the memory in use by rows, hash table and stacks, as the limit counts it."""
        words = self.words
        chunks = int(words[Team.NEXT_CHUNK]) << (CHUNK_SHIFT + 3)
        return chunks + 64 * int(words[Team.LINES]) + int(words[Team.STACK_BYTES]) - self.moved

    @property
    def pooled(self) -> list[int]:
        """The states that wait for a worker in the pool."""
        return list(self._pool.numbers(ElementKind(8 * self.width, self.width))[: int(self.words[Team.POOLED])])

    def row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
        return self.rows.row(node)

    def stop(self) -> None:
        """Ask the workers to end."""
        self.words[Team.STOP] = 1


class WorkerMemory:
    """What one worker has of its own, and where it finds what all have."""

    def __init__(self, team: TeamMemory, number: int) -> None:
        self.team = team
        self.number = number
        stacks = self._stacks()
        self.columns: dict[str, Area] = {"initial": self._initial(), **stacks.areas}
        settings = {
            block.SLOTS: team.slots.address,
            block.SLOTS_BYTES: team.slots.size,
            block.LINES: team.words[Team.LINES],
            block.BUFFER: team.model_area().address,
            block.LIMIT_BYTES: team.limit,
            block.TEAM: team.block_area.address,
            block.WORKER: number,
        }
        self.block_area = team.word_area(block.WORDS, settings | stacks.settings | self._settings())
        self.words = self.block_area.numbers(WORD_KIND)
        for field in block.TEAM_FIELDS:
            self.words[block.word_of(field)] = self._address(field)

    def _stacks(self) -> Stacks:
        team = self.team
        return Stacks(team, team.algorithm, team.width, team.limit)

    def _initial(self) -> Area:
        """Where the numbers of the initial states are."""
        return self.team.initial

    @property
    def rows(self) -> Arena:
        """Return the arena of the rows that the worker finds."""
        return self.team.rows

    def _settings(self) -> dict[int, int]:
        """What the block says of rows."""
        return {
            block.ARENA: self.rows.origin,
            block.ARENA_WORDS: min(self.rows.words, most_words(self.team.width)),
            block.SCRATCH: self.team.model_area().address,
            block.COLUMN_WORDS: self.team.places.words,
        }

    def _place(self, field: str) -> int:
        """How many bytes from a row the worker's number of the field is."""
        is_beside_others = self.team.shares_rows and SHARED_FIELDS[field].team == "own"
        return self.team.places.at[field] - (self.number if is_beside_others else 0)

    def _address(self, field: str) -> int:
        """The address of element 0 of the field, 0 if it is not kept."""
        if field in block.SINGLE:
            return self.block_area.address + 8 * block.SINGLE[field]
        if field in TEAM_SINGLE:
            return self.team.block_area.address + 8 * TEAM_SINGLE[field]
        return self._address_by_state(field)

    def _address_by_state(self, field: str) -> int:
        """The same, of a field that is not one word."""
        if field in self.team.places.at:
            return self.rows.origin + self._place(field)
        return self.columns[field].address if field in self.columns else 0

    def field(self, field: str) -> Any:
        """Return the worker's `field` as a sequence of numbers."""
        kind = self.team.kinds[field]
        if field in block.SINGLE:
            return self.block_area.numbers(kind, 8 * block.SINGLE[field])
        if field in self.columns:
            return self.columns[field].numbers(kind)
        return self.rows.column(kind, self._place(field))

    def row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
        return self.team.row(node)


def address_of_yield() -> int:
    """Return the address of a C function without arguments that lets other threads run, or of one that does nothing."""
    return _address("SwitchToThread" if sys.platform == "win32" else "sched_yield")


def address_of_sleep() -> int:
    """Return the address of a C function that lets its thread sleep for as many of its units as its argument says.

    Where there is none, it returns at once.
    """
    return _address("Sleep" if sys.platform == "win32" else "usleep")


def _address(name: str) -> int:
    try:
        function = getattr(ctypes.CDLL("kernel32" if sys.platform == "win32" else None), name)
    except (OSError, TypeError, AttributeError):
        function = ctypes.pythonapi.Py_IsInitialized
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address
