"""From states that a search names to a run of the reference: every step between them, and the shortest way round.

One step of a search may be a whole atomic sequence: the steps inside it are looked for among those of the reference.
Nothing is judged here. What a claim says of the states, and what goes wrong on the way, is for the judge to see.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from everafter.backends.orbit_runs import OrbitFrame
from everafter.deadline import NEVER, Deadline
from everafter.execution.packing import Packer
from everafter.execution.run import Choice, Run
from everafter.execution.state import NO_PROCESS, Problem, State
from everafter.execution.step import Step, initial_state, steps, steps_of
from everafter.product.fairness import FairRun
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.product.safety import SafetyGraph
from everafter.program.program import Program
from everafter.program.unread_cells import only_without_unread
from everafter.questions.outcome import Disagreement
from everafter.record import replace
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter, Stopped
from everafter.search.shortest import shortest_lasso
from everafter.system import without_collecting

_SHORTENING_EFFORT = 4
"""A shorter counterexample is looked for among this many times the states that it took to find one."""
_LEAST_SHORTENING, _MOST_SHORTENING = 500, 20_000
_DETOUR_EFFORT, _LOOK_AHEAD, _DETOUR_SECONDS = 10_000, 50, 2.0
"""States that are expanded to leave out detours, those from each state of the path, and the seconds for all."""
_NEAR = 1_000
"""States of an atomic sequence that are looked at to say what goes wrong in it."""
_TRANSITIONS_FOR_A_STATE = 10
"""Where states have more successors than this, fewer states are looked at: each successor takes its time."""
S = TypeVar("S", bound=Hashable)

Taken = tuple[bytes, Choice]
"""The row of a state, and the choice made there."""


class Explored(Protocol[S]):
    """A graph whose edges are steps of the reference, and in which violations are a state."""

    violation: S

    def edges(self, state: S, /) -> Iterator[tuple[S, Step | None]]:
        """The successors, each with the step that leads there."""
        ...

    def is_inside(self, state: S, /) -> bool:
        """Whether a state is in the middle of an atomic sequence."""
        ...

    def wrong_step(self, state: S, /) -> Step | None:
        """The step that goes wrong in a state that leads to the violation, if it is a step."""
        ...


def run_to_violation(graph: SafetyGraph, rows: Sequence[bytes]) -> Run:
    """Return the run of `graph` along `rows`, from the first one on, to the violation that the last one leads to."""
    if graph.program.symmetry is not None:
        return _run_of_orbits_to_violation(graph, rows)
    walk = _Walk(graph.program, graph.start)
    with without_collecting():
        leading = [choice for row in islice(rows, 1, None) for _, choice in walk.to(row)]
    return Run((*leading, *_into_violation(graph, rows[-1])), (), "problem")


def without_detours(graph: Explored[S], states: Sequence[S], by: Deadline = NEVER) -> list[S]:
    """Return `states`, a path of `graph`, without ways that lead in a few steps to where a shorter way leads, too.

    From each state on it looks ahead, among a few states, for the farthest one of the path, until its effort is spent,
    `by` then at the latest.
    """
    position = {state: number for number, state in enumerate(states)}
    kept = [states[0]]
    effort, until = _DETOUR_EFFORT, time.monotonic() + _DETOUR_SECONDS
    while kept[-1] != states[-1]:
        if time.monotonic() > until or by.is_over:
            return [*kept, *states[position[kept[-1]] + 1 :]]
        at = position[kept[-1]]
        found, spent = _ahead(graph, states[at], position, min(effort, _LOOK_AHEAD))
        effort -= spent
        kept += found if found and position[found[-1]] - at > len(found) else [states[at + 1]]
    return kept


def _ahead(graph: Explored[S], start: S, position: dict[S, int], most: int) -> tuple[list[S], int]:
    """A way to the state of the path that gains most, and how many states were expanded to find it."""
    before: dict[S, S] = {}
    queue = deque([(start, 0)])
    best, gain, spent = start, 0, 0
    while queue and spent < most:
        source, length = queue.popleft()
        spent += 1
        for state, _ in graph.edges(source):
            if state == graph.violation or state in before or state == start:
                continue
            before[state] = source
            queue.append((state, length + 1))
            if position.get(state, 0) - position[start] - length > gain:
                best, gain = state, position[state] - position[start] - length
    way: list[S] = []
    while best != start:
        way.append(best)
        best = before[best]
    return way[::-1], spent


def run_of_lasso(product: Product, found: Lasso[ProductState], states: int, by: Deadline = NEVER) -> Run:
    """Return the run of the lasso `found` of `product`, or a shorter one.

    A search for that may take a multiple of `states`, those that it took to find the lasso, and is over `by` then.
    """
    with without_collecting():
        run = _run(product, found)
    other = _shortest(product, states, by)
    shorter = _run(product, other) if other is not None else run
    return _closed(product, shorter if _length(shorter) < _length(run) else run)


def run_along(product: Product, path: Sequence[ProductState]) -> Run:
    """Return the run of `product` along `path`, a way to VIOLATION."""
    with without_collecting():
        return _run(product, Lasso(tuple(path[:-1]), (VIOLATION,)))


def run_of_fair_run(product: Product, found: FairRun) -> Run:
    """Return the run of `found`, a fair run of `product` whose steps are known."""
    if VIOLATION not in found.lasso.cycle:
        return _closed(product, Run.along(found.prefix, found.cycle))
    last = next(state for state in reversed(found.lasso.prefix) if state != VIOLATION)
    return Run.along((*found.prefix, product.wrong_step(last)), is_finite=True)


class _Walk:
    """A walk on the reference from the initial state, or another one, along states known by their rows."""

    def __init__(self, program: Program, start: State | None = None) -> None:
        self.program = program
        self.packer = Packer(program)
        self.state = start or initial_state(program)
        self.row = self.packer.pack(self.state)
        self.choices: dict[Choice, Choice] = {}
        """Equal choices are one object: a long run makes few different ones."""

    def to(self, row: bytes) -> list[Taken]:
        """Go on to the state of this row, directly or through an atomic sequence; nowhere if the system has stopped."""
        there = self.packer.unpack(row)
        for possible in self._candidates(there):
            way = self._way(possible, row, there)
            if way is not None:
                return self._along(way)
        if self.row == row and not steps(self.program, self.state):
            return []
        raise Disagreement("the engine found a step that the reference does not have")

    def _candidates(self, there: State) -> Iterator[Iterable[Step]]:
        """The steps of one process after the other, those first that have changed on the way; then all, among which
        there may be a timeout.
        """
        here, after = self.state.processes, there.processes
        if self.state.holder == NO_PROCESS and len(here) > 1:
            numbers = range(len(here) - 1, -1, -1)
            changed = [number for number in numbers if number >= len(after) or here[number] != after[number]]
            for number in (*changed, *(number for number in numbers if number not in changed)):
                yield steps_of(self.program, self.state, number, False)
        yield steps(self.program, self.state)

    def _way(self, possible: Iterable[Step], row: bytes, there: State) -> list[tuple[Step, bytes]] | None:
        """A shortest way to the state of a row that begins with one of these steps and stays inside an atomic sequence.

        Each step comes with the row that it leads to.
        """
        before: dict[bytes, tuple[bytes, Step]] = {}
        waiting: deque[tuple[bytes, Step]] = deque()
        for step in possible:
            if step.state == there:  # else it may be the same all the same, but for what a row does not tell
                return [(step, row)]
            waiting.append((b"", step))
        while waiting:
            source, step = waiting.popleft()
            state = step.state
            if state is None:
                continue
            packed = self.packer.pack(state)
            if packed == row:
                way = [(step, row)]
                while source:
                    inside = source
                    source, arriving = before[inside]
                    way.append((arriving, inside))
                return way[::-1]
            if state.holder != NO_PROCESS and packed not in before:
                before[packed] = (source, step)
                waiting.extend([(packed, following) for following in steps(self.program, state)])
        return None

    def _along(self, way: Iterable[tuple[Step, bytes]]) -> list[Taken]:
        taken = []
        for step, row in way:
            choice = Choice.of(step)
            taken.append((self.row, self.choices.setdefault(choice, choice)))
            assert step.state is not None
            self.state, self.row = step.state, row
        return taken


def problem_behind(graph: SafetyGraph, start: bytes) -> Problem | None:
    """Return what goes wrong in the state `start` of `graph`, or in its atomic sequence, if that is found soon."""
    met, waiting = {start}, deque([start])
    while waiting and len(met) < _NEAR:
        source = waiting.popleft()
        for state, _ in graph.edges(source):
            if state == graph.violation:
                unpacked = graph.packer.unpack(source)
                found = graph.first_problem(unpacked, steps(graph.program, unpacked))
                return found[0] if found is not None else None
            if graph.is_inside(state) and state not in met:
                met.add(state)
                waiting.append(state)
    return None


def _into_violation(graph: Explored[S], start: S) -> list[Choice]:
    """The choices from a state to the violation it leads to, which may lie inside an atomic sequence."""
    before: dict[S, tuple[S, Step | None]] = {}
    waiting = deque([start])
    while waiting:
        source = waiting.popleft()
        for state, step in graph.edges(source):
            if state == graph.violation:
                way = [graph.wrong_step(source)]
                while source != start:
                    source, arriving = before[source]
                    way.append(arriving)
                return [Choice.of(taken) for taken in reversed(way) if taken is not None]
            if graph.is_inside(state) and state not in before and state != start:
                before[state] = (source, step)
                waiting.append(state)
    raise Disagreement("the engine found a violation that the reference does not have")


def _run(product: Product, lasso: Lasso[ProductState]) -> Run:
    """The run along a lasso, written with the shortest prefix."""
    if product.program.symmetry is not None:
        return _run_of_orbits(product, lasso)
    walk = _Walk(product.program, product.start)
    if VIOLATION in lasso.cycle:
        states = [state for state in lasso.states() if state != VIOLATION]
        leading = [choice for row, _ in states[1:] for _, choice in walk.to(row)]
        return Run((*leading, *_into_violation(product, states[-1])), (), "problem")
    around = [*lasso.states(), lasso.cycle[0]]
    prefix = [taken for row, _ in around[1 : len(lasso.prefix) + 1] for taken in walk.to(row)]
    cycle = [taken for row, _ in around[len(lasso.prefix) + 1 :] for taken in walk.to(row)]
    if not cycle:
        return Run(tuple(choice for _, choice in prefix), (), "stop")
    folded = Lasso(tuple(prefix), tuple(cycle)).folded()
    return Run(tuple(choice for _, choice in folded.prefix), tuple(choice for _, choice in folded.cycle), "cycle")


# Where states stand for others


class _OrbitWalk:
    """A walk along rows that stand for others, by choices of the program itself."""

    def __init__(self, program: Program, start: State | None) -> None:
        self.frame = OrbitFrame(program)
        self._walk = _Walk(program, self.frame.represented(start or initial_state(program)))

    def to(self, row: bytes) -> list[Choice]:
        """Go on to the state of this row."""
        choices = [self.frame.named(choice) for _, choice in self._walk.to(row)]
        self._walk.state = self.frame.represented(self._walk.state)
        return choices


def _run_of_orbits_to_violation(graph: SafetyGraph, rows: Sequence[bytes]) -> Run:
    """The run along rows that stand for others, to the violation that the last one leads to."""
    walk = _OrbitWalk(graph.program, graph.start)
    leading = [choice for row in islice(rows, 1, None) for choice in walk.to(row)]
    plain = SafetyGraph(replace(graph.program, symmetry=None))
    return Run((*leading, *map(walk.frame.named, _into_violation(plain, rows[-1]))), (), "problem")


def _run_of_orbits(product: Product, lasso: Lasso[ProductState]) -> Run:
    """The run along a lasso of states that stand for others: round and round until each process is where it was."""
    walk = _OrbitWalk(product.program, product.start)
    states = [state for state in lasso.states() if state != VIOLATION]
    if VIOLATION in lasso.cycle:
        leading = [choice for row, _ in states[1:] for choice in walk.to(row)]
        plain = Product(replace(product.program, symmetry=None), product.claim, product.accept_labels)
        return Run((*leading, *map(walk.frame.named, _into_violation(plain, states[-1]))), (), "problem")
    around = [row for row, _ in (*states, lasso.cycle[0])]
    length = len(lasso.prefix) + 1
    prefix = [choice for row in around[1:length] for choice in walk.to(row)]
    begin, cycle = walk.frame.names, [choice for row in around[length:] for choice in walk.to(row)]
    while walk.frame.names != begin:
        cycle += [choice for row in around[length:] for choice in walk.to(row)]
    return Run(tuple(prefix), tuple(cycle), "cycle" if cycle else "stop")


def _closed(product: Product, run: Run) -> Run:
    """The same run, its cycle written so that it comes back to its state with the values that are erased, too.

    What is read again is the same after one round, and what else is written in a round is made of it; so it is the same
    from the second round on, but for what is never read.
    """
    if run.end != "cycle" or product.program.erased is None:
        return run
    packer = Packer(replace(only_without_unread(product.program), symmetry=None))
    begin = _state_behind(product.program, product.start or initial_state(product.program), run.prefix)
    closes = packer.pack(begin) == packer.pack(_state_behind(product.program, begin, run.cycle))
    return run if closes else Run((*run.prefix, *run.cycle), run.cycle, run.end)


def _state_behind(program: Program, state: State, choices: Iterable[Choice]) -> State:
    """The state that choices lead to, none of which goes wrong."""
    for choice in choices:
        possible = (steps_of(program, state, choice.process, False), steps(program, state))
        following = next(step.state for some in possible for step in some if choice.means(step))
        assert following is not None
        state = following
    return state


def _shortest(product: Product, states: int, by: Deadline) -> Lasso[ProductState] | None:
    """The shortest lasso, if it is found without much effort."""
    try:
        return shortest_lasso(product, little(states, by))
    except Stopped:
        return None


def little(states: int, by: Deadline) -> Meter:
    """A meter that stops a search for something shorter than what took `states` states to find, `by` then at last."""
    effort = min(_SHORTENING_EFFORT * states + _LEAST_SHORTENING, _MOST_SHORTENING)

    def is_too_much(meter: Meter) -> bool:
        is_spent = meter.expansions >= effort or meter.transitions >= effort * _TRANSITIONS_FOR_A_STATE
        return is_spent or by.is_over

    return Meter(is_too_much, every=20)


def _length(run: Run) -> int:
    """How much of a run is written down; to stop for ever counts as one step."""
    return len(run.prefix) + max(len(run.cycle), 1)
