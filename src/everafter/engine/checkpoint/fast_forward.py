"""How a search that is started anew is led to where another one was (everafter.engine.checkpoint.points).

A replay takes the place of the store's functions until the search is there. Their calls are known beforehand;
should it be anything else, the checkpoint and the search do not fit, and nothing that the search says counts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping
from typing import Any

from everafter.engine import block
from everafter.engine.checkpoint.points import NESTED, WAYS, ResumePoint
from everafter.engine.columns import kept
from everafter.engine.memory.search_memory import Memory
from everafter.engine.successor_calls import STOP, Call
from everafter.search.fields import Index
from everafter.search.space import DISCOVERED, ON_PATH, RED


class Replay(ABC):
    """Leads a search to where it was. `has_arrived` says whether it is there, `is_over` whether all is as it was."""

    def __init__(self, memory: Memory, real: Mapping[int, Call], restored: Callable[[], None]) -> None:
        self.memory = memory
        self.real = real
        self.restored = restored
        """Is called when the store's own functions are to take over."""
        self.has_arrived = False
        self.is_over = False

    @abstractmethod
    def successors(self, address: int, node: int, begin: int, depth: int) -> int:
        """Take the place of the store's `successors`, with `address`, `node`, `begin` and `depth`."""

    @abstractmethod
    def successors_of_all(self, address: int, count: int, begin: int, frame: int) -> int:
        """Take the place of the store's `successors_of_all`, with `address`, `count`, `begin` and `frame`."""

    def finish(self) -> None:
        """The search has ended: set back what is still to be."""
        return

    def _end(self) -> None:
        self.has_arrived = self.is_over = True
        self.restored()


class OnStack(Replay):
    """Each frame leads to the next state of the path first; what is on the path is not coloured before."""

    def __init__(
        self, memory: Memory, real: Mapping[int, Call], restored: Callable[[], None], point: ResumePoint
    ) -> None:
        super().__init__(memory, real, restored)
        self.top = point.top
        count = self.top + 1
        self._path = [int(node) for node in memory.field("stack")[:count]]
        self._ends = [int(end) for end in memory.field("limit")[: self.top]]
        self._begins = [0, *self._ends]
        pending = self._pending = memory.field("pending")
        self._first = [int(pending[begin]) for begin in self._begins[: self.top]]
        self._singles = [int(word) for word in memory.words[block.FIRST_SINGLE : block.END_SINGLE]]
        self._stacks = [
            (name, _copied(memory, name, count)) for name in (*_kept(memory, "depth"), *_kept(memory, "row"))
        ]
        self._columns = [(memory.field(name), self._values(name)) for name in _kept(memory, "state")]
        self._uncolour()
        for word in (block.SINGLE["clock"], block.COMPONENT_HEIGHT, block.SINGLE["root_height"]):
            memory.words[word] = 0

    def _values(self, name: str) -> list[int]:
        field = self.memory.field(name)
        return [field[node] for node in self._path]

    def _uncolour(self) -> None:
        colour, path = self.memory.field("colour"), self._path
        seed = NESTED.get(self.memory.algorithm.name, 0)
        outer = next((depth for depth, node in enumerate(path) if colour[node] & seed), self.top)
        for depth, node in enumerate(path):
            colour[node] &= ~(DISCOVERED | ON_PATH) if depth <= outer else ~RED

    def successors(self, address: int, node: int, begin: int, depth: int) -> int:
        """Lead from `node`, at `depth`, to the next state of the path; at its end, set everything back and go on.

        `address` and `begin` are those of the store's function.
        """
        if depth > self.top or node != self._path[depth] or begin != self._begins[depth]:
            return STOP
        if depth < self.top:
            self._pending[begin] = self._path[depth + 1]
            return self._ends[depth]
        self._set_back()
        self._end()
        return self.real[block.SUCCESSORS](address, node, begin, depth)

    def successors_of_all(self, address: int, count: int, begin: int, frame: int) -> int:
        """Stop: no search on a stack calls this, with any `address`, `count`, `begin` and `frame`."""
        return STOP

    def _set_back(self) -> None:
        memory = self.memory
        for begin, node in zip(self._begins, self._first, strict=False):
            self._pending[begin] = node
        for name, copied in self._stacks:
            with memory.columns[name].view(0, len(copied)) as target:
                target[:] = copied
        for column, values in self._columns:
            for node, value in zip(self._path, values, strict=True):
                column[node] = value
        for index, value in enumerate(self._singles, block.FIRST_SINGLE):
            memory.words[index] = value


class FromOne(Replay):
    """A search that starts at one state, which then leads to others that wait."""

    def __init__(self, memory: Memory, real: Mapping[int, Call], restored: Callable[[], None], first: int) -> None:
        super().__init__(memory, real, restored)
        self._initial = memory.initial.numbers(memory.kinds["initial"])
        self._start = int(self._initial[0]), int(memory.words[block.INITIAL_ROWS])
        self._colour = memory.field("colour")
        self._initial[0], memory.words[block.INITIAL_ROWS] = first, 1

    def _begin(self) -> None:
        """The search has begun, and does not look at its initial states any more."""
        self._initial[0], self.memory.words[block.INITIAL_ROWS] = self._start

    def _uncolour(self, nodes: Any) -> None:
        for node in nodes:
            self._colour[node] &= ~DISCOVERED


class OnHeap(FromOne):
    """One state leads to all that wait."""

    def __init__(
        self, memory: Memory, real: Mapping[int, Call], restored: Callable[[], None], point: ResumePoint
    ) -> None:
        self._waiting = _numbers(memory, "pending", point.top)
        super().__init__(memory, real, restored, self._waiting[0])

    def successors(self, address: int, node: int, begin: int, depth: int) -> int:
        """Lead from `node` to all that wait; `address`, `begin` and `depth` are those of the store's function."""
        if (node, begin, depth) != (self._waiting[0], 0, 0):
            return STOP
        self._begin()
        self._uncolour(self._waiting)
        self._end()
        return len(self._waiting)

    def successors_of_all(self, address: int, count: int, begin: int, frame: int) -> int:
        """Stop: the search begins with one state alone, so that `address`, `count`, `begin` and `frame` cannot be."""
        return STOP


class OnQueue(FromOne):
    """One state leads to the rest of the level, and the rest first of all to what was found of the next level."""

    def __init__(
        self, memory: Memory, real: Mapping[int, Call], restored: Callable[[], None], point: ResumePoint
    ) -> None:
        count, split = point.tail - point.head, point.middle - point.head
        nodes = _numbers(memory, "queue", count)
        self._rest, self._next = nodes[:split], nodes[split:]
        with memory.columns["queue"].view(0, count * memory.width) as kept_there:
            kept_there[:] = bytes(len(kept_there))
        super().__init__(memory, real, restored, nodes[0])
        self._parent = memory.field("parent")
        self._parents = {node: self._parent[node] for node in nodes}
        self._pending, self._cursor, self._limit = map(memory.field, ("pending", "cursor", "limit"))
        self._uncolour(nodes)
        self._calls = 0
        memory.words[block.DEEPEST] = 0
        highest = max(int(memory.words[block.HIGHEST_PENDING]), count)
        memory.words[block.HIGHEST_PENDING] = min(highest, memory.words[block.PENDING_ROOM])

    def successors(self, address: int, node: int, begin: int, depth: int) -> int:
        """Stop: no search by levels calls this, with any `address`, `node`, `begin` and `depth`."""
        return STOP

    def successors_of_all(self, address: int, count: int, begin: int, frame: int) -> int:
        """Lead to the rest of the level, then to the next level; then set everything back and go on.

        `address`, `count`, `begin` and `frame` are those of the store's function.
        """
        self._calls += 1
        if self._calls == 1:
            return self._lead_to_rest(count, begin, frame)
        self._adopt(self._rest)
        if self._calls == 2:
            return self._lead_on(address, count, begin, frame)
        self.finish()
        self._end()
        return self.real[block.SUCCESSORS_OF_ALL](address, count, begin, frame)

    def _lead_to_rest(self, count: int, begin: int, frame: int) -> int:
        if (count, begin, frame) != (1, 0, 0) or len(self._rest) > len(self._pending):
            return STOP
        self._begin()
        self._uncolour(self._rest[:1])
        return self._written(self._rest, len(self._rest))

    def _lead_on(self, address: int, count: int, begin: int, frame: int) -> int:
        if (begin, frame) != (0, 0) or len(self._next) > len(self._pending):
            return STOP
        end = self.real[block.SUCCESSORS_OF_ALL](address, count, len(self._next), frame)
        self.has_arrived = end >= 0
        return self._written(self._next, self._limit[0]) if self.has_arrived else end

    def _written(self, nodes: Any, end: int) -> int:
        """Write the nodes to the beginning of the first frame, which has this end."""
        self._pending[: len(nodes)] = nodes
        self._cursor[0], self._limit[0] = 0, end
        return int(end)

    def _adopt(self, nodes: Any) -> None:
        """Let the nodes have the parents they had."""
        for node in nodes:
            self._parent[node] = self._parents[node]

    def finish(self) -> None:
        """Let all have the parents they had."""
        self._adopt(self._rest)
        self._adopt(self._next)


def replay_to(memory: Memory, real: Mapping[int, Call], restored: Callable[[], None], point: ResumePoint) -> Replay:
    """Return what leads the search of `memory` to `point`; then it calls `restored`. `real`: the store's functions."""
    match WAYS[memory.algorithm.name]:
        case "stack":
            return OnStack(memory, real, restored, point)
        case "queue":
            return OnQueue(memory, real, restored, point)
        case "heap":
            return OnHeap(memory, real, restored, point)


def _kept(memory: Memory, index: Index) -> list[str]:
    return list(kept(index, memory.algorithm, memory.width))


def _numbers(memory: Memory, name: str, count: int) -> array[int]:
    """A copy of the first numbers of a column."""
    return array(memory.field(name).format, _copied(memory, name, count))


def _copied(memory: Memory, name: str, count: int) -> bytes:
    return memory.columns[name].copied(0, count * memory.kinds[name].size)
