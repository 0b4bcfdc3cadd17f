"""Every interleaving of the workers of a kernel on a graph: is each verdict right, and can the workers always end?

A global state is what is shared and one state of each worker. Workers are interchangeable, as each may meet successors
in any order, so states that differ only in who is who are visited once. A worker that does something private does it
at once: nobody can tell when it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from everafter.search.parallel.stepwise import Request
from everafter.search.space import ANSWERED, COMPLETED, RED, UNDECIDED
from oracles.search.definitions import SmallGraph, has_accepting_cycle, is_closed
from oracles.search.parallel.invariants import Automaton, Colours, Moment, broken
from oracles.search.parallel.worker_states import Kernel, Orders, WorkerStates

Shared = tuple[bytes, bytes, int]
"""What workers share: the colours that change, the counts, and the flag that ends all."""
Global = tuple[int, ...]
"""How many preemptions are left (-1: any number), the number of what is shared, then the state of each worker."""
Move = tuple[int, int, frozenset[bytes]]
"""What is shared after a worker's step, the state the worker is in then, and the colours it had on the way."""
Check = Callable[[Moment], str | None]


class Memory:
    """The values that what is shared can have, numbered, and what requests do to them."""

    def __init__(self, size: int) -> None:
        self.values: list[Shared] = []
        self._numbers: dict[Shared, int] = {}
        self._performed: dict[tuple[int, Request], tuple[int, Any]] = {}
        self.number((bytes(size), bytes(size), 0))

    def number(self, shared: Shared) -> int:
        """The number of the value."""
        number = self._numbers.setdefault(shared, len(self.values))
        if number == len(self.values):
            self.values.append(shared)
        return number

    def perform(self, number: int, request: Request) -> tuple[int, Any]:
        """What is shared after the request, and what is sent to the worker."""
        key = number, request
        if key not in self._performed:
            after, answer = performed(self.values[number], request)
            self._performed[key] = self.number(after), answer
        return self._performed[key]


def performed(shared: Shared, request: Request) -> tuple[Shared, Any]:
    """What the atomic functions do, on values."""
    colour, count, abort = shared
    match request:
        case "colour", node:
            return shared, colour[node]
        case "count", node:
            return shared, count[node]
        case "abort", _:
            return shared, abort
        case "colour_shared", node, bits:
            return (replaced(colour, node, colour[node] | bits), count, abort), colour[node]
        case "add_shared", node, amount:
            return (colour, replaced(count, node, count[node] + amount), abort), count[node]
        case ("raise_abort",):
            return (colour, count, 1), None
        case "pause", _:
            return shared, not abort
    raise ValueError(f"{request} is no request")


def replaced(column: bytes, node: int, value: int) -> bytes:
    """The column with another value for the node."""
    return column[:node] + bytes([value]) + column[node + 1 :]


@dataclass
class Report:
    """What the exploration has found."""

    states: int = 0
    transitions: int = 0
    ends: int = 0
    fault: str | None = None
    schedule: list[tuple[int, Request]] = field(default_factory=list)
    """What the workers do, one after the other, until the fault shows."""


class Exploration:
    """All interleavings of so many workers, breadth first, so that the schedule to a fault is a shortest one.

    If the preemptions are bounded, only so often may another worker move while the one that moved last could go on. The
    first worker of a state is the one that moved last. It costs nothing to leave one that has ended or waits.
    An eager worker does not wait before it looks whether it is to stop. All verdicts are still found: what is lost is
    that a worker stops one poll earlier, after another has answered, and some moments to check invariants at.
    """

    def __init__(
        self,
        kernel: Kernel,
        graph: SmallGraph,
        workers: int = 2,
        check: Check | None = None,
        *,
        eager: bool = False,
        stops: bool = False,
        preemptions: int = -1,
        orders: Orders | None = None,
    ) -> None:
        self.worker = WorkerStates(kernel, graph, stops, orders)
        self.memory = Memory(len(graph.targets))
        self.expected = has_accepting_cycle(graph)
        self.closed = is_closed(graph)
        self.automaton = Automaton(graph)
        self.workers = workers
        self.check = check
        self.eager = eager
        self.stops = stops
        self.preemptions = preemptions
        self.moves: dict[tuple[int, int], tuple[Move, ...]] = {}
        self.broken = cache(self._broken)
        self.before: dict[Global, tuple[Global, int]] = {}
        self.sources: dict[Global, list[Global]] = {}
        self.report = Report()

    def run(self) -> Report:
        """Explore until there is a fault, or nothing more to see."""
        (_, begin, _), *others = self._settled(0, 0)
        assert not others, "a kernel begins with something that is shared"
        todo = [(self.preemptions, 0, *[begin] * self.workers)]
        self.sources[todo[0]] = []
        ends = []
        for state in todo:
            fresh, fault = self._visit(state)
            todo += fresh
            if self._is_end(state):
                ends.append(state)
                fault = fault or self._wrong_end(state)
            if fault:
                return self._finished(len(todo), len(ends), fault, state)
        stuck = stuck_states(self.sources, ends)
        if stuck:
            nearest = next(state for state in todo if state in stuck)
            return self._finished(len(todo), len(ends), "the workers cannot end any more", nearest)
        return self._finished(len(todo), len(ends), None, todo[0])

    def _visit(self, state: Global) -> tuple[list[Global], str | None]:
        """Take each step of each worker; the states that are new, and what is wrong on the way to one of them."""
        left, shared, *workers = state
        fresh: list[Global] = []
        fault = None
        for mover, worker in enumerate(workers):
            still = left - (mover > 0 and not self._may_be_left(workers[0]))
            if still < 0 <= left:
                continue
            moves = self.moves.get((shared, worker))
            if moves is None:
                moves = self.moves[shared, worker] = tuple(self._moves(shared, worker))
            others = sorted(workers[:mover] + workers[mover + 1 :])
            self.report.transitions += len(moves)
            for after, end, colours in moves:
                name = (still, after, end, *others) if left >= 0 else (-1, after, *sorted((end, *others)))
                fault = fault or self._fault(after, end, colours, others)
                if name not in self.sources:
                    self.sources[name] = []
                    self.before[name] = state, mover
                    fresh.append(name)
                if name != state:
                    self.sources[name].append(state)
        return fresh, fault

    def _may_be_left(self, worker: int) -> bool:
        """Whether the worker has ended or waits."""
        request = self.worker.states[worker].request
        return request is None or request[0] == "pause"

    def _moves(self, shared: int, worker: int) -> Iterator[Move]:
        """What a worker may do next."""
        request = self.worker.states[worker].request
        if request is not None:
            after, answer = self.memory.perform(shared, request)
            yield from self._settled(after, self.worker.after(worker, answer))

    def _settled(self, shared: int, worker: int) -> Iterator[Move]:
        """What a worker does that concerns no other, until it has nothing of that kind to do."""
        for end, colours in self.worker.settled(worker):
            request = self.worker.states[end].request
            if self.eager and request and request[0] == "abort":
                _, answer = self.memory.perform(shared, request)
                for _, last, more in self._settled(shared, self.worker.after(end, answer)):
                    yield shared, last, colours | more
            else:
                yield shared, end, colours

    def _fault(self, shared: int, mover: int, colours: frozenset[bytes], others: list[int]) -> str | None:
        """What is wrong after a step: a worker's answer, or a colour it has on the way."""
        flaw = self.worker.states[mover].flaw
        if flaw:
            return f"the answer is no run: {flaw}"
        if self.check is None:
            return None
        red = self.memory.values[shared][0]
        owns = sorted([self.worker.states[other].own for other in others])
        for own in colours:
            fault = self.broken(red, own, *owns)
            if fault:
                return fault
        return None

    def _broken(self, colour: bytes, *owns: bytes) -> str | None:
        """The invariant that does not hold."""
        red = frozenset(node for node, byte in enumerate(colour) if byte & RED)
        assert self.check is not None
        return self.check(Moment(self.automaton, red, tuple(map(Colours.of, owns))))

    def _is_end(self, state: Global) -> bool:
        return all(self.worker.states[worker].request is None for worker in state[2:])

    def _wrong_end(self, state: Global) -> str | None:
        """What is wrong with the verdict, now that all workers have ended."""
        outcomes = [self.worker.states[worker].outcome for worker in state[2:]]
        if ANSWERED in outcomes:
            return None if self.expected else "a cycle is reported, and there is none"
        if UNDECIDED in outcomes:
            return "nothing is decided, and could be" if self.closed else None
        if outcomes != [COMPLETED] * self.workers:
            return None if self.stops else "a worker stopped without reason"
        if self.expected:
            return "no cycle is reported, and there is one"
        return "a count is left over" if any(self.memory.values[state[1]][1]) else None

    def _finished(self, states: int, ends: int, fault: str | None, place: Global) -> Report:
        self.report.states = states
        self.report.ends = ends
        self.report.fault = fault
        if fault:
            self.report.schedule = self._schedule(place)
        return self.report

    def _schedule(self, state: Global) -> list[tuple[int, Request]]:
        """Who did what until the state. Workers are numbered as they stand in the state before each step."""
        schedule: list[tuple[int, Request]] = []
        while state in self.before:
            state, mover = self.before[state]
            schedule.append((mover, self.worker.states[state[2 + mover]].request or ()))
        return schedule[::-1]


def stuck_states(sources: dict[Global, list[Global]], ends: list[Global]) -> set[Global]:
    """The states from which no end can be reached."""
    stuck = set(sources).difference(ends)
    todo = list(ends)
    for state in todo:
        fresh = stuck.intersection(sources[state])
        stuck -= fresh
        todo += fresh
    return stuck


def explore_all(kernel: Kernel, graph: SmallGraph, workers: int = 2, invariants: bool = False, **bounds: Any) -> Report:
    """Explore every interleaving of the workers; with the invariants of PNDFS checked all the time, if wanted."""
    return Exploration(kernel, graph, workers, broken if invariants else None, **bounds).run()
