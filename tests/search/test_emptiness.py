"""Every search for an accepting cycle agrees with the definition, and its lasso is a run."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from oracles.search.definitions import (
    SmallGeneralisedGraph,
    SmallGraph,
    all_graphs,
    disagreements,
    generalised_disagreement,
    has_generalised_cycle,
    random_generalised_graph,
    random_graph,
    representatives,
)

from everafter.search import (
    ALGORITHMS,
    Degeneralised,
    Lasso,
    Meter,
    couvreur,
    flaw,
    generalised_flaw,
    nested_dfs,
    shortest_generalised_lasso,
    shortest_lasso,
)


def test_all_graphs_of_up_to_three_nodes() -> None:
    graphs = list(all_graphs(3))
    assert len(graphs) == 2_116
    assert [trouble for graph in graphs for trouble in disagreements(graph)] == []


PARTS = 4


def test_graphs_of_up_to_four_nodes() -> None:
    """A quarter of them, another one each day; one graph stands for those that differ in the names of nodes.

    `campaigns.search_campaign` runs all, with all names.
    """
    part, graphs = datetime.now(UTC).date().toordinal() % PARTS, 0
    for graph in representatives(all_graphs(4)):
        if graphs % PARTS == part:
            assert disagreements(graph) == [], graphs
        graphs += 1
    assert graphs == 106_948


def test_random_graphs() -> None:
    rng = random.Random(1)
    for _ in range(20_000):
        assert disagreements(random_graph(rng)) == []


def test_larger_random_graphs() -> None:
    rng = random.Random(2)
    for _ in range(300):
        assert disagreements(random_graph(rng, most=120)) == []


def test_random_generalised_graphs() -> None:
    rng = random.Random(3)
    accepted = 0
    for _ in range(10_000):
        graph = random_generalised_graph(rng)
        accepted += has_generalised_cycle(graph)
        assert generalised_disagreement(graph, couvreur(graph)) is None
        assert generalised_disagreement(graph, shortest_generalised_lasso(graph)) is None
        counted = nested_dfs(Degeneralised(graph))
        assert (counted is not None) == has_generalised_cycle(graph)
        if counted is not None:
            prefix, cycle = (tuple(state for state, _ in part) for part in (counted.prefix, counted.cycle))
            assert generalised_flaw(graph, Lasso(prefix, cycle)) is None
    assert 3_000 < accepted < 7_000


def test_shortest_lasso_is_a_shortest_one() -> None:
    rng = random.Random(4)
    found = 0
    for _ in range(3_000):
        graph = random_graph(rng, most=6)
        lasso = shortest_lasso(graph)
        assert (lasso is not None) == (nested_dfs(graph) is not None)
        if lasso is not None:
            found += 1
            assert flaw(graph, lasso) is None
            assert len(lasso) == shortest_length(graph)
    assert found > 500


def shortest_length(graph: SmallGraph) -> int:
    """The length of the shortest accepting lasso, by trying all paths of growing length."""
    paths: list[tuple[int, ...]] = [(start,) for start in set(graph.starts)]
    while True:
        for path in paths:
            for back in graph.successors(path[-1]):
                if back in path and graph.accepting & set(path[path.index(back) :]):
                    return len(path)
        paths = [(*path, after) for path in paths for after in set(graph.successors(path[-1]))]


@pytest.mark.parametrize("accepting", [0, 1])
def test_schwoon_and_esparza_answer_before_the_red_search(accepting: int) -> None:
    """Whichever end of the closing edge is accepting; the other nested searches first go on to what is left."""
    graph = SmallGraph([[1], [0, 2], []], frozenset({accepting}))
    expansions = {}
    for name, algorithm in ALGORITHMS.items():
        meter = Meter()
        assert algorithm(graph, meter) == Lasso((), (0, 1))
        expansions[name] = meter.expansions
    assert expansions["schwoon-esparza"] == 2
    assert expansions["holzmann"] > 2


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_graph_without_initial_states_has_no_run(name: str) -> None:
    assert ALGORITHMS[name](SmallGraph([[0]], frozenset({0}), ()), None) is None


def test_without_acceptance_sets_every_cycle_is_accepting() -> None:
    graph = SmallGeneralisedGraph([[(0, 1)], [(0, 2)], [(0, 1)]], 0)
    assert couvreur(graph) == Lasso((0,), (1, 2))


def test_bits_beyond_the_acceptance_sets_mean_nothing() -> None:
    assert couvreur(SmallGeneralisedGraph([[(0b101, 0)]], 1)) == Lasso((), (0,))


def test_too_many_acceptance_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="63 acceptance sets"):
        couvreur(SmallGeneralisedGraph([[(0, 0)]], 63))
