"""Parallel searches in plain Python give the verdict of one worker alone, whatever the schedule."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.search.definitions import SmallGraph, has_accepting_cycle, random_graph
from tests.search.strategies import graphs

from everafter.search import ExplicitGraph, Meter, Stopped, flaw, nested_dfs, parallel_nested_dfs
from everafter.search.catalogue import names

ALGORITHMS = st.sampled_from(names("cycle", "team"))


@settings(max_examples=600, deadline=None)
@given(graphs(), st.integers(1, 5), ALGORITHMS, st.integers(0, 1 << 30))
def test_any_schedule_gives_the_verdict_of_the_definition(
    graph: SmallGraph, workers: int, algorithm: str, seed: int
) -> None:
    lasso = parallel_nested_dfs(graph, workers, algorithm, seed)
    assert (lasso is not None) == has_accepting_cycle(graph)
    assert lasso is None or flaw(graph, lasso) is None


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_larger_graphs_have_the_verdict_of_one_worker(algorithm: str) -> None:
    draw = random.Random(algorithm)
    for seed in range(250):
        graph = random_graph(draw, most=40)
        lasso = parallel_nested_dfs(graph, draw.randint(2, 8), algorithm, seed)
        assert (lasso is None) == (nested_dfs(graph) is None)
        assert lasso is None or flaw(graph, lasso) is None


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_a_long_line_is_no_trouble(algorithm: str) -> None:
    length = 3_000
    line = ExplicitGraph({node: [node + 1] for node in range(length)}, [0], range(length))
    assert parallel_nested_dfs(line, 3, algorithm) is None


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_a_seed_repeats_a_run(algorithm: str) -> None:
    graph = random_graph(random.Random(11), most=30)
    meters = [Meter(), Meter()]
    lassos = [parallel_nested_dfs(graph, 3, algorithm, 5, meter) for meter in meters]
    assert lassos[0] == lassos[1]
    assert meters[0].statistics == meters[1].statistics


def test_seeds_differ() -> None:
    graph = ExplicitGraph({node: [node * 2 % 101, node * 3 % 101] for node in range(101)}, [1], range(101))
    meters = [Meter() for _ in range(6)]
    for seed, meter in enumerate(meters):
        parallel_nested_dfs(graph, 4, "pndfs", seed, meter)
    assert len({meter.statistics for meter in meters}) > 1


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_a_search_that_is_stopped_says_so(algorithm: str) -> None:
    line = ExplicitGraph({node: [node + 1] for node in range(500)}, [0], range(500))
    with pytest.raises(Stopped):
        parallel_nested_dfs(line, 3, algorithm, 0, Meter(lambda meter: meter.states > 100, every=10))


def test_the_states_are_counted_once_for_all_workers() -> None:
    line = ExplicitGraph({node: [node + 1] for node in range(50)}, [0])
    meter = Meter()
    assert parallel_nested_dfs(line, 4, "pndfs", 0, meter) is None
    assert meter.statistics.states == 51
    assert meter.statistics.depth == 51


def test_nobody_cannot_search() -> None:
    with pytest.raises(ValueError, match="from 1 on, not 0"):
        parallel_nested_dfs(ExplicitGraph({}, [0]), 0)
