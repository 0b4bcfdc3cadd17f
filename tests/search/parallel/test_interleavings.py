"""Every interleaving of the text that ships: verdicts are right, workers can always end, the paper's invariants hold.

The complete campaign is campaigns/parallel_interleavings.py; here are its smaller parts.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from oracles.search.definitions import SmallGraph, all_graphs, has_accepting_cycle, reachable, representatives
from oracles.search.parallel.interleavings import explore_all
from oracles.search.parallel.planted import with_other
from oracles.search.parallel.planted_graphs import CROSSING, CROSSING_ONCE, CROSSING_ORDERS, LINE_INTO_CYCLE
from oracles.search.parallel.worker_states import Kernel

from everafter.search.catalogue import TEAM, names
from everafter.search.parallel.acyclic import search_acyclic

TINY = [*representatives(all_graphs(2))]
SMALL = [*representatives(all_graphs(3))]
EACH_SMALL = {"swarm": 5, "pndfs": 3, "pndfs-all-red": 20}
"""One in so many of the small graphs is enough here, of others all."""


def has_invariants(algorithm: str) -> bool:
    return algorithm.startswith("pndfs")


def explore_each(algorithm: str, graphs: list[SmallGraph], workers: int, **bounds: object) -> tuple[int, int]:
    """The same for the kernel of an algorithm, with the invariants it has."""
    return explore_kernel(TEAM[algorithm].kernel, graphs, workers, has_invariants(algorithm), **bounds)


def explore_kernel(
    kernel: Kernel, graphs: list[SmallGraph], workers: int, invariants: bool = False, **bounds: object
) -> tuple[int, int]:
    """How many global states there were, and how many ends; nothing may be wrong."""
    states = ends = 0
    for graph in graphs:
        report = explore_all(kernel, graph, workers, invariants, **bounds)
        assert report.fault is None, (graph, report.fault, report.schedule)
        states += report.states
        ends += report.ends
    return states, ends


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_two_workers_on_every_tiny_graph(algorithm: str) -> None:
    states, ends = explore_each(algorithm, TINY, 2)
    assert states > 20 * len(TINY)
    assert ends > len(TINY)


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_three_workers_on_every_tiny_graph(algorithm: str) -> None:
    explore_each(algorithm, TINY, 3, eager=True)


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_a_store_that_may_say_stop_never_makes_a_verdict_wrong_or_others_wait(algorithm: str) -> None:
    explore_each(algorithm, TINY, 2, stops=True)


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_two_workers_on_small_graphs(algorithm: str) -> None:
    explore_each(algorithm, SMALL[:: EACH_SMALL.get(algorithm, 1)], 2, eager=True)


def sample(size: int, count: int, seed: int) -> list[SmallGraph]:
    """Graphs whose nodes are all reachable and have one or two successors; half of them have an accepting cycle."""
    draw = random.Random(seed)
    wanted = {True: count // 2, False: count - count // 2}
    graphs = []
    while any(wanted.values()):
        targets = [tuple(sorted(draw.sample(range(size), draw.choice((1, 1, 2))))) for _ in range(size)]
        graph = SmallGraph(targets, frozenset(node for node in range(size) if draw.random() < 0.4))
        if len(reachable(graph)) == size and wanted[has_accepting_cycle(graph)]:
            wanted[has_accepting_cycle(graph)] -= 1
            graphs.append(graph)
    return graphs


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_two_workers_on_larger_graphs(algorithm: str) -> None:
    explore_each(algorithm, sample(4, 12, 1), 2, eager=True, preemptions=4)


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_three_workers_on_larger_graphs(algorithm: str) -> None:
    explore_each(algorithm, sample(4, 10, 2), 3, eager=True, preemptions=2)


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_that_take_over_nodes_from_each_other(workers: int) -> None:
    """To be given a node is to find it among the initial ones; the first worker to come expands it."""
    everywhere = [replace(graph, starts=graph.nodes) for graph in (*TINY, *SMALL)]
    for kernel in (search_acyclic, with_other(ALONE=0)):
        explore_kernel(kernel, everywhere[:: 1 if workers == 2 else 10], workers, eager=True)


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_red_searches_that_cross(algorithm: str) -> None:
    graph = CROSSING_ONCE if "all-red" in algorithm else CROSSING
    explore_each(algorithm, [graph], 3, eager=True, preemptions=3, orders=CROSSING_ORDERS)


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_two_accepting_nodes_in_a_row(algorithm: str) -> None:
    explore_each(algorithm, [LINE_INTO_CYCLE], 2)


def test_eager_workers_see_the_same_faults_and_fewer_states() -> None:
    kernel = TEAM["pndfs"].kernel
    for graph in TINY:
        assert explore_all(kernel, graph, eager=True).states <= explore_all(kernel, graph).states
