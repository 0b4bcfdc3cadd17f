"""Searches by a team of workers on native code: the verdicts of one worker, exact counts, honest ends, whatever comes
between."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from oracles.engine.models import node_of
from oracles.engine.teams import TableTeam, careless_store, hesitating_store, unsociable_store
from oracles.search.definitions import SmallGraph, closed, has_accepting_cycle, is_closed, random_graph, reachable

from everafter.engine.block import MOST_WORKERS
from everafter.engine.code.machine import Loaded
from everafter.engine.run.search_outcome import SearchEnding
from everafter.engine.run.search_threads import THREAD_NAME
from everafter.search import Lasso, flaw, nested_dfs, path_flaw
from everafter.search.catalogue import TEAM, names

CYCLES = names("cycle", "team")


def graphs(count: int, most: int, algorithm: str = "") -> Iterator[SmallGraph]:
    rng = random.Random(count)
    for _ in range(count):
        yield suitable(random_graph(rng, most), algorithm)


def suitable(graph: SmallGraph, algorithm: str) -> SmallGraph:
    """A graph that the algorithm can decide."""
    return closed(graph) if algorithm == "acyclic" else graph


def big_graph(size: int, accepting: frozenset[int] = frozenset()) -> SmallGraph:
    """Every node leads to the next and to two others; the last leads nowhere, so that no node is on a cycle."""
    rng = random.Random(size)
    onward = [sorted({node + 1, *(rng.randrange(node + 1, size) for _ in range(2))}) for node in range(size - 1)]
    return SmallGraph([*onward, []], accepting=accepting)


STORES: dict[str, Callable[[], Loaded | None]] = {"plain": lambda: None, "hesitating": hesitating_store}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("algorithm", CYCLES)
def test_a_team_comes_to_the_verdict_of_one(algorithm: str, store: str) -> None:
    violated = 0
    for number, graph in enumerate(graphs(60, 30, algorithm)):
        search = TableTeam(graph, algorithm, 2 + number % 7, store=STORES[store]())
        outcome = search.run()
        expected = nested_dfs(graph)
        assert outcome.ending == (SearchEnding.COMPLETED if expected is None else SearchEnding.ANSWERED)
        if expected is not None:
            violated += 1
            assert isinstance(outcome.answer, Lasso)
            lasso = Lasso(tuple(map(node_of, outcome.answer.prefix)), tuple(map(node_of, outcome.answer.cycle)))
            assert flaw(graph, lasso) is None
    assert 10 < violated < 50


def test_where_acceptance_can_be_left_a_search_for_closed_graphs_says_nothing_wrong() -> None:
    undecided = 0
    for number, graph in enumerate(graphs(300, 12)):
        ending = TableTeam(graph, "acyclic", 1 + number % 4, store=hesitating_store()).run().ending
        undecided += ending == SearchEnding.UNDECIDED
        assert ending != SearchEnding.UNDECIDED or not is_closed(graph)
        assert ending == SearchEnding.UNDECIDED or (ending == SearchEnding.ANSWERED) == has_accepting_cycle(graph)
    assert 30 < undecided < 270


@pytest.mark.parametrize(("store", "joined"), [(hesitating_store, True), (unsociable_store, False)])
def test_workers_join_a_search_under_way(store: Callable[[], Loaded], joined: bool) -> None:
    """One worker begins, at the only node before acceptance; who joins its search expands the next one again."""
    graph = big_graph(20_000, frozenset(range(1, 20_000)))
    figures = [TableTeam(graph, "acyclic", 3, store=store()).run().figures for _ in range(3)]
    assert {each.states for each in figures} == {20_000}
    assert [each.expansions > 20_000 for each in figures] == [joined] * 3
    assert max(each.expansions for each in figures) < 30_000


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("workers", [1, 2, 5, 16])
def test_every_state_is_counted_and_expanded_once(workers: int, store: str) -> None:
    graph = big_graph(30_000)
    search = TableTeam(graph, "unordered", workers, store=STORES[store]())
    figures = search.run().figures
    assert figures.states == figures.rows == figures.expansions == 30_000
    assert figures.transitions == sum(map(len, graph.targets))


def test_a_store_that_does_not_swap_is_found_out() -> None:
    graph = big_graph(30_000)
    counts = [TableTeam(graph, "unordered", 8, store=careless_store()).run().figures.states for _ in range(10)]
    assert any(count != 30_000 for count in counts)


@pytest.mark.parametrize("algorithm", names("reachability", "team"))
def test_a_target_is_found_if_and_only_if_it_can_be_reached(algorithm: str) -> None:
    for number, graph in enumerate(graphs(150, 30)):
        outcome = TableTeam(graph, algorithm, 1 + number % 8).run()
        wanted = {node for node in reachable(graph) if graph.is_accepting(node)}
        assert outcome.ending == (SearchEnding.ANSWERED if wanted else SearchEnding.COMPLETED)
        if wanted:
            assert isinstance(outcome.answer, tuple)
            path = tuple(map(node_of, outcome.answer))
            assert path[-1] in wanted
            assert path_flaw(graph, path) is None


@pytest.mark.parametrize("algorithm", CYCLES)
def test_a_large_graph_without_an_accepting_cycle(algorithm: str) -> None:
    every = range(8_000, 20_000) if algorithm == "acyclic" else range(0, 20_000, 3)
    outcome = TableTeam(big_graph(20_000, frozenset(every)), algorithm, 4, store=hesitating_store(), lines=1).run()
    assert outcome.ending == SearchEnding.COMPLETED
    assert outcome.figures.states == 20_000


@pytest.mark.parametrize("algorithm", TEAM)
def test_too_little_memory_ends_honestly(algorithm: str) -> None:
    graph = big_graph(200_000)
    outcome = TableTeam(graph, algorithm, 3, memory=1 << 24).run()
    assert outcome.ending == SearchEnding.OUT_OF_MEMORY
    assert 1_000 < outcome.figures.states < 200_000


@pytest.mark.parametrize("algorithm", TEAM)
def test_a_team_stops_when_it_is_told_to(algorithm: str) -> None:
    outcome = TableTeam(big_graph(200_000), algorithm, 3).run(lambda _: True, interval=0.001)
    assert outcome.ending in (SearchEnding.STOPPED_BY_CALLER, SearchEnding.COMPLETED)
    assert all(not thread.name.startswith(THREAD_NAME) or not thread.is_alive() for thread in threading.enumerate())


def test_an_observer_that_raises_stops_the_team() -> None:
    def observe(_figures: Any) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        TableTeam(big_graph(500_000), "cndfs", 3, store=hesitating_store()).run(observe, interval=0.001)


def test_a_model_that_fails_stops_the_team() -> None:
    graph = big_graph(1_000)
    outcome = TableTeam(graph, "cndfs", 3, fails=(700, -7)).run()
    assert (outcome.ending, outcome.code) == (SearchEnding.MODEL_FAILED, -7)


@pytest.mark.parametrize("workers", [0, MOST_WORKERS + 1])
def test_a_team_has_a_sensible_size(workers: int) -> None:
    with pytest.raises(ValueError, match="workers"):
        TableTeam(big_graph(10), "cndfs", workers).run()
