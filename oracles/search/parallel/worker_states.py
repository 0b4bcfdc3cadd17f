"""Everything one worker can do on a graph: a state machine, found by running the kernel's own steps.

A worker is a function of what it is sent (everafter.search.parallel.stepwise). Two moments of it are the same state
when its variables, its place in the text, its colours and its live frames are the same: it then does the same for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from everafter.search import flaw
from everafter.search.parallel.acyclic import BASE, stemmed_lasso
from everafter.search.parallel.space import ORDERED, SharedStore
from everafter.search.parallel.stepwise import PRIVATE, Request, Steps, stepwise
from everafter.search.space import ACCEPTING, ANSWERED, KNOWN, NO_STATE, Answered
from oracles.search.definitions import Node, SmallGraph

Kernel = Callable[[SharedStore], int]
Orders = Sequence[Sequence[tuple[Node, ...]]]
"""For each node, the orders in which a worker may meet its successors."""
NOT_REMEMBERED = {"space", "turn", "nodes"}
"""A turn only counts how often `pause` was called, and nothing depends on it; nodes are listed in the store."""


class OwnStore(Answered[Node]):
    """What belongs to one worker. The colour has only the bits that never change: the others are sent to the worker."""

    def __init__(self, graph: SmallGraph) -> None:
        self.graph = graph
        size = len(graph.targets)
        edges = sum(map(len, graph.targets))
        self.initial = list(dict.fromkeys(graph.starts))
        self.colour = [KNOWN | (ACCEPTING | ORDERED if node in graph.accepting else NO_STATE) for node in graph.nodes]
        self.own = bytearray(size)
        self.stack, self.cursor, self.limit = ([0] * (BASE + 2 * size + 2) for _ in range(3))
        self.pending = [0] * (2 * edges + size + 1)
        self.parent = [-1] * size
        self.clock = [0]
        self.found = [-1, -1]
        self.deepest = [0]
        self.component = [0] * size
        self.component_height = [0]
        self.below: Sequence[int] = ()  # ranks are not kept: verdicts do not depend on them

    def flaw(self) -> str | None:
        """What is wrong with the answer, if there is one."""
        if self.found[0] < 0:
            return None
        try:
            return flaw(self.graph, stemmed_lasso(self) if self.found[0] >= BASE else self.lasso())
        except ValueError:
            return f"{self.found[1]} is not on the path"

    def named(self, numbers: Iterable[int]) -> tuple[Node, ...]:
        """Nodes are numbers."""
        return tuple(numbers)

    def fill(self, depth: int, successors: Sequence[Node]) -> None:
        """Write the successors into frame `depth`."""
        begin = self.limit[depth - 1] if depth else 0
        self.cursor[depth] = begin
        self.limit[depth] = begin + len(successors)
        self.pending[begin : begin + len(successors)] = successors

    def live(self, depth: int) -> tuple[Any, ...]:
        """All that the worker may still read, when the deepest frame it knows of is at `depth`.

        One that has an answer reads nothing more; it matters whether the answer is right. What is above the
        frame is to be written before it is read; so that it cannot be read, it is wiped.
        """
        if self.found[0] >= 0:
            return self.flaw(), bytes(self.own)
        for column in (self.stack, self.cursor, self.limit):
            column[depth + 1 :] = [0] * (len(column) - depth - 1)
        frames = ((self.stack[frame], self.limit[frame], *self.unread(frame)) for frame in range(depth + 1))
        return (*frames, bytes(self.own), *self.component[: self.component_height[0]])

    def unread(self, frame: int) -> tuple[int, ...]:
        """Where the worker is in a frame, and what it may still read of it: all, where a red search may begin."""
        cursor, limit = self.cursor[frame], self.limit[frame]
        begin = self.limit[frame - 1] if frame else 0
        return cursor, *self.pending[begin if self.stack[frame] in self.graph.accepting else cursor : limit]


@dataclass(frozen=True)
class WorkerState:
    """A moment of a worker."""

    request: Request | None
    """What it is about to do; None at its end."""
    own: bytes
    """Its own colours."""
    outcome: int = -1
    """What it has come to, at its end."""
    flaw: str | None = None
    """What is wrong with its answer, if it has one."""


class WorkerStates:
    """The state machine of every worker of a kernel, found as far as it is asked for. State 0 is the beginning.

    Workers may meet the successors of a node in any order, or in those given, a different one each time they expand it.
    If the store may say stop, each expansion may also fail.
    """

    def __init__(self, kernel: Kernel, graph: SmallGraph, stops: bool = False, orders: Orders | None = None) -> None:
        self.graph = graph
        self.steps = stepwise(kernel)
        orders = orders or [tuple(permutations(row)) for row in graph.targets]
        self.orders: list[list[Any]] = [[*row, *([None] if stops else [])] for row in orders]
        self.states: list[WorkerState] = []
        self._numbers: dict[Any, int] = {}
        self._before: list[tuple[int, Any]] = []  # for each state, the one before it and what was sent to that
        self._next: dict[tuple[int, Any], int] = {}
        self._running: dict[int, tuple[Steps, OwnStore]] = {}  # generators that are at a state
        self._settled: dict[int, tuple[tuple[int, frozenset[bytes]], ...]] = {}
        self._begin()

    def after(self, state: int, answer: Any) -> int:
        """The state after the answer to the request of the state is sent; to "expand", the order is the answer."""
        if (state, answer) not in self._next:
            steps, store = self._running.pop(state) if state in self._running else self._repeat(state)
            self._next[state, answer] = self._send(steps, store, (state, answer))
        return self._next[state, answer]

    def settled(self, state: int) -> tuple[tuple[int, frozenset[bytes]], ...]:
        """The states from which the worker does something that concerns others, after whatever it does before that.

        Each comes with the colours that the worker has on the way, the last ones among them.
        """
        if state not in self._settled:
            request = self.states[state].request
            colours = frozenset([self.states[state].own])
            if request is None or request[0] not in PRIVATE:
                self._settled[state] = ((state, colours),)
            else:
                answers: Sequence[Any] = self.orders[request[1]] if request[0] == "expand" else (None,)
                self._settled[state] = tuple(
                    (end, colours | passed)
                    for answer in answers
                    for end, passed in self.settled(self.after(state, answer))
                )
        return self._settled[state]

    def _begin(self) -> tuple[Steps, OwnStore]:
        store = OwnStore(self.graph)
        steps = self.steps(store)
        self._send(steps, store, (-1, None))
        return self._running.pop(0)

    def _repeat(self, state: int) -> tuple[Steps, OwnStore]:
        """A generator that is at the state, after all that led there was sent to it again."""
        answers = []
        while state:
            state, answer = self._before[state]
            answers.append(answer)
        steps, store = self._begin()
        at = 0
        for answer in reversed(answers):
            steps.send(_performed(store, self.states[at].request, answer))
            at = self._next[at, answer]
            assert self._numbers[_memory(steps, store)] == at, "two moments were taken for the same, and are not"
        return steps, store

    def _send(self, steps: Steps, store: OwnStore, before: tuple[int, Any]) -> int:
        """Send the answer, and note the state that the worker comes to."""
        state, answer = before
        request = self.states[state].request if state >= 0 else None
        try:
            asked = steps.send(_performed(store, request, answer))
        except StopIteration as end:
            ended = WorkerState(None, bytes(store.own), end.value, store.flaw() if end.value == ANSWERED else None)
            return self._number(ended, before, ended)
        number = self._number(_memory(steps, store), before, WorkerState(asked, bytes(store.own)))
        self._running[number] = steps, store
        return number

    def _number(self, memory: Any, before: tuple[int, Any], state: WorkerState) -> int:
        number = self._numbers.setdefault(memory, len(self.states))
        if number == len(self.states):
            self.states.append(state)
            self._before.append(before)
        return number


def _performed(store: OwnStore, request: Request | None, answer: Any) -> Any:
    """Write an order of successors into the store, if that is the answer; what is to be sent to the worker."""
    if request and request[0] == "expand":
        if answer is None:
            return False
        store.fill(request[2], answer)
        return True
    return answer


def _memory(steps: Steps, store: OwnStore) -> Any:
    """All that decides what the worker does from now on."""
    places = []
    depth = -1
    inner: Any = steps
    while inner is not None:
        frame = inner.gi_frame
        names = frame.f_locals
        places.append((frame.f_code, frame.f_lasti, *((n, names[n]) for n in sorted(names) if n not in NOT_REMEMBERED)))
        depth = max(depth, names.get("depth", -1))
        inner = inner.gi_yieldfrom
    return (*places, store.live(depth))
