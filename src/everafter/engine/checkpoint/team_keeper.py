"""Who writes the checkpoints of a team that searches in no order, and lets it go on from the last one.

A team ends as if one of its workers had an answer. Then every state that was discovered has been expanded,
or waits: in `pending` of the worker that discovered it, below the end of frame 0; or in the pool; or it is an initial
state which a worker was about to expand. All that wait are put into `pending`, and the same kernels are started again:
the first nodes that a worker takes are those that wait there. So a search that was interrupted goes on in the memory
that it has, and one that was resumed in memory that was read from a file.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from everafter.engine import block
from everafter.engine.block import Team
from everafter.engine.checkpoint.checkpoint_file import FilePart
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.keeper import CheckpointKeeper
from everafter.engine.memory.search_memory import Memory, WorkerMemory
from everafter.engine.successor_calls import STOP
from everafter.search.space import DISCOVERED, TARGET

BY_TEAM: Final = frozenset({"unordered"})
"""The searches by a team of which there are checkpoints."""
_TAKE: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 2)
_EXPAND: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 5)
_MEETING: Final = (Team.ABORT, Team.STOP, Team.LOCK, Team.POOLED, Team.IDLE, Team.ARRIVED, Team.FILLING)


class WaitingNodes:
    """The nodes that wait in `pending` of one worker, and what it does without any."""

    def __init__(self, worker: WorkerMemory) -> None:
        self.worker = worker
        self.count = 0
        """How many wait when the worker begins."""
        self.error: BaseException | None = None
        self._is_idle = False
        self._initial: int | None = None
        words = worker.words
        self._real_take, self._real_successors = _TAKE(int(words[block.TAKE])), _EXPAND(int(words[block.SUCCESSORS]))
        self._calls = {
            block.TAKE: _TAKE(self._guarded(self._take)),
            block.SUCCESSORS: _EXPAND(self._guarded(self._expand)),
        }
        for index, call in self._calls.items():
            words[index] = ctypes.cast(call, ctypes.c_void_p).value

    def _guarded(self, call: Callable[..., int]) -> Callable[..., int]:
        """The same call; what it raises would be lost, and the search go on: so it is stopped."""

        def called(*arguments: int) -> int:
            try:
                return call(*arguments)
            except BaseException as error:  # it is raised again when the search has ended
                self.error = error
                return STOP

        return called

    def _expand(self, address: int, node: int, begin: int, depth: int) -> int:
        """Expand an initial state, as only they are expanded one by one, and remember it should this fail."""
        self._initial = node
        end = int(self._real_successors(address, node, begin, depth))
        if end >= 0:
            self._initial = None
        return end

    def _take(self, address: int) -> int:
        """Take the nodes that wait here at first, then those of others."""
        if self.count > 0:
            count, self.count = self.count, 0
            return count
        self._is_idle = True
        taken = int(self._real_take(address))
        self._is_idle = taken <= 0
        return taken

    def gather(self) -> None:
        """The worker has ended: see which nodes wait here."""
        if self.count > 0:
            return  # it never came to take them
        if self._initial is not None:
            self.worker.field("pending")[0], self.count = self._initial, 1
        elif not self._is_idle:
            self.count = int(self.worker.field("limit")[0])

    def add(self, nodes: Sequence[int]) -> None:
        """Let `nodes` wait here, too."""
        pending = self.worker.field("pending")
        for place, node in enumerate(nodes, self.count):
            pending[place] = node
        self.count += len(nodes)

    def begin(self) -> None:
        """Let the worker begin anew."""
        self._is_idle, self._initial = False, None
        self.worker.field("limit")[0] = 0
        self.worker.words[block.REASON] = block.NO_REASON


class TeamKeeper(CheckpointKeeper):
    """Keeps what a team knows that searches in no order."""

    def __init__(self, generations: Generations, memory: Memory, notes: Sequence[memoryview] = ()) -> None:
        super().__init__(generations, memory, notes)
        self.waiting = [WaitingNodes(worker) for worker in memory.workers]
        self._is_asked = False

    def _words(self) -> Mapping[str, tuple[Any, int]]:
        memory = self.memory
        own = {
            f"{worker.number}.{index}": (worker.words, index)
            for worker in memory.workers
            for index in memory.noted_in_team
        }
        return {**{str(index): (memory.words, index) for index in memory.noted_of_team}, **own}

    def _parts(self, point: Mapping[str, int]) -> list[FilePart]:
        parts = [FilePart(name, area, 0, size) for name, (area, size) in self.memory.extents.items()]
        size = self.memory.kinds["pending"].size
        return parts + [
            FilePart(f"pending {number}", self.memory.workers[int(number)].columns["pending"], 0, count * size)
            for number, count in point.items()
        ]

    def _resumed(self, point: Mapping[str, int]) -> None:
        for number, count in point.items():
            self.waiting[int(number)].count = count

    def begin(self) -> None:
        """Let all workers begin, or go on."""
        self._is_asked = False
        for index in _MEETING:
            self.memory.words[index] = 0
        self.memory.words[Team.ACTIVE] = len(self.waiting)
        for each in self.waiting:
            each.begin()

    def look(self) -> None:
        """Ask the workers to end, if it is time for a checkpoint."""
        if self.generations.is_due:
            self._is_asked = True
            self.memory.words[Team.ABORT] = 1

    @property
    def is_interrupted(self) -> bool:
        """Whether the workers have ended because a checkpoint is due, and for no other reason."""
        return self._is_asked and not any(int(words[block.REASON]) for words in self.memory.blocks)

    def gather(self) -> None:
        """The workers have ended: gather all that waits in what they have of their own.

        Raises what went wrong in their calls.
        """
        for each in self.waiting:
            if each.error is not None:
                raise each.error
        self.memory.share_sizes()
        for each in self.waiting:
            each.gather()
        least = min(self.waiting, key=lambda each: each.count)
        least.add(self.memory.pooled)
        self.memory.words[Team.POOLED] = 0
        colour, first = self.memory.field("colour"), self.memory.workers[0]
        listed = first.field("initial")[: int(first.words[block.INITIAL_ROWS])]
        begun = [int(node) for node in listed if not colour[node] & (DISCOVERED | TARGET)]
        for node in begun:
            colour[node] |= DISCOVERED
        least.add(begun)

    def save(self, seconds: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Write a checkpoint of workers that have ended after `seconds`, unless `is_over` becomes true meanwhile.

        Where they have ended while a hash table was filled anew, it lacks rows, and nothing is written.
        """
        if int(self.memory.words[Team.GROWTH]) & 1 == 0:
            self._write({str(each.worker.number): each.count for each in self.waiting}, seconds, is_over)
