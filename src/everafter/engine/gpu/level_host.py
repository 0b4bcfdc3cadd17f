"""The host of the kernels: memory for a search, its launches, a larger hash table when one is full, and the answer.

    outcome = LevelSearch(machine, program, stride, memory).run(observe)

All memory is given back before `run` returns.
"""

from __future__ import annotations

import struct
import time
from array import array
from collections.abc import Callable, Iterator
from typing import Final

from everafter.engine.gpu import device_words as Job  # noqa: N812 # its words are constants
from everafter.engine.gpu.device import DeviceProgram, Machine
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures
from everafter.record import dataclass

Observe = Callable[[SearchFigures], bool]
Ranked = tuple[bytes, int, tuple[int]]
"""A row, how many bytes it has, and when it has left a search for accepting cycles."""
_PARENT_BYTES, _RANK_BYTES = 4, 4
_MOST_ROWS: Final = (1 << 32) - 2
_PADDING: Final = 64
"""Bytes behind the last row: rows are copied by whole words of four."""
_PIECE: Final = 1 << 24
"""How many bytes of rows are read from the machine at a time."""
_GROWTH: Final = 2
"""A hash table grows by this power of two."""


@dataclass(frozen=True, slots=True)
class LevelOutcome:
    """What a search by levels came to."""

    ending: SearchEnding
    figures: SearchFigures
    path: tuple[bytes, ...] = ()
    """The rows from the initial one to the one that leads to a violation, if there is one."""
    levels: int = 0
    is_shortest: bool = False
    """Whether no path to a violation is shorter."""
    cycle: tuple[bytes, ...] = ()
    """The rows of an accepting cycle, if there is one: the path then leads to the first of them."""
    confirmation: float = 0.0
    """Of the seconds, those in which all rows were expanded once more."""


@dataclass(frozen=True, slots=True)
class Shares:
    """How memory is divided: room for `rows` rows, and for at most `slots` slots."""

    rows: int
    slots: int


def shares(memory: int, row: int) -> Shares:
    """Return the most rows of `row` bytes that `memory` has room for, with the slots to find them."""
    found = Shares(0, 0)
    for power in range(3, 40):
        slots = 1 << power
        rows = min((memory - 8 * slots) // row - 2, most_rows(slots), _MOST_ROWS)
        if rows > found.rows:
            found = Shares(rows, slots)
    if not found.rows:
        raise MemoryError("there is no memory for a search")
    return found


def most_rows(slots: int) -> int:
    """Return how many rows a table of `slots` slots takes: five eighths, so that a slot is found soon."""
    return slots * 5 // 8


class LevelSearch:
    """One search of one model. `stride` is how many bytes lie between two rows, `memory` how many all may take."""

    more_bytes = 0
    """How many are kept of each row beside itself and its parent."""

    def __init__(self, machine: Machine, program: DeviceProgram, stride: int, memory: int) -> None:
        self.machine = machine
        self.program = program
        self.stride = stride
        self.row_bytes = stride + _PARENT_BYTES + self.more_bytes
        self.shares = shares(memory - program.rooms, self.row_bytes)
        self.slots = min(machine.first_slots, self.shares.slots)
        self._words = [0] * Job.WORDS
        self._seconds = 0.0
        self._transitions = 0
        self._looked_over = 0
        """The highest number of a row when all were last expanded once more."""
        self._found_in = 0.0
        """The seconds until that began."""
        self._ranks = 0
        """Where rows have ranks, if they have any."""

    def run(
        self, observe: Observe = lambda _: False, conclude: Callable[[Iterator[Ranked]], None] = lambda _: None
    ) -> LevelOutcome:
        """Search to the end; `observe` gets the figures after each launch, and stops the search by returning True.

        `conclude` is given the rows of a search that is complete, before they are given back.
        """
        try:
            self._allocate()
            outcome = self._concluded(self._searched(observe), observe)
            if outcome.ending is SearchEnding.COMPLETED:
                conclude(self._stored())
            return outcome
        finally:
            self.machine.release()

    def _concluded(self, outcome: LevelOutcome, _observe: Observe) -> LevelOutcome:
        """What the search comes to, while its rows are still there."""
        return outcome

    def _stored(self) -> Iterator[Ranked]:
        """All rows, each with its rank if it has one."""
        end, at_once = self._words[Job.COUNT] + 1, max(1, _PIECE // self.stride)
        for begin in range(Job.FIRST_ROW, end, at_once):
            count = min(at_once, end - begin)
            content = self.machine.read(self._arena + begin * self.stride, count * self.stride)
            ranks = array("I", bytes(_RANK_BYTES * count))
            if self._ranks:
                ranks = array("I", self.machine.read(self._ranks + _RANK_BYTES * begin, _RANK_BYTES * count))
            for number, rank in enumerate(ranks):
                row = _trimmed(content, number * self.stride)
                if row:  # else no row has this number
                    yield row, len(row), (rank,)

    def _allocate(self) -> None:
        machine, rows = self.machine, self.shares.rows
        self._job = machine.allocate(8 * Job.WORDS)
        self._arena = machine.allocate((rows + 1) * self.stride + _PADDING)
        self._parents = machine.allocate((rows + 1) * _PARENT_BYTES)
        self._table = machine.allocate(8 * self.shares.slots)
        machine.clear(self._table, 8 * self.slots)
        self._words = [0] * Job.WORDS
        for index, value in (
            (Job.ARENA, self._arena),
            (Job.STRIDE, self.stride),
            (Job.SLOTS, self._table),
            (Job.PARENTS, self._parents),
            (Job.ROOMS, machine.allocate(self.program.rooms) if self.program.rooms else 0),
            (Job.SLICE, machine.slice),
            (Job.TURNS, machine.turns),
            (Job.BEGIN, Job.FIRST_ROW),
            (Job.SLICE_END, Job.FIRST_ROW + 1),
            (Job.LEVEL_END, Job.FIRST_ROW + 1),
            (Job.FOUND, Job.NO_PROCESS),
            (Job.FAILURE, Job.NO_PROCESS),
        ):
            self._words[index] = value
        self._make_room()

    def _make_room(self) -> None:
        self._words[Job.MASK] = self.slots - 1
        self._words[Job.ROOM] = min(self.shares.rows, most_rows(self.slots))

    def _searched(self, observe: Observe) -> LevelOutcome:
        self._launch("start", alone=True)
        while True:
            self._words[Job.REASON] = Job.GOES_ON
            self._words[Job.TURN] = 0
            self._words[Job.SUMS :: Job.LINE_WORDS] = [0] * Job.SUM_LINES
            self._words[Job.BUDGET] = self._budget()
            self._launch("search")
            reason = self._words[Job.REASON]
            if reason != Job.FULL or self.machine.turns > 1:  # who waits knows what is to be done again
                self._transitions += sum(self._words[Job.SUMS :: Job.LINE_WORDS])
            if reason == Job.FULL and not self._grown():
                return self._found_early(observe) or LevelOutcome(SearchEnding.OUT_OF_MEMORY, self.figures())
            if reason == Job.COMPLETED and self._looked_over != self._words[Job.COUNT]:
                self._look_over()
                continue
            if reason in _ENDINGS:
                path = self._path(self._words[Job.FOUND]) if reason == Job.ANSWERED else ()
                levels, again = self._words[Job.LEVEL], self._looked_over > 0
                confirmation = self._seconds - self._found_in if again else 0.0
                return LevelOutcome(
                    _ENDINGS[reason], self.figures(), path, levels, not again, confirmation=confirmation
                )
            if observe(self.figures()):
                return LevelOutcome(SearchEnding.STOPPED_BY_CALLER, self.figures())
            if self._is_early(reason) and (found := self._found_early(observe)):
                return found

    def _budget(self) -> int:
        """Up to which row the next launch expands; one that is through with its slice ends behind it."""
        return self._words[Job.BEGIN] + 16 * self.machine.slice

    def _is_early(self, _reason: int) -> bool:
        """Whether an answer is worth looking for before all rows are there."""
        return False

    def _found_early(self, _observe: Observe) -> LevelOutcome | None:
        """An answer among the rows that are stored so far."""
        return None

    def _look_over(self) -> None:
        """Expand every row once more: the search is complete when that finds nothing new.

        So what is said to hold does not depend on what threads saw while others were writing.
        """
        self._looked_over, self._found_in = self._words[Job.COUNT], self._seconds
        self._transitions = 0
        end = self._words[Job.COUNT] + 1
        self._words[Job.BEGIN] = Job.FIRST_ROW
        self._words[Job.SLICE_END] = min(Job.FIRST_ROW + self.machine.slice, end)
        self._words[Job.LEVEL_END] = end

    def _grown(self) -> bool:
        """Make room for more rows; whether there is any."""
        self._words[Job.COUNT] = self._words[Job.ROOM]
        if self._words[Job.ROOM] == self.shares.rows:
            return False
        self.slots = min(self.slots << _GROWTH, self.shares.slots)
        self._make_room()
        self.machine.clear(self._table, 8 * self.slots)
        self._launch("refill")
        return True

    def _launch(self, entry: str, alone: bool = False) -> None:
        begin = time.perf_counter()
        self.machine.write(self._job, struct.pack(f"<{Job.WORDS}q", *self._words))
        self.program.launch(entry, self._job, alone)
        self._words = list(struct.unpack(f"<{Job.WORDS}q", self.machine.read(self._job, 8 * Job.WORDS)))
        self._seconds += time.perf_counter() - begin

    def _path(self, number: int) -> tuple[bytes, ...]:
        """The rows from the initial one to this one."""
        rows: list[bytes] = []
        while number:
            rows.append(self._row(number))
            parent = self.machine.read(self._parents + _PARENT_BYTES * number, _PARENT_BYTES)
            number = int.from_bytes(parent, "little")
        return tuple(reversed(rows))

    def _row(self, number: int) -> bytes:
        """A row, its colour set to 0."""
        row = _trimmed(self.machine.read(self._arena + number * self.stride, self.stride), 0)
        return b"\0" + row[1:]

    def figures(self) -> SearchFigures:
        """Return how far the search has come. Seconds are those that the machine took, whatever the processor did."""
        words = self._words
        rows = min(words[Job.COUNT], words[Job.ROOM]) - words[Job.HOLES]
        expanded = words[Job.BEGIN] - Job.FIRST_ROW
        return SearchFigures(
            states=rows - words[Job.HELD],
            rows=rows,
            transitions=self._transitions,
            depth=0,
            expansions=expanded,
            entered=expanded,
            bytes=words[Job.COUNT] * self.row_bytes + 8 * self.slots,
            seconds=self._seconds,
        )


def _trimmed(content: bytes, begin: int) -> bytes:
    """Return the row at `begin` of `content`, without what is behind it; nothing where there is none."""
    return content[begin : begin + 8 * int.from_bytes(content[begin + 2 : begin + 4], "little")]


_ENDINGS: Final = {
    Job.COMPLETED: SearchEnding.COMPLETED,
    Job.ANSWERED: SearchEnding.ANSWERED,
    Job.MODEL_FAILED: SearchEnding.MODEL_FAILED,
    Job.ROW_TOO_LONG: SearchEnding.MODEL_FAILED,
}
