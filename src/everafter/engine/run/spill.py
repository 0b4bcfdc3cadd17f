"""Going over to disk when memory is short: stacks, queues and parents leave memory, states stay.

What a search keeps by depth or in a queue it reads at one end, and what led to a state, only when something was found:
a file serves for that as well as memory. A worker's areas are moved in its own thread, when it asks for successors.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from everafter.engine import block
from everafter.engine.columns import ElementKind, kept
from everafter.engine.memory.areas import Area
from everafter.engine.memory.disk import Disk, DiskError
from everafter.engine.memory.search_memory import POOL_ROOM, Memory, WorkerMemory
from everafter.engine.successor_calls import Asking
from everafter.search.fields import Index

SHORT: Final = 0.75
"""The share of the memory allowed from which on it is short."""
WORTH: Final = 64
"""Areas are moved if they have at least one byte in this many of the memory allowed."""
SELDOM: Final = frozenset({"parent", "member", "missing"})
"""What is kept for each state and not read before the search has ended."""
_COSTS: Final[Mapping[Index, int]] = {
    "depth": block.FRAME_BYTES,
    "edge": block.PENDING_BYTES,
    "row": block.STATE_BYTES,
    "state": block.STATE_BYTES,
}
_ROOMS: Final[Mapping[Index, int]] = {"depth": block.FRAMES, "edge": block.PENDING_ROOM}
_MARGIN: Final = POOL_ROOM + (1 << 13)
"""Elements that may be in use above what the marks say: a frame, and what a worker of a team was handed."""


class SpillingWorker:
    """The areas of one worker that can be moved, and the words that say how large they are."""

    def __init__(self, owner: WorkerMemory, disk: Disk, tell: Callable[[int], None]) -> None:
        self.words = owner.words
        self.asking = Asking(owner.words)
        self.has_tried = False
        self.moved: list[tuple[Index, ElementKind]] = []
        self.trouble = ""
        self._disk = disk
        self._tell = tell
        self._fields = _fields(owner)
        by_state = sum(kind.size for index, kind, _ in self._fields if index in ("row", "state"))
        self._staying = int(owner.words[block.STATE_BYTES]) - by_state
        self._counted = _counted(owner)
        self._calls = self.asking.before(self._act)

    def ask(self) -> None:
        """Let the worker move its areas when it next asks for successors."""
        if not self.has_tried:
            self.asking.put(self._calls)

    def _act(self, _frame: int) -> None:
        if not self.has_tried:
            self.move()

    def move(self) -> None:
        """Move all areas that the disk has room for. They must not be used meanwhile."""
        self.has_tried = True
        before = self.bytes
        try:
            for (index, kind, area), size in _shares(self._fields, self._disk.room()):
                used = min((self._elements(index) + _MARGIN) * kind.size, area.size)
                if size >= min(2 * used, area.size):
                    self._disk.move(area, used, size)
                    self._note(index, kind, size)
        except DiskError as error:
            self.trouble = str(error)
        if self.moved:
            self._tell(before - self.bytes)

    def _note(self, index: Index, kind: ElementKind, size: int) -> None:
        """Note that the field is on disk, with room for `size` bytes: it takes no memory any more."""
        self.moved.append((index, kind))
        self.words[_COSTS[index]] -= kind.size
        if index in _ROOMS:
            spare = 2 if index == "depth" else 0
            self.words[_ROOMS[index]] = min(int(self.words[_ROOMS[index]]), size // kind.size - spare)

    def _elements(self, index: Index) -> int:
        """How many elements of such a field are in use."""
        words = self.words
        match index:
            case "depth":
                return int(words[block.HIGHEST_FRAME])
            case "edge":
                return int(words[block.HIGHEST_PENDING])
            case "row":
                marks = words[block.ROWS], words[block.HIGHEST_COMPONENT], words[block.COMPONENT_HEIGHT]
                return max(map(int, marks))
            case _:
                return max(int(words[block.NEXT]), int(words[block.ROWS]))

    @property
    def bytes(self) -> int:
        """The memory that the store counts for what can be moved, and is not yet."""
        words = self.words
        return int(
            words[block.HIGHEST_FRAME] * words[block.FRAME_BYTES]
            + words[block.HIGHEST_PENDING] * words[block.PENDING_BYTES]
            + words[self._counted] * (words[block.STATE_BYTES] - self._staying)
        )

    @property
    def disk_bytes(self) -> int:
        """What is in use on the disk."""
        return sum(self._elements(index) * kind.size for index, kind in self.moved)


Movable = tuple[Index, ElementKind, Area]
"""A field that can be moved: how it is indexed and kept, and where."""


def _fields(owner: WorkerMemory) -> list[Movable]:
    """What can be moved of the worker's columns."""
    indices: tuple[Index, ...] = ("depth", "edge", "row", "state")
    return [
        (index, kind, owner.columns[name])
        for index in indices
        for name, kind in kept(index, owner.memory.algorithm, owner.memory.width).items()
        if name in owner.columns and (index != "state" or name in SELDOM)
    ]


def _counted(owner: WorkerMemory) -> int:
    """The word of a block that says how many elements of fields by row or state the store counts."""
    if owner.memory.is_team:
        return block.HIGHEST_COMPONENT
    return block.NEXT if owner.memory.store == "tree" else block.ROWS


def _shares(fields: Sequence[Movable], room: int) -> Iterator[tuple[Movable, int]]:
    """How much of each area the disk has room for.

    What has no mark that could keep a search from needing more goes whole or not at all; the others share what is left.
    """
    for field in fields:
        size = field[2].size
        if field[0] not in _ROOMS and size <= room:
            room -= size
            yield field, size
    marked = [field for field in fields if field[0] in _ROOMS]
    wanted = sum(area.size for _, _, area in marked)
    for field in marked:
        yield field, min(field[2].size, room * field[2].size // wanted)


class Spill:
    """Looks after one search: whether memory is short, and then, that what can go to the disk does."""

    def __init__(self, memory: Memory, disk: Disk, tell: Callable[[str], Any]) -> None:
        self.memory = memory
        self._disk = disk
        self._tell = tell
        self._lock = threading.Lock()
        self._has_told = False
        self.workers = [SpillingWorker(owner, disk, self._freed) for owner in memory.workers]

    def look(self) -> None:
        """Ask workers to move their areas if memory is short; let what was moved leave memory."""
        if self.is_due:
            for worker in self.workers:
                worker.ask()
        if any(worker.moved for worker in self.workers):
            self._disk.drop()
        self._tell_once()

    @property
    def is_due(self) -> bool:
        """Whether memory is short, and something can be done about it."""
        waiting = [worker for worker in self.workers if not worker.has_tried]
        if not waiting or self.memory.bytes_in_use <= SHORT * self.memory.limit:
            return False
        return WORTH * sum(worker.bytes for worker in waiting) >= self.memory.limit

    def move_now(self) -> None:
        """Move everything at once, before the search goes on."""
        for worker in self.workers:
            worker.move()

    @property
    def disk_bytes(self) -> int:
        """What is in use on the disk."""
        return sum(worker.disk_bytes for worker in self.workers)

    def finish(self) -> None:
        """The search has ended: raise what went wrong in its threads."""
        self._tell_once()
        for worker in self.workers:
            if worker.asking.error is not None:
                raise worker.asking.error

    def _freed(self, count: int) -> None:
        """Note that `count` bytes which one worker of a team has counted are in memory no longer."""
        if self.memory.is_team:
            with self._lock:
                self.memory.moved += count
                for words in self.memory.blocks:
                    words[block.LIMIT_BYTES] += count

    def _tell_once(self) -> None:
        if self._has_told or not any(worker.has_tried for worker in self.workers):
            return
        self._has_told = True
        trouble = next((worker.trouble for worker in self.workers if worker.trouble), "")
        if any(worker.moved for worker in self.workers):
            self._tell(f"stacks, queues and parents are kept on disk from now on, in {self._disk.folder}")
        else:
            self._tell(f"nothing can go to the disk: {trouble or 'it has too little room'}")
