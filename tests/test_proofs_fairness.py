"""The search for fair runs does what the proved text does, and finds a fair run exactly if there is one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations, pairwise
from typing import Any, cast

import pytest
from oracles.fair_runs import Edge, Graph, Proved, in_order
from oracles.planted import Change, control, unnoticed
from tests.proofs_needs import NEEDS_PROVERS

from everafter.choices import Fairness
from everafter.execution.state import NO_PROCESS
from everafter.product import fairness
from everafter.product.fairness import FairRun, fair_run
from everafter.product.product import Product, ProductState
from everafter.search import ExplicitGraph, strongly_connected_components
from everafter.verdict import judge

KINDS: tuple[Fairness, Fairness] = ("weak", "strong")
PROCESSES = 3


@dataclass(frozen=True)
class Step:
    """A step of which only matters who moves."""

    process: int
    partner: int | None


@dataclass(frozen=True)
class Holder:
    """A state of which only matters whether somebody is in the middle of an atomic sequence."""

    holder: int


@dataclass(frozen=True)
class Expansion:
    """Who can move in a state."""

    state: Holder
    steps: list[Step]


@dataclass(frozen=True)
class Drawn:
    """A graph that is a product for the running text and one of edges for the proved one; state 0 is initial.

    No more than eight states, so that Python's sets of them are in order.
    """

    out: list[list[tuple[int, Step | None]]]
    can: list[frozenset[int] | None]
    accepts: list[bool]

    def initial(self) -> Iterator[ProductState]:
        yield name(0)

    def edges(self, state: ProductState) -> Iterator[tuple[ProductState, Step | None]]:
        for target, step in self.out[state[1]]:
            yield name(target), step

    def is_accepting(self, state: ProductState) -> bool:
        return self.accepts[state[1]]

    def expansion(self, packed: bytes) -> Expansion:
        can = self.can[packed[0]]
        if can is None:
            return Expansion(Holder(NO_PROCESS + 1), [])
        return Expansion(Holder(NO_PROCESS), [Step(process, None) for process in can])

    def graph(self) -> Graph:
        edges = [[Edge(source, to, movers(step)) for to, step in out] for source, out in enumerate(self.out)]
        return Graph(edges.__getitem__, self.can.__getitem__, self.accepts.__getitem__)


@dataclass(frozen=True)
class Turned:
    """The same product with the names of its states turned round."""

    graph: Drawn

    def turned(self, state: int) -> int:
        return len(self.graph.out) - 1 - state

    def initial(self) -> Iterator[ProductState]:
        yield name(self.turned(0))

    def edges(self, state: ProductState) -> Iterable[tuple[ProductState, Step | None]]:
        return [(name(self.turned(to)), step) for to, step in self.graph.out[self.turned(state[1])]]

    def is_accepting(self, state: ProductState) -> bool:
        return self.graph.accepts[self.turned(state[1])]

    def expansion(self, packed: bytes) -> Expansion:
        return self.graph.expansion(bytes([self.turned(packed[0])]))


EDGES = Turned.edges


def movers(step: Step | None) -> frozenset[int]:
    if step is None:
        return frozenset()
    return frozenset({step.process} if step.partner is None else {step.process, step.partner})


def name(state: int) -> ProductState:
    return bytes([state]), state


def drawn(seed: int) -> Drawn:
    """A random graph, its states numbered as they are met; accepting ones are outside of atomic sequences."""
    draw = random.Random(seed)
    size = draw.randint(1, 8)
    out = [[(draw.randrange(size), drawn_step(draw)) for _ in range(draw.choice((1, 1, 2, 3)))] for _ in range(size)]
    met = [0]
    for state in met:
        met += [to for to in dict.fromkeys(target for target, _ in out[state]) if to not in met]
    can: list[frozenset[int] | None] = [
        None if draw.random() < 0.2 else frozenset(each for each in range(PROCESSES) if draw.random() < 0.4)
        for _ in met
    ]
    accepts = [each is not None and draw.random() < 0.5 for each in can]
    return Drawn([[(met.index(target), step) for target, step in out[state]] for state in met], can, accepts)


def drawn_step(draw: random.Random) -> Step | None:
    if draw.random() < 0.3:
        return None
    process = draw.randrange(PROCESSES)
    return Step(process, (process + 1) % PROCESSES if draw.random() < 0.2 else None)


GRAPHS = [drawn(seed) for seed in range(4000)]


PROVED = Proved()
WANTING = fairness._wanting


def decompose(successors: Callable[[int], Iterable[int]], roots: Iterable[int]) -> list[list[int]]:
    """The components in an order of their own, which is not that in which they are found."""
    found = strongly_connected_components(ExplicitGraph({node: list(successors(node)) for node in roots}, list(roots)))
    return sorted(sorted(component) for component in found)


@pytest.fixture(autouse=True)
def same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the running text have components, and those who want to move, in the order of the proof: it is for any."""
    monkeypatch.setattr(
        fairness,
        "strongly_connected_components",
        lambda graph: decompose(graph.successors, sorted(graph.initial())),
    )
    monkeypatch.setattr(
        fairness,
        "_wanting",
        lambda graph, component: in_order(WANTING(graph, component), PROVED.wanting(graph.able, component)),
    )


def compare(graph: Drawn, kind: Fairness, proof: Proved) -> bool:
    """The same answer, edge for edge. Whether there is one."""
    proved = proof.fair_run(graph.graph(), len(graph.out), decompose, kind)
    found = fair_run(cast(Product, graph), kind)
    assert (found is None) == (proved is None)
    if found is None or proved is None:
        return False
    assert [edges_of(found.lasso.prefix, found.prefix), edges_of(found.lasso.cycle, found.cycle)] == [
        [(name(edge.source), edge.movers) for edge in way] for way in proved
    ]
    return True


def edges_of(states: tuple[ProductState, ...], steps: tuple[Any, ...]) -> list[tuple[ProductState, frozenset[int]]]:
    return [(state, movers(step)) for state, step in zip(states, steps, strict=True)]


def compare_all(kind: Fairness, proof: Proved = PROVED) -> int:
    return sum(compare(graph, kind, proof) for graph in GRAPHS)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_the_proof(kind: Fairness) -> None:
    answers = compare_all(kind)
    assert 500 < answers < len(GRAPHS) - 500


def check_numbers(graph: Drawn, proof: Proved) -> None:
    """The same states in the same order, and the same edges, whatever the states are called."""
    listed = graph.graph()
    last = len(graph.out) - 1

    def steps(state: int) -> Iterator[tuple[frozenset[int], int]]:
        return ((edge.movers, last - edge.target) for edge in listed.edges(last - state))

    met, done = proof.explore(last, steps, len(graph.out))
    found = fairness._explored(cast(Product, Turned(graph)), None)
    assert found.states == [name(state) for state in met]
    assert [[(edge.source, edge.target, movers(cast(Any, edge.step))) for edge in out] for out in found.edges] == [
        [(edge.source, edge.target, edge.movers) for edge in out] for out in done
    ]
    assert found.able == [graph.can[last - state] for state in met]
    assert found.accepting == [graph.accepts[last - state] for state in met]


def check_all_numbers(proof: Proved = PROVED) -> None:
    for graph in GRAPHS:
        check_numbers(graph, proof)


def test_states_are_numbered_as_in_the_proof() -> None:
    check_all_numbers()


def test_an_edge_that_is_lost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Turned, "edges", lambda self, state: list(EDGES(self, state))[:2])
    with pytest.raises(AssertionError):
        check_all_numbers()


# By definition


def is_fair_part(graph: Graph, part: frozenset[int], kind: Fairness) -> bool:
    """Whether a run can be in these states again and again, and nowhere else, and is accepted and fair."""
    inner = [edge for state in part for edge in graph.edges(state) if edge.target in part]
    reached = {state: {edge.target for edge in inner if edge.source == state} for state in part}
    for middle in part:
        for state in part:
            if middle in reached[state]:
                reached[state] |= reached[middle]
    if any(reached[state] != part for state in part) or not any(graph.accepting(state) for state in part):
        return False
    for process in range(PROCESSES):
        says = [process in able for state in part if (able := graph.able(state)) is not None]
        owed = any(says) if kind == "strong" else bool(says) and all(says)
        if owed and not any(process in edge.movers for edge in inner):
            return False
    return True


def has_fair_run(graph: Drawn, kind: Fairness) -> bool:
    states = range(len(graph.out))
    parts = chain.from_iterable(combinations(states, many) for many in range(1, len(states) + 1))
    return any(is_fair_part(graph.graph(), frozenset(part), kind) for part in parts)


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_an_answer_exactly_if_there_is_a_fair_run(kind: Fairness) -> None:
    for graph in GRAPHS[:1000]:
        found = fair_run(cast(Product, graph), kind)
        assert (found is not None) == has_fair_run(graph, kind)
        if found is not None:
            check_lasso(graph, found, kind)


def check_lasso(graph: Drawn, found: FairRun, kind: Fairness) -> None:
    """The lasso begins in the initial state and leaves an accepting state in its cycle, which is fair."""
    states = [state for _, state in (*found.lasso.prefix, *found.lasso.cycle, found.lasso.cycle[0])]
    taken = [movers(cast(Any, step)) for step in (*found.prefix, *found.cycle)]
    assert states[0] == 0
    listed = graph.graph()
    edges = [Edge(source, to, who) for (source, to), who in zip(pairwise(states), taken, strict=True)]
    assert all(edge in listed.edges(edge.source) for edge in edges)
    cycle = edges[len(found.prefix) :]
    assert any(listed.accepting(edge.source) for edge in cycle)
    for process in range(PROCESSES):
        can = any(process in (listed.able(edge.source) or ()) for edge in cycle)
        cannot = any(able is not None and process not in able for able in (listed.able(e.source) for e in cycle))
        moves = any(process in edge.movers for edge in cycle)
        assert moves or not can or (kind == "weak" and cannot)


# The judge


@dataclass(frozen=True)
class Shown:
    """A run as the judge sees it, with a cycle of any edges: that one leads to the next is not for him to see here."""

    graph: Graph
    edges: list[Edge]

    @property
    def prefix(self) -> tuple[Step, ...]:
        return (Step(0, 1),)

    @property
    def cycle(self) -> list[Step]:
        """Who moves, one or two at once."""
        pairs = [sorted(edge.movers) for edge in self.edges]
        return [Step(pair[0] if pair else PROCESSES, pair[1] if len(pair) > 1 else None) for pair in pairs]

    @property
    def program(self) -> Graph:
        return self.graph

    def states(self) -> Iterator[Stood]:
        for edge in (Edge(0, 0, frozenset()), *self.edges, self.edges[0]):
            yield Stood(edge.source, NO_PROCESS if self.graph.able(edge.source) is not None else 0)


@dataclass(frozen=True)
class Stood:
    """A state of such a run."""

    number: int
    holder: int


def able_there(graph: Graph, state: Stood) -> set[int]:
    return set(graph.able(state.number) or ())


def compare_judged(kind: Fairness, proof: Proved = PROVED) -> int:
    """Whether the judge says of random walks what the proved text says; of how many it says that they are fair."""
    fair = 0
    for seed, drawn_graph in enumerate(GRAPHS):
        draw, graph = random.Random(seed), drawn_graph.graph()
        walk = [draw.choice(graph.edges(draw.randrange(len(drawn_graph.out)))) for _ in range(draw.randint(1, 5))]
        judged = judge.is_fair(cast(Any, Shown(graph, walk)), kind)
        assert judged == proof.is_fair(graph, kind, walk)
        fair += judged
    return fair


@pytest.mark.parametrize("kind", KINDS)
def test_the_judge_judges_as_proved(kind: Fairness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "_able", able_there)
    assert 500 < compare_judged(kind) < len(GRAPHS) - 500
    monkeypatch.setattr(judge, "_able", lambda graph, state: able_there(graph, state) - {0})
    with pytest.raises(AssertionError):
        compare_judged(kind)


# Planted mistakes

Planted = tuple[Fairness, str, Callable[..., Any]]


def too_fair(graph: Any, process: int, edge: Any, _kind: Fairness) -> bool:
    able = graph.able[edge.source]
    return process in edge.movers or able is None or process not in able


def content_with_moves(_graph: Any, process: int, edge: Any, _kind: Fairness) -> bool:
    return process in edge.movers


def content_with_unable(graph: Any, process: int, edge: Any, _kind: Fairness) -> bool:
    return TREATS_FAIRLY(graph, process, edge, "weak")


def all_or_nobody(graph: Any, component: set[int], kind: Fairness) -> set[int]:
    return fairness._wanting(graph, component) if STARVED(graph, component, kind) else set()


def each_alone(graph: Any, inside: set[int]) -> Iterator[set[int]]:
    return (component for component in COMPONENTS(graph, inside) if len(component) == 1)


TREATS_FAIRLY, STARVED, COMPONENTS = fairness._treats_fairly, fairness._starved, fairness._components
PLANTED: dict[str, Planted] = {
    "the middle of a sequence taken for unable": ("weak", "_treats_fairly", too_fair),
    "weak fairness owes too much": ("weak", "_treats_fairly", content_with_moves),
    "strong fairness owes too little": ("strong", "_treats_fairly", content_with_unable),
    "too many states taken out": ("strong", "_starved", all_or_nobody),
    "components of several states forgotten": ("strong", "_components", each_alone),
}


@pytest.mark.parametrize(("kind", "what", "mistake"), PLANTED.values(), ids=PLANTED.keys())
def test_a_mistake_is_found(
    monkeypatch: pytest.MonkeyPatch, kind: Fairness, what: str, mistake: Callable[..., Any]
) -> None:
    monkeypatch.setattr(fairness, what, mistake)
    with pytest.raises(AssertionError):
        compare_all(kind)


# Mistakes planted into the proofs themselves, which Coq must refuse

REFUSED = {
    "way the wrong way round": "product/paths.v",
    "states without a cycle": "product/decomposing.v",
    "unable is enough for strong": "product/fair_lasso.v",
    "cycle left open": "product/fair_lasso.v",
    "whole component again": "product/fair_search.v",
    "who moves is forgotten": "product/exploring.v",
    "weak fairness owes too much": "verdict/fairly.v",
}


def compare_everything(proof: Proved) -> None:
    check_all_numbers(proof)
    for kind in KINDS:
        compare_all(kind, proof)
        compare_judged(kind, proof)


@NEEDS_PROVERS
def test_mistakes_of_the_proved_text_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "_able", able_there)
    planted: dict[str, Change] = {name: control(file, name) for name, file in REFUSED.items()}
    assert unnoticed({"fair_runs": planted}, {"fair_runs": lambda proved: compare_everything(Proved(proved))}) == []
