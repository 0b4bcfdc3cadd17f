"""The text that runs does what the proved text does: the same answers, the same colours, the same time stamps."""

import random
from typing import Any

import pytest
from oracles.planted import Change, unnoticed
from oracles.proved import framework
from oracles.search.proved import compare_framework, compare_swarm, graphs_of, random_graph
from tests.proofs_needs import NEEDS_PROVERS

from everafter.search.parallel.framework import (
    SharedHook,
    SharedSearch,
    depth_first_shared_again,
    forest_shared,
    go_on,
    onto_own_path,
)
from everafter.search.parallel.swarm import SWARM, SWARM_RED
from everafter.search.space import ACCEPTING, GO_ON

GRAPHS = [graph for size in (1, 2) for graph in graphs_of(size)]
GRAPHS += random.Random(3).sample(list(graphs_of(3)), 1000) + [random_graph(seed) for seed in range(2000)]


def compare_stamps(program: Any = framework.Program) -> None:
    for seed, graph in enumerate(GRAPHS):
        compare_framework(graph, set(random.Random(seed).sample(range(3), seed % 2)), program)


def test_depth_first_search_visits_and_stamps_as_proved() -> None:
    compare_stamps()


FILE = "search/framework.vpr"
PLANTED: dict[str, Change] = {
    "the clock stands still": (FILE, "finish2 := finish[node := clock2]", "finish2 := finish[node := clock]"),
    "the last successor passed over": (FILE, "if (position == |listed|) {", "if (position + 1 >= |listed|) {"),
    "what is restricted is entered": (FILE, "      if (node in restricted) {", "      if (node in roots) {"),
}


@NEEDS_PROVERS
def test_mistakes_of_the_proved_search_are_noticed() -> None:
    assert unnoticed({"framework": PLANTED}, {"framework": lambda proved: compare_stamps(proved["Program"])}) == []


def test_a_worker_of_a_swarm_searches_as_proved() -> None:
    answers = sum(compare_swarm(graph) for graph in GRAPHS)
    assert 100 < answers < len(GRAPHS) - 100


def compare_all(search: SharedSearch) -> None:
    for graph in GRAPHS:
        compare_swarm(graph, lambda space: forest_shared(space, search))


def red_by(action: SharedHook, remove: SharedHook) -> SharedHook:
    """POST of a worker, with other hooks for its red search."""
    red = SWARM_RED._replace(action=action, remove=remove)
    return lambda space, depth, node: (
        depth_first_shared_again(space, depth, red) if space.colour[node] & ACCEPTING else GO_ON
    )


@pytest.mark.parametrize(
    "wrong",
    [
        SWARM._replace(remove=go_on),
        SWARM._replace(remove=onto_own_path),
        SWARM._replace(post=go_on),
        SWARM._replace(post=red_by(go_on, onto_own_path), remove=go_on),
    ],
    ids=["not early", "any cycle", "no red search", "only visited nodes"],
)
def test_a_worker_that_searches_otherwise_is_noticed(wrong: SharedSearch) -> None:
    with pytest.raises(AssertionError):
        compare_all(wrong)
