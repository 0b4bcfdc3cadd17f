"""From states that a search names to a run of the reference: every step between them, and the shortest way round.

One step of a search may be a whole atomic sequence, and a search with reduction may pass a violation that all steps
together would meet: the way from one state to the next is looked for among all steps of the reference.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from everafter.checking.outcome import Disagreement
from everafter.execution.run import Run
from everafter.execution.step import Step
from everafter.product.fairness import FairRun
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.search import Lasso, Meter, Stopped, shortest_lasso

_SHORTENING_EFFORT = 4
"""A shorter counterexample is looked for among so many times the states that it took to find one."""
_LEAST_SHORTENING, _MOST_SHORTENING = 500, 20_000
_DETOUR_EFFORT, _LOOK_AHEAD, _DETOUR_SECONDS = 10_000, 50, 2.0
"""So many states are expanded to leave out detours, so many from each state of the path, and for so many seconds."""
S = TypeVar("S", bound=Hashable)


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


def run_to_violation(graph: Explored[S], states: Sequence[S]) -> Run:
    """The run along these states, from the first one on, to the violation that the last one leads to, or an earlier."""
    at = states[0]
    taken: list[Step | None] = []
    for target in (*states[1:], graph.violation):
        way = _way(graph, at, target)
        taken += [step for _, step in way]
        if way[-1][0] == graph.violation:
            at = way[-2][0] if len(way) > 1 else at
            break
        at = way[-1][0]
    return Run.along((*taken, graph.wrong_step(at)), is_finite=True)


def without_detours(graph: Explored[S], states: Sequence[S]) -> list[S]:
    """The states of a path with ways left out that lead in a few steps to where a shorter way leads, too.

    From each state on it looks ahead, among a few states, for the farthest one of the path, until its effort is spent.
    """
    position = {state: number for number, state in enumerate(states)}
    kept = [states[0]]
    effort, until = _DETOUR_EFFORT, time.monotonic() + _DETOUR_SECONDS
    while kept[-1] != states[-1]:
        if time.monotonic() > until:
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


def run_of_lasso(product: Product, found: Lasso[ProductState], states: int) -> Run:
    """The run of a lasso, which took a search so many states to find: or a shorter one, if that is easily found."""
    return _run(product, _shortened(product, _bridged(product, found), states))


def run_of_fair_run(product: Product, found: FairRun) -> Run:
    """The run of a fair run, whose steps are known."""
    if VIOLATION not in found.lasso.cycle:
        return Run.along(found.prefix, found.cycle)
    last = next(state for state in reversed(found.lasso.prefix) if state != VIOLATION)
    return Run.along((*found.prefix, product.wrong_step(last)), is_finite=True)


def _way(graph: Explored[S], start: S, target: S) -> list[tuple[S, Step | None]]:
    """The states after `start`, with the steps to them, on a shortest way to the target that stays inside an atomic
    sequence; or to a violation, which with all steps may come earlier than in a reduced search."""
    before: dict[S, tuple[S, Step | None]] = {}
    queue = deque([start])
    while queue:
        source = queue.popleft()
        for state, step in graph.edges(source):
            if state in (target, graph.violation):
                way = [(state, step)]
                while source != start:
                    previous, arriving = before[source]
                    way.append((source, arriving))
                    source = previous
                return way[::-1]
            if graph.is_inside(state) and state not in before and state != start:
                before[state] = (source, step)
                queue.append(state)
    raise Disagreement("the engine found a step that the reference does not have")


def _bridged(product: Product, found: Lasso[ProductState]) -> Lasso[ProductState]:
    """The lasso with every state on the way."""
    around = [*found.states(), found.cycle[0]]
    states = [around[0]]
    position = 0
    for number, (source, target) in enumerate(pairwise(around)):
        if number == len(found.prefix):
            position = len(states) - 1
        states += [state for state, _ in _way(product, source, target)]
        if states[-1] == VIOLATION:
            return Lasso(tuple(states[:-1]), (VIOLATION,))
    return Lasso(tuple(states[:position]), tuple(states[position:-1]))


def _shortened(product: Product, lasso: Lasso[ProductState], states: int) -> Lasso[ProductState]:
    """A shorter run if one is found without much effort, else the one given."""
    effort = min(_SHORTENING_EFFORT * states + _LEAST_SHORTENING, _MOST_SHORTENING)
    try:
        shorter = shortest_lasso(product, Meter(lambda _: True, every=effort))
    except Stopped:
        return lasso
    return shorter if shorter is not None and len(shorter) < len(lasso) else lasso


def _run(product: Product, lasso: Lasso[ProductState]) -> Run:
    folded = lasso.folded()
    pairs = list(folded.steps())
    if VIOLATION in folded.cycle:
        leading = [pair for pair in pairs if VIOLATION not in pair]
        last = next(state for state in reversed(folded.prefix) if state != VIOLATION)
        return Run.along((*_steps(product, leading), product.wrong_step(last)), is_finite=True)
    prefix, cycle = pairs[: len(folded.prefix)], pairs[len(folded.prefix) :]
    return Run.along(_steps(product, prefix), _steps(product, cycle))


def _steps(product: Product, pairs: Iterable[tuple[ProductState, ProductState]]) -> list[Step | None]:
    """A step for each of these edges."""
    return [next(step for successor, step in product.edges(source) if successor == target) for source, target in pairs]
