"""Fair runs: those in which no process is passed over for ever.

Weakly fair: a process that can move from some point on without interruption moves again and again. Strongly fair: a
process that can move again and again does. A system that has stopped is fair to everybody.

The whole product is built and searched by its strongly connected components: a component is fair if its cycles can be
joined into one that is. For strong fairness, where a process can move but never does inside the component, the
states in which it can are taken out and the rest is decomposed again (Emerson and Lei, 1987).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from everafter.choices import Fairness
from everafter.execution.state import NO_PROCESS
from everafter.execution.step import Step
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.record import dataclass, field
from everafter.search.components import strongly_connected_components
from everafter.search.graph import ExplicitGraph
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter, Stopped


@dataclass(frozen=True, slots=True)
class FairRun:
    """An accepting run that is fair: the states of a lasso, and the steps between them, None where it stutters."""

    lasso: Lasso[ProductState]
    prefix: tuple[Step | None, ...]
    cycle: tuple[Step | None, ...]


@dataclass(frozen=True, slots=True)
class _Edge:
    source: int
    target: int
    step: Step | None

    @property
    def movers(self) -> tuple[int | None, ...]:
        return () if self.step is None else (self.step.process, self.step.partner)


@dataclass(slots=True)
class _Explicit:
    """The whole product, states numbered."""

    states: list[ProductState] = field(default_factory=list)
    edges: list[list[_Edge]] = field(default_factory=list)
    able: list[frozenset[int] | None] = field(default_factory=list)
    """Which processes can move in a state; None in the middle of an atomic sequence, where only one may."""
    accepting: list[bool] = field(default_factory=list)


def fair_run(product: Product, fairness: Fairness, meter: Meter | None = None) -> FairRun | None:
    """Return an accepting run of `product` that is fair to every process, or None if there is none.

    `fairness` says which fairness is meant; `meter` counts the search and may stop it.
    Proof: proofs/product/exploring.v, theorem fair_run_decides.
    Proof: proofs/product/fair_search.v, theorem search_is_right.
    """
    graph = _explored(product, meter)
    pending = [set(range(len(graph.states)))]
    while pending:
        inside = pending.pop()
        for component in _components(graph, inside):
            if not any(graph.accepting[node] for node in component):
                continue
            starved = _starved(graph, component, fairness)
            if not starved:
                return _run(graph, component, fairness)
            if fairness == "strong":
                pending.append({node for node in component if not (starved & (graph.able[node] or frozenset()))})
    return None


def fair_run_along(
    product: Product, found: Lasso[ProductState], passes: Callable[[ProductState], bool], fairness: Fairness = "weak"
) -> FairRun:
    """Return the fair run of `product` that the lasso `found` stands for, one step of which may be many.

    `fairness` says which fairness is meant, and `passes` of a state whether it is inside such a sequence of steps.
    Where several ways lead from one state of the lasso to the next, which may be fair to different processes, the cycle
    is gone round again until all have had their turn.
    """
    graph = _Ways(product, passes, fairness)
    states = found.states()
    entry = [graph.ways(source, target)[0] for source, target in pairwise(states[: len(found.prefix) + 1])]
    choices = [graph.ways(source, target) for source, target in pairwise([*found.cycle, found.cycle[0]])]
    wanting = {process for source in found.cycle for process in able_in(product, source) or ()}
    taken: list[_Way] = []
    while not taken or wanting:
        before = len(wanting)
        for ways in choices:
            best = max(ways, key=lambda way: len(way.fair_to & wanting))
            wanting -= best.fair_to
            taken.append(best)
        if wanting and len(wanting) == before:
            raise AssertionError("the cycle is not fair to every process")
    prefix = [edge for way in entry for edge in way.edges]
    cycle = [edge for way in taken for edge in way.edges]
    lasso = Lasso(tuple(state for state, _ in prefix), tuple(state for state, _ in cycle))
    return FairRun(lasso, tuple(step for _, step in prefix), tuple(step for _, step in cycle))


@dataclass(frozen=True, slots=True)
class _Way:
    """A way from one state to another: the states it leaves with the steps it takes, and to whom it is fair."""

    edges: tuple[tuple[ProductState, Step | None], ...]
    fair_to: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Trail:
    """A way so far: its last edge, and the trail before it, which other ways share."""

    before: _Trail | None
    state: ProductState
    step: Step | None

    def edges(self) -> tuple[tuple[ProductState, Step | None], ...]:
        """The edges from the first one on."""
        found = []
        trail: _Trail | None = self
        while trail is not None:
            found.append((trail.state, trail.step))
            trail = trail.before
        return tuple(reversed(found))


_EVERYBODY = frozenset(range(256))
_MOST_WAYS = 256


@dataclass(frozen=True, slots=True)
class _Ways:
    product: Product
    passes: Callable[[ProductState], bool]
    fairness: Fairness

    def ways(self, source: ProductState, target: ProductState) -> list[_Way]:
        """The ways from a state to another that differ in who moves; there is at least one."""
        able = able_in(self.product, source)
        unable = frozenset[int]() if able is None or self.fairness == "strong" else _EVERYBODY - able
        found: dict[frozenset[int], _Way] = {}
        pending: list[tuple[ProductState, _Trail | None, frozenset[int]]]
        pending = [(source, None, frozenset())]
        seen: set[tuple[ProductState, frozenset[int]]] = set()
        while pending and len(found) < _MOST_WAYS:
            state, before, movers = pending.pop()
            for successor, step in self.product.edges(state):
                moved = movers | movers_of(step)
                trail = _Trail(before, state, step)
                if successor == target:
                    if moved not in found:
                        found[moved] = _Way(trail.edges(), moved | unable)
                elif self.passes(successor) and (successor, moved) not in seen:
                    seen.add((successor, moved))
                    pending.append((successor, trail, moved))
        return list(found.values())


def movers_of(step: Step | None) -> frozenset[int]:
    """Which processes move in a step: two in a rendezvous, none where the run stutters."""
    if step is None:
        return frozenset()
    return frozenset({step.process} if step.partner is None else {step.process, step.partner})


def _explored(product: Product, meter: Meter | None) -> _Explicit:
    """All states that can be reached, numbered as they are met, with their edges.

    Proof: proofs/product/exploring.v, theorem exploring_ends.
    """
    graph = _Explicit()
    index: dict[ProductState, int] = {}

    def number(state: ProductState) -> int:
        if state not in index:
            index[state] = len(graph.states)
            graph.states.append(state)
            graph.accepting.append(product.is_accepting(state))
            graph.able.append(able_in(product, state))
        return index[state]

    for state in product.initial():
        number(state)
    node = 0
    while node < len(graph.states):
        found = [_Edge(node, number(target), step) for target, step in product.edges(graph.states[node])]
        graph.edges.append(found)
        node += 1
        if meter is not None:
            meter.states = len(graph.states)
            meter.transitions += len(found)
            if not meter.tick():
                raise Stopped(meter.statistics)
    return graph


def able_in(product: Product, state: ProductState) -> frozenset[int] | None:
    """Return which processes can move in `state` of `product`; None inside an atomic sequence, where only one may."""
    if state == VIOLATION:
        return frozenset()
    here = product.expansion(state[0])
    if here.state.holder != NO_PROCESS:
        return None
    movers = {step.process for step in here.steps}
    return frozenset(movers | {step.partner for step in here.steps if step.partner is not None})


def _components(graph: _Explicit, inside: set[int]) -> Iterator[set[int]]:
    """The strongly connected components inside a set of states that have a cycle.

    Proof: proofs/product/decomposing.v, theorem components_are_connected.
    """
    edges = {node: [edge.target for edge in graph.edges[node] if edge.target in inside] for node in inside}
    for component in strongly_connected_components(ExplicitGraph(edges, list(inside))):
        members = set(component)
        if len(members) > 1 or any(target in members for node in members for target in edges[node]):
            yield members


def _inner(graph: _Explicit, component: set[int]) -> Iterator[_Edge]:
    return (edge for node in component for edge in graph.edges[node] if edge.target in component)


def _treats_fairly(graph: _Explicit, process: int, edge: _Edge, fairness: Fairness) -> bool:
    """Whether taking this edge again and again is fair to a process."""
    able = graph.able[edge.source]
    return process in edge.movers or (fairness == "weak" and able is not None and process not in able)


def _wanting(graph: _Explicit, component: Iterable[int]) -> set[int]:
    """The processes that can move somewhere in a component."""
    return {process for node in component for process in graph.able[node] or ()}


def _starved(graph: _Explicit, component: set[int], fairness: Fairness) -> set[int]:
    """The processes to which no cycle of the component is fair.

    Proof: proofs/product/fair_lasso.v, theorem starved_is_unable.
    """
    wanting = _wanting(graph, component)
    for edge in _inner(graph, component):
        wanting -= {process for process in wanting if _treats_fairly(graph, process, edge, fairness)}
        if not wanting:
            break
    return wanting


def _run(graph: _Explicit, component: set[int], fairness: Fairness) -> FairRun:
    """A run into the component and around it, through an accepting state and fairly to everybody.

    Proof: proofs/product/fair_lasso.v, theorem lasso_is_fair.
    """
    entry = _path(graph, 0, component, None)
    start = entry[-1].target if entry else 0
    accepting = {node for node in component if graph.accepting[node]}
    cycle = _path(graph, start, accepting, component)
    for process in _wanting(graph, component):
        fair = next(edge for edge in _inner(graph, component) if _treats_fairly(graph, process, edge, fairness))
        cycle += _path(graph, cycle[-1].target if cycle else start, {fair.source}, component)
        cycle.append(fair)
    if not cycle:
        cycle.append(next(edge for edge in graph.edges[start] if edge.target in component))
    cycle += _path(graph, cycle[-1].target, {start}, component)
    lasso = Lasso(
        tuple(graph.states[edge.source] for edge in entry), tuple(graph.states[edge.source] for edge in cycle)
    )
    return FairRun(lasso, tuple(edge.step for edge in entry), tuple(edge.step for edge in cycle))


def _path(graph: _Explicit, start: int, targets: set[int], inside: set[int] | None) -> list[_Edge]:
    """A shortest path from a state to a target; empty if the state is one.

    Proof: proofs/product/paths.v, theorem path_is_found.
    """
    arrived: dict[int, _Edge | None] = {start: None}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        if node in targets:
            path: list[_Edge] = []
            while (edge := arrived[node]) is not None:
                path.append(edge)
                node = edge.source
            return path[::-1]
        for edge in graph.edges[node]:
            if edge.target not in arrived and (inside is None or edge.target in inside):
                arrived[edge.target] = edge
                queue.append(edge.target)
    raise AssertionError("every target lies in the same component")
