"""The host of a search for accepting cycles: all rows first, then rounds in which those leave that are on none.

    outcome = CycleSearch(machine, program, stride, memory).run(observe)

It is complete without an answer when every row has left and every edge was looked at once more, see `trimming.py`.
Some times before all rows are there, and where they do not all fit, a cycle is looked for among those that are: it is
one of the whole, and a near one is found in a space of any size.
"""

from __future__ import annotations

import struct
import time
from typing import Final

from everafter.engine.gpu import device_words as Job  # noqa: N812 # its words are constants
from everafter.engine.gpu.level_host import LevelOutcome, LevelSearch, Observe
from everafter.engine.run.search_outcome import SearchEnding
from everafter.record import dataclass, replace

_MARK_BYTES, _NUMBER_BYTES = 8, 4
_AT_ONCE: Final = 16
"""How many slices of rows a launch looks at."""


class _StoppedByCallerError(Exception):
    """The observer has stopped the search."""


@dataclass(slots=True)
class _Left:
    """The rows that are still active: how many, and the lowest number."""

    count: int
    number: int


class DeviceCycleSearch(LevelSearch):
    """One search for an accepting cycle of the product of a model with a claim."""

    more_bytes = _MARK_BYTES + 2 * _NUMBER_BYTES
    early = 1 << 16
    """A cycle is looked for when this many rows are expanded, and again whenever there are `later` times as many."""
    later = 32

    def _allocate(self) -> None:
        super()._allocate()
        rows = self.shares.rows + 1
        self._marks = self.machine.allocate(rows * _MARK_BYTES)
        self._ranks = self.machine.allocate(rows * _NUMBER_BYTES)
        self._arrivals = self.machine.allocate(rows * _NUMBER_BYTES)
        self._words[Job.MARKS], self._words[Job.RANKS] = self._marks, self._ranks
        self._words[Job.ARRIVALS] = self._arrivals

    def _concluded(self, outcome: LevelOutcome, observe: Observe) -> LevelOutcome:
        """Look for a cycle among the rows of a search that has met no violation."""
        if outcome.ending is not SearchEnding.COMPLETED:
            return outcome
        try:
            return self._found(outcome, observe) or self._judged(outcome)
        except _StoppedByCallerError:
            return replace(outcome, ending=SearchEnding.STOPPED_BY_CALLER, figures=self.figures())

    def _budget(self) -> int:
        return min(super()._budget(), max(self.early, self._words[Job.BEGIN]))

    def _is_early(self, reason: int) -> bool:
        return reason == Job.PAUSED and self._words[Job.BEGIN] > self.early and not self._looked_over

    def _found_early(self, observe: Observe) -> LevelOutcome | None:
        """An accepting cycle among the rows that are stored so far; the search can go on as before."""
        while self.early < self._words[Job.BEGIN]:
            self.early *= self.later
        words = list(self._words)
        try:
            return self._found(LevelOutcome(SearchEnding.ANSWERED, self.figures()), observe)
        except _StoppedByCallerError:
            return LevelOutcome(SearchEnding.STOPPED_BY_CALLER, self.figures())
        finally:
            self._words = words

    def _found(self, outcome: LevelOutcome, observe: Observe) -> LevelOutcome | None:
        """Return `outcome` with an accepting cycle, if there is one: rounds end when no row is left, or none leaves."""
        self._observe, self._clock = observe, 0
        rows = self._words[Job.COUNT] + 1
        self.machine.clear(self._marks, rows * _MARK_BYTES)
        self.machine.clear(self._ranks, rows * _NUMBER_BYTES)
        before, left = self.figures().rows, self._round()
        while 0 < left.count < before:
            before, left = left.count, self._round()
        if not left.count:
            return None
        numbers = self._cycle(left.number)
        path, cycle = self._path(numbers[0]), tuple(map(self._row, numbers))
        return replace(outcome, ending=SearchEnding.ANSWERED, figures=self.figures(), path=path, cycle=cycle)

    def _judged(self, outcome: LevelOutcome) -> LevelOutcome:
        """Return `outcome` where no row is left: whether every edge agrees with that."""
        begun = self._seconds
        self._sweep("visit", Job.JUDGE)
        confirmation = outcome.confirmation + self._seconds - begun
        ending = SearchEnding.UNDECIDED if self._words[Job.LOST] else SearchEnding.COMPLETED
        return replace(outcome, ending=ending, figures=self.figures(), confirmation=confirmation)

    def _round(self) -> _Left:
        """Let rows leave that are not reached from an accepting row, or have no predecessor; count the others."""
        self._words[Job.DUE], self._words[Job.NEXT_DUE] = Job.DUE_BITS
        self._sweep("sort_rows", Job.BEGIN_ROUND)
        self._waves(Job.REACH)
        self._clock += 2
        self._words[Job.UNREACHED] = self._clock - 1
        self._words[Job.RANK] = self._clock
        self._sweep("sort_rows", Job.SETTLE)
        if self._words[Job.CHANGED]:
            self._waves(Job.REMOVE)
        return self._left()

    def _waves(self, mode: int) -> None:
        """Visit the rows that are due, and those that become due by that, until none do."""
        self._words[Job.CHANGED] = 1
        while self._words[Job.CHANGED]:
            self._words[Job.DUE], self._words[Job.NEXT_DUE] = self._words[Job.NEXT_DUE], self._words[Job.DUE]
            self._clock += 2
            self._words[Job.RANK] = self._clock
            self._sweep("visit", mode)

    def _left(self) -> _Left:
        """Count the rows that are still active."""
        self._words[Job.ACTIVE_ROW] = Job.NO_PROCESS
        self._words[Job.SUMS :: Job.LINE_WORDS] = [0] * Job.SUM_LINES
        self.machine.write(self._job, struct.pack(f"<{Job.WORDS}q", *self._words))
        self._sweep("sort_rows", Job.COUNT_LEFT)
        self._words = list(struct.unpack(f"<{Job.WORDS}q", self.machine.read(self._job, 8 * Job.WORDS)))
        self._words[Job.BEGIN] = self._words[Job.SLICE_END]
        return _Left(sum(self._words[Job.SUMS :: Job.LINE_WORDS]), self._words[Job.ACTIVE_ROW])

    def _sweep(self, entry: str, mode: int) -> None:
        """Do something with all rows, some at a time, so that it can be stopped."""
        words, end = self._words, self._words[Job.COUNT] + 1
        words[Job.MODE], words[Job.CHANGED] = mode, 0
        for begin in range(Job.FIRST_ROW, end, _AT_ONCE * self.machine.slice):
            started = time.perf_counter()
            words[Job.BEGIN], words[Job.SLICE_END] = begin, min(begin + _AT_ONCE * self.machine.slice, end)
            self.machine.write(self._job, struct.pack(f"<{Job.HEAD}q", *words[: Job.HEAD]))
            self.program.launch(entry, self._job)
            words[: Job.HEAD] = struct.unpack(f"<{Job.HEAD}q", self.machine.read(self._job, 8 * Job.HEAD))
            self._seconds += time.perf_counter() - started
            words[Job.BEGIN] = end
            if self._observe(self.figures()):
                raise _StoppedByCallerError

    def _cycle(self, number: int) -> list[int]:
        """The numbers of an accepting cycle, forwards: against edges that arrived first, an active row leads to one.

        Each row but an accepting one was reached by its edge, and later than where that comes from.
        """
        met: dict[int, int] = {}
        order: list[int] = []
        while number not in met:
            met[number] = len(order)
            order.append(number)
            place = self._arrivals + _NUMBER_BYTES * number
            number = int.from_bytes(self.machine.read(place, _NUMBER_BYTES), "little")
        return order[met[number] :][::-1]
