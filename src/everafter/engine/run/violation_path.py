"""The way to what a search without an order has found, through the states that it has stored: none is searched anew.

It costs a queue, of two numbers for each state passed, and at most as many expansions as the search had: the states
that were still waiting when the search ended are not expanded.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from everafter.engine import block
from everafter.engine.block import FIRST_QUEUED, Team
from everafter.engine.code.machine import Loaded
from everafter.engine.memory.search_memory import Memory, WorkerMemory
from everafter.engine.run.search_outcome import REASONS, SearchEnding, SearchOutcome
from everafter.engine.run.search_threads import Work
from everafter.record import dataclass, replace
from everafter.search.algorithm import Algorithm
from everafter.search.framework import TOGETHER
from everafter.search.space import ACTIVE, ANSWERED, ON_PATH, RED, STOPPED

_WAITING: Final = RED
"""A bit of the colour that no search of this kind uses."""
_NUMBERS: Final = 2
"""How many numbers the queue has for each state."""
_PASSES: Final = ((ACTIVE, _WAITING), (ON_PATH, 0))
"""The bits of what is passed and of what is not entered. Where a worker last noted how much waits may be states that it
has expanded since; if the way leads through one of these, they are entered, too."""


@dataclass(frozen=True, slots=True)
class ViolationPath:
    """The search for the way, by one worker, the one that found: its memory, and the code of the search before."""

    algorithm: Algorithm
    memory: Memory
    finder: WorkerMemory
    code: Loaded

    @property
    def room(self) -> int:
        """The bytes that are left for a queue."""
        return self.memory.limit - self.memory.bytes_in_use

    def search(self, is_enough: Callable[[], bool], interval: float) -> tuple[int, ...] | SearchEnding:
        """The numbers of the states from an initial one to what was found, or what has ended the search before.

        `is_enough` is asked at once, and every so many seconds. When memory is full it is over, too.
        """
        if is_enough():
            return SearchEnding.STOPPED_BY_CALLER
        self._prepare()
        words = self.finder.words
        set_aside, way = self._function("set_aside", 2), self._function("way", 3)
        for each in self.memory.workers:
            limit = each.field("limit")
            if not 0 <= limit[0] <= each.words[block.PENDING_ROOM]:  # it could not expand an initial state
                limit[0] = 0
            set_aside(each.block_area.address, _WAITING)
        colour = self.finder.field("colour")
        for node in self.memory.pooled:
            colour[node] |= _WAITING
        for met, aside in _PASSES:
            self._restart()
            work = Work(self.algorithm, self.memory, [partial(way, self.finder.block_area.address, met, aside)])
            work.watch(lambda _: is_enough(), interval)
            if work.outcomes == [ANSWERED]:
                return self._passed(int(self.finder.field("found")[0]))
            if work.outcomes == [STOPPED]:
                return REASONS[words[block.REASON]]
        raise RuntimeError("what was found cannot be reached through the states that are stored")

    def outcome(
        self, ended: SearchOutcome, was_stopped: bool, is_enough: Callable[[], bool], interval: float
    ) -> SearchOutcome:
        """The outcome of the search that has ended so, with the way as its answer, or what has cut it.

        `was_stopped`: the search was told to end, so that the workers may have left a hash table half full.
        """
        candidates = self._rows(self._candidates())  # before others are expanded
        expanded, rows = self._total(block.EXPANSIONS), self._total(block.ROWS)
        found = SearchEnding.STOPPED_BY_CALLER if was_stopped else self.search(is_enough, interval)
        expansions, stored = self._total(block.EXPANSIONS) - expanded, self._total(block.ROWS) - rows
        ended = replace(ended, expansions=expansions, stored=stored)
        if isinstance(found, SearchEnding):
            return replace(ended, cut=found, candidates=candidates)
        return replace(ended, answer=self._rows(found))

    def _total(self, index: int) -> int:
        return sum(int(words[index]) for words in self.memory.blocks)

    def _rows(self, numbers: Iterable[int]) -> tuple[bytes, ...]:
        return tuple(map(self.finder.row, numbers))

    def _candidates(self) -> tuple[int, ...]:
        """The states that were expanded last: what was found is one step behind one of them, or is initial."""
        listed = (int(self.finder.words[block.NODES + offset]) for offset in range(TOGETHER))
        return tuple(dict.fromkeys(node for node in listed if node != block.NO_NODE)) or tuple(self._initial())

    def _initial(self) -> list[int]:
        return list(self.finder.field("initial")[: int(self.finder.words[block.INITIAL_ROWS])])

    def _prepare(self) -> None:
        """Let the worker that found go on alone, with hash tables as others may have made them since it left, and with
        so much of a queue as there is memory for."""
        if self.memory.is_team:
            self.memory.share_sizes()
            self.memory.words[Team.ACTIVE] = 1
        words = self.finder.words
        if words[block.FRAME_BYTES] > 0:  # else stacks are on disk
            elements = self.room // (_NUMBERS * self.memory.width)
            words[block.FRAMES] = max(0, min(int(words[block.FRAMES]), FIRST_QUEUED + elements))

    def _restart(self) -> None:
        """Let there be no reason to stop."""
        self.memory.stop(is_to_end=False)
        self.finder.words[block.REASON] = block.BY_CALLER

    def _function(self, name: str, arguments: int) -> Callable[..., int]:
        return ctypes.CFUNCTYPE(*[ctypes.c_int64] * (arguments + 1))(self.code.address(name))

    def _passed(self, end: int) -> tuple[int, ...]:
        """The states on the way to that place in the queue."""
        queue, before = self.finder.field("stack"), self.finder.field("cursor")
        way = [end]
        while before[way[-1]]:
            way.append(int(before[way[-1]]))
        return tuple(int(queue[place]) for place in reversed(way))
