"""The search for strongly fair cycles against their definition, on random graphs."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from itertools import pairwise

import pytest

from everafter.search import ExplicitGraph, Lasso, strongly_connected_components
from everafter.search import streett as searching
from everafter.search.space import GeneralisedSpace, Store
from everafter.search.streett import PAIRS, SERVED, STREETT_ALGORITHM

Edge = tuple[int, int, int]
"""The source, the sets and the target of a transition."""


def lacking(sets: int) -> int:
    """The pairs that are requested and not served."""
    return (sets >> PAIRS) & ~sets & SERVED


def together(edges: Sequence[Edge]) -> int:
    found = 0
    for _, sets, _ in edges:
        found |= sets
    return found


def has_fair_cycle(edges: Sequence[Edge], nodes: Collection[int]) -> bool:
    """By definition: whether a component is accepting and serves what it requests, or has such a part."""
    graph = {node: [target for source, _, target in edges if source == node and target in nodes] for node in nodes}
    for component in map(set, strongly_connected_components(ExplicitGraph(graph, list(nodes)))):
        inner = [edge for edge in edges if edge[0] in component and edge[2] in component]
        if not together(inner) & 1:
            continue
        unserved = lacking(together(inner))
        if not unserved:
            return True
        if has_fair_cycle(edges, component - {source for source, sets, _ in inner if sets >> PAIRS & unserved}):
            return True
    return False


def random_edges(chance: random.Random) -> list[Edge]:
    """Transitions between a few nodes; what a node requests is on all of them."""
    size, pairs = chance.randrange(1, 8), chance.randrange(4)
    edges = []
    for node in range(size):
        requests = chance.getrandbits(pairs) if pairs else 0
        for _ in range(chance.choice((0, 1, 2, 2, 3))):
            serves = chance.getrandbits(pairs) & requests if pairs else 0
            sets = int(chance.random() < 0.35) | serves << 1 | requests << 1 + PAIRS
            edges.append((node, sets, chance.randrange(size)))
    return edges


def found(edges: Sequence[Edge]) -> Lasso[int] | None:
    def transitions(node: int) -> list[tuple[int, int]]:
        return [(sets, target) for source, sets, target in edges if source == node]

    space = GeneralisedSpace([0], transitions, 61, None, STREETT_ALGORITHM.every_column)
    space.wanted[0] = 1
    lasso: Lasso[int] | None = STREETT_ALGORITHM.run(space)
    return lasso


def flaw(edges: Sequence[Edge], lasso: Lasso[int] | None) -> str | None:
    """How an answer contradicts the definition."""
    nodes, pending = {0}, [0]
    while pending:
        new = {target for source, _, target in edges if source == pending[-1]} - nodes
        pending.pop()
        nodes |= new
        pending += new
    if (lasso is not None) != has_fair_cycle(edges, nodes):
        return f"{lasso} on {edges}"
    if lasso is None:
        return None
    word = [*lasso.prefix, *lasso.cycle, lasso.cycle[0]]
    pairs = list(pairwise(word))
    if word[0] != 0 or any(all((source, target) != pair for source, _, target in edges) for pair in pairs):
        return f"{lasso} is no run of {edges}"
    cycle = pairs[len(lasso.prefix) :]
    taken = together([edge for edge in edges if (edge[0], edge[2]) in cycle])
    return f"{lasso} is not fair on {edges}" if not taken & 1 or lacking(taken) else None


def flaws(seeds: range) -> list[str]:
    graphs = [random_edges(random.Random(seed)) for seed in seeds]
    return [each for graph in graphs if (each := flaw(graph, found(graph))) is not None]


def test_random_graphs() -> None:
    graphs = [random_edges(random.Random(seed)) for seed in range(2000)]
    assert not flaws(range(2000))
    assert 500 < sum(found(graph) is not None for graph in graphs) < 1500


def test_a_state_that_requests_in_vain_is_left_out_and_the_rest_searched_again() -> None:
    """Node 1 requests what nothing serves, so that only the loop of node 2 is fair; the way there leads through 1."""
    request = 2 << PAIRS
    edges = [(0, 0, 1), (1, request, 2), (2, 1, 2), (2, 0, 1)]
    assert found(edges) == Lasso((0, 1), (2,))
    assert found([edge for edge in edges if edge != (2, 1, 2)]) is None


def never_again(_space: Store, _depth: int, _node: int, _lacking: int) -> bool:
    return True


@pytest.mark.parametrize(("name", "mistake"), [("put_back", never_again), ("SERVED", 0)], ids=["rest", "pairs"])
def test_a_planted_mistake_is_found(name: str, mistake: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, name, mistake)
    assert flaws(range(300))
