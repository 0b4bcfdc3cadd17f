"""Memory for a search, within a limit of bytes: what all workers have, and what each has of its own.

A worker alone is a team of one: it has the same areas, but no words that a team shares.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.block import CHUNK_SHIFT, MOST_WORKERS, TEAM_SINGLE, Team
from everafter.engine.columns import (
    WORD_BYTES,
    WORD_KIND,
    ElementKind,
    fields_for,
    kinds,
    most_words,
    places,
    width_within,
)
from everafter.engine.memory.areas import MODEL_BYTES, PAGE, Area, Areas, Arena, addresses, fitting
from everafter.engine.memory.stacks import Stacks, stack_shares
from everafter.search.algorithm import Algorithm

FIRST_LINES: Final = 64
FIRST_TEAM_LINES: Final = 1 << 12
FIRST_ROW: Final = 8
LINE_BYTES: Final = 64
POOL_ROOM: Final = 1 << 16
NAP: Final = 1 if sys.platform == "win32" else 200  # milliseconds there, microseconds elsewhere
THREAD_BYTES: Final = 80 << 20  # the addresses that a thread of a team takes, with its stack and what it allocates


def workers_within(workers: int, size: int) -> int:
    """Return `workers`, or as many as fit into half of the addresses at `size` bytes each: the rest is for states."""
    room = addresses()
    return workers if room is None else max(1, min(workers, room // 2 // size))


class Memory(Areas):
    """Everything that the search by `algorithm` needs, within a limit that counts for all its workers together.

    `limit` is the limit that was given, or what fits of it; `workers` are as many as were given, or as fit. The hash
    table begins with `lines` cache lines, or as many as are usual. `words` are those that the workers of a team share,
    or the block of a worker alone.
    """

    store: ClassVar[StoreKind] = "plain"
    worker_bytes: ClassVar[int] = 2 * MODEL_BYTES
    """What is reserved for each worker whatever the limit is."""
    more_bytes: ClassVar[int] = 0
    """What is reserved beside that."""
    sizes: ClassVar[tuple[int, ...]] = (block.LINES,)
    """The words of a block that say how large hash tables are."""
    shares_rows: ClassVar[bool] = True
    """Whether all workers have the same rows."""
    noted: ClassVar[tuple[int, ...]] = (
        *(block.END, block.ROWS, block.STATES, block.TRANSITIONS, block.EXPANSIONS, block.ENTERED, block.INITIAL_ROWS),
        *(block.LINES, block.QUOTA, block.GROWTHS, block.HIGHEST_FRAME, block.HIGHEST_PENDING),
        *range(block.FIRST_SINGLE, block.END_SINGLE),
    )
    """The words of the block that a search by one worker must find again to go on."""
    noted_in_team: ClassVar[tuple[int, ...]] = (*noted, block.CHUNK, block.ROOM_END, block.HIGHEST_COMPONENT)
    """Those of the block of each worker of a team …"""
    noted_of_team: ClassVar[tuple[int, ...]] = (
        *(Team.LINES, Team.GROWTH, Team.NEXT_CHUNK, Team.RESERVED, Team.STACK_BYTES, Team.DRAWS),
    )
    """… and those that it shares."""

    block_area: Area
    words: Any

    def __init__(self, algorithm: Algorithm, limit: int, workers: int = 1, lines: int = 0) -> None:
        self.is_team = algorithm.workers == "team"
        if not 1 <= workers <= (MOST_WORKERS if self.is_team else 1):
            raise ValueError(f"{algorithm.name} is no search by {workers} workers: a team has 1 to {MOST_WORKERS}")
        super().__init__()
        self.moved = 0
        """Bytes of stacks that workers of a team have counted and that are on disk."""
        self.algorithm = algorithm
        self.width = self.number_bytes(limit)
        if self.is_team:
            workers = workers_within(workers, self.worker_bytes + THREAD_BYTES)
        self.limit = fitting(limit, self._fixed_bytes(workers), self._shares(workers))
        self.kinds = kinds(algorithm, self.width, self.store)
        self.places = places(algorithm, self.width, workers if self.shares_rows else 1)
        self.lines = lines or (FIRST_TEAM_LINES if self.is_team else FIRST_LINES)
        try:
            self._lay_out(workers)
        except BaseException:
            self.close()
            raise

    def number_bytes(self, limit: int) -> int:
        """Return the bytes of a state's number where memory is limited to `limit` bytes."""
        return width_within(limit, self.store)

    def _fixed_bytes(self, workers: int) -> int:
        """Return what is reserved whatever the limit is."""
        return self.more_bytes + workers * (self.worker_bytes + (THREAD_BYTES if self.is_team else 0))

    def _shares(self, workers: int) -> float:
        """Return how much is reserved beside that, as a multiple of the limit."""
        return 3 + workers * stack_shares(self.algorithm, self.width, self.store)

    def _lay_out(self, workers: int) -> None:
        self._lay_out_states(workers)
        self.initial = self.model_area(initial_bytes(self.limit))
        if self.is_team:
            self._lay_out_team(workers)
        self.workers: list[WorkerMemory] = []
        for number in range(workers):
            self.workers.append(self._worker(number))
        if self.is_team:
            for worker in self.workers:
                self.words[Team.BLOCKS + worker.number] = worker.block_area.address
        else:
            self.block_area, self.words = self.workers[0].block_area, self.workers[0].words

    def _lay_out_states(self, _workers: int) -> None:
        """Reserve what all workers have of rows and the hash table."""
        self.rows = self.arena(self.limit)
        self.slots = self.area(self.limit, small=0)

    def _lay_out_team(self, workers: int) -> None:
        self._pool = self.area(self._pool_bytes())
        settings = {
            **self._team_settings(workers),
            Team.LINES: self.lines,
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

    def _pool_bytes(self) -> int:
        """Return how large the pool is, from which idle workers take."""
        return POOL_ROOM * self.width

    def _team_settings(self, _workers: int) -> dict[int, int]:
        """Return what the words that a team shares say of rows."""
        self.ends = self.area((self.limit >> CHUNK_SHIFT) + PAGE)
        return {Team.ENDS: self.ends.address}

    def _worker(self, number: int) -> WorkerMemory:
        return WorkerMemory(self, number, self.initial, self.rows)

    def settings_of(self, worker: WorkerMemory) -> dict[int, int]:
        """Return what the block of `worker` says of rows."""
        own = {} if self.is_team else self._settings_alone()
        return {
            block.ARENA: worker.rows.origin,
            block.ARENA_WORDS: min(worker.rows.words, most_words(self.width)),
            block.SCRATCH: self.model_area().address,
            block.COLUMN_WORDS: self.places.words,
            **own,
        }

    def _settings_alone(self) -> dict[int, int]:
        """Return what the block of a worker alone says of its own part of the arena, which is all of it."""
        return {block.QUOTA: 7 * self.lines, block.FIRST: FIRST_ROW, block.END: FIRST_ROW - self.places.words}

    def places_of(self, number: int) -> Mapping[str, int]:
        """Return how many bytes from a row each column of the worker `number` is."""
        fields = fields_for(self.algorithm)
        apart = number if self.shares_rows else 0
        return {name: place - (apart if fields[name].team == "own" else 0) for name, place in self.places.at.items()}

    def share_initial(self) -> None:
        """Let all workers know the initial states, which the first has stored."""
        first, *others = self.workers
        for worker in others:
            for index in (block.INITIAL_ROWS, *self.sizes):
                worker.words[index] = first.words[index]

    def share_sizes(self) -> None:
        """Let all workers know how large hash tables are: one that has left may not."""
        for index in self.sizes:
            size = max(int(words[index]) for words in self.blocks)
            for words in self.blocks:
                words[index] = size

    @property
    def is_whole(self) -> bool:
        """Whether all that was stored is still there, once the search has ended early."""
        return True

    @property
    def blocks(self) -> list[Any]:
        """Return the words of each worker's block."""
        return [worker.words for worker in self.workers]

    @property
    def columns(self) -> dict[str, Area]:
        """Return the areas of the first worker's columns, by field."""
        return self.workers[0].columns

    @property
    def extents(self) -> dict[str, tuple[Area, int]]:
        """Return all that is known of states: areas by name, and how many bytes of each are in use."""
        own, words = self.workers[0].words, self.words
        extents = {
            "slots": (self.slots, LINE_BYTES * int(words[Team.LINES if self.is_team else block.LINES])),
            "initial": (self.initial, WORD_BYTES * int(own[block.INITIAL_ROWS])),
        }
        return extents | self._row_extents()

    def _row_extents(self) -> dict[str, tuple[Area, int]]:
        """Return those of the areas that rows are in."""
        if not self.is_team:
            return {"rows": (self.rows, PAGE + WORD_BYTES * int(self.words[block.END]))}
        chunks = int(self.words[Team.NEXT_CHUNK])
        return {
            "rows": (self.rows, min(PAGE + (WORD_BYTES * chunks << CHUNK_SHIFT), self.rows.size)),
            "ends": (self.ends, WORD_BYTES * chunks),
        }

    @property
    def bytes_in_use(self) -> int:
        """Return the memory in use by rows, hash tables and stacks, as the limit counts it."""
        lines = self.words[Team.LINES if self.is_team else block.LINES]
        return int(self._row_bytes() + LINE_BYTES * lines + self._stack_bytes())

    def _row_bytes(self) -> int:
        words = self.words
        if self.is_team:
            return int(words[Team.NEXT_CHUNK]) << (CHUNK_SHIFT + 3)
        return int(WORD_BYTES * words[block.END] + words[block.ROWS] * words[block.STATE_BYTES])

    def _stack_bytes(self) -> int:
        words = self.words
        if self.is_team:
            return int(words[Team.STACK_BYTES]) - self.moved
        frames = words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
        return int(frames + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES])

    @property
    def pooled(self) -> list[int]:
        """Return the states that wait for a worker in the pool of a team."""
        if not self.is_team:
            return []
        return list(self._pool.numbers(ElementKind(8 * self.width, self.width))[: int(self.words[Team.POOLED])])

    def field(self, field: str) -> Any:
        """Return `field`, of the first worker, as a mutable sequence of numbers, by which Python reads the store."""
        return self.workers[0].field(field)

    def row(self, node: int, number: int = 0) -> bytes:
        """Return the row of the state `node` of the worker `number`, its colour set to 0."""
        return self.workers[number].rows.row(node)

    def stop(self, is_to_end: bool = True) -> None:
        """Ask the search to end, or let it go on if not `is_to_end`."""
        self.words[Team.STOP if self.is_team else block.STOP] = is_to_end


class WorkerMemory:
    """What one worker has of its own, and where it finds what all have: `initial` states, and `rows` in an arena."""

    def __init__(self, memory: Memory, number: int, initial: Area, rows: Arena | None) -> None:
        self.memory = memory
        self.number = number
        self._rows = rows
        self._places = memory.places_of(number)
        stacks = Stacks(memory, memory.algorithm, memory.width, memory.limit, memory.store, memory.is_team)
        self.columns: dict[str, Area] = {"initial": initial, **stacks.areas}
        self.state_columns: dict[str, Area] = {}
        """Columns by state that are areas, and not only this worker's to move."""
        settings = {
            block.SLOTS: memory.slots.address,
            block.SLOTS_BYTES: memory.slots.size,
            block.LINES: memory.lines,
            block.BUFFER: memory.model_area().address,
            block.LIMIT_BYTES: memory.limit,
            block.TEAM: memory.block_area.address if memory.is_team else 0,
            block.WORKER: number,
            block.WANTED: 1,
        }
        self.block_area = memory.word_area(block.WORDS, settings | stacks.settings | memory.settings_of(self))
        self.words = self.block_area.numbers(WORD_KIND)
        for field in fields_for(memory.algorithm):
            self.words[block.word_of(field)] = self._address(field)

    @property
    def rows(self) -> Arena:
        """Return the arena of the rows that the worker finds; where rows are kept as trees, there is none."""
        assert self._rows is not None
        return self._rows

    def _address(self, field: str) -> int:
        """Return the address of element 0 of `field`, 0 if it is not kept."""
        if field in block.SINGLE:
            return self.block_area.address + WORD_BYTES * block.SINGLE[field]
        if field in TEAM_SINGLE:
            return self.memory.block_area.address + WORD_BYTES * TEAM_SINGLE[field]
        if field in self._places:
            return self.rows.origin + self._places[field]
        column = self._area(field)
        return column.address if column is not None else 0

    def _area(self, field: str) -> Area | None:
        return self.state_columns.get(field) or self.columns.get(field)

    def field(self, field: str) -> Any:
        """Return `field` as a mutable sequence of numbers.

        A field that the search does not keep is a dictionary: enough for an explanation, which fills it in order.
        """
        kind = self.memory.kinds[field]
        if field in block.SINGLE:
            return self.block_area.numbers(kind, WORD_BYTES * block.SINGLE[field])
        if field in self._places:
            return self.rows.column(kind, self._places[field])
        column = self._area(field)
        return column.numbers(kind) if column is not None else {}

    def row(self, node: int) -> bytes:
        """Return the row of the state `node`, its colour set to 0."""
        return self.memory.row(node, self.number)


def initial_bytes(limit: int) -> int:
    """Return the room for the numbers of all initial states within `limit`: each takes twice as much elsewhere."""
    return min(MODEL_BYTES, limit // 2)


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
