"""Reachability, cycles, components and orders agree with their definitions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.search.definitions import SmallGeneralisedGraph, SmallGraph, closure, reachable
from tests.search.strategies import graphs

from everafter.search import (
    CyclicGraphError,
    ExplicitGraph,
    Lasso,
    find_cycle,
    find_path,
    flaw,
    generalised_flaw,
    path_flaw,
    reachable_states,
    shortest_path,
    strongly_connected_components,
    topological_order,
)

MANY = settings(max_examples=400, deadline=None)


def distances(graph: SmallGraph) -> dict[int, int]:
    """The number of steps to each reachable node: relax every edge until nothing changes."""
    steps = dict.fromkeys(graph.starts, 0)
    for _ in graph.nodes:
        for node in list(steps):
            for target in graph.successors(node):
                steps[target] = min(steps.get(target, len(graph.nodes)), steps[node] + 1)
    return steps


@MANY
@given(graphs())
def test_reachable_states_are_the_reachable_ones_each_once(graph: SmallGraph) -> None:
    states = reachable_states(graph)
    assert len(states) == len(set(states))
    assert set(states) == reachable(graph)


@MANY
@given(graphs())
def test_a_path_is_found_exactly_if_a_target_is_reachable(graph: SmallGraph) -> None:
    path = find_path(graph, graph.is_accepting)
    assert (path is not None) == bool(reachable(graph) & graph.accepting)
    if path is not None:
        assert path_flaw(graph, path) is None
        assert path[-1] in graph.accepting


@MANY
@given(graphs())
def test_the_shortest_path_is_a_shortest_one(graph: SmallGraph) -> None:
    path = shortest_path(graph, graph.is_accepting)
    steps = [distance for node, distance in distances(graph).items() if node in graph.accepting]
    assert (None if path is None else len(path) - 1) == min(steps, default=None)
    if path is not None:
        assert path_flaw(graph, path) is None
        assert path[-1] in graph.accepting


@MANY
@given(graphs())
def test_a_cycle_is_found_exactly_if_there_is_one(graph: SmallGraph) -> None:
    everything = SmallGraph(graph.targets, frozenset(graph.nodes), graph.starts)
    after = closure(graph.targets)
    lasso = find_cycle(graph)
    assert (lasso is not None) == any(node in after[node] for node in reachable(graph))
    assert lasso is None or flaw(everything, lasso) is None


@MANY
@given(graphs())
def test_a_topological_order_puts_each_state_before_its_successors(graph: SmallGraph) -> None:
    forward = SmallGraph(
        [[target for target in row if target > node] for node, row in enumerate(graph.targets)], starts=graph.starts
    )
    order = topological_order(forward)
    assert set(order) == reachable(forward)
    for node in order:
        assert all(order.index(target) > order.index(node) for target in forward.successors(node))


def test_a_cyclic_graph_has_no_topological_order() -> None:
    with pytest.raises(CyclicGraphError, match="cycle of 2 states") as caught:
        topological_order(ExplicitGraph({"a": ["b"], "b": ["c"], "c": ["b"]}, ["a"]))
    assert caught.value.lasso == Lasso(("a",), ("b", "c"))


@MANY
@given(graphs())
def test_components_are_the_states_that_reach_each_other(graph: SmallGraph) -> None:
    after = closure(graph.targets)
    components = strongly_connected_components(graph)
    expected = {
        frozenset({node} | {other for other in after[node] if node in after[other]}) for node in reachable(graph)
    }
    assert len(components) == len(expected)
    assert set(map(frozenset, components)) == expected
    for earlier, later in pairwise(components):
        assert later[0] not in after[earlier[0]] or earlier[0] in after[later[0]]


GRAPH = ExplicitGraph({"a": ["b"], "b": ["c"], "c": ["b", "d"]}, ["a"], {"c"})


def test_a_state_without_edges_has_no_successors() -> None:
    assert reachable_states(GRAPH) == ("a", "b", "c", "d")


@pytest.mark.parametrize(
    ("lasso", "reason"),
    [
        (Lasso(("a",), ("b", "c")), None),
        (Lasso(("b",), ("c", "b")), "'b' is not initial"),
        (Lasso(("a",), ("c", "b")), "'c' does not follow 'a'"),
        (Lasso(("a",), ("b", "c", "d")), "'b' does not follow 'd'"),
        (Lasso(("a", "b", "c"), ("d",)), "no state of the cycle is accepting"),
    ],
)
def test_a_lasso_that_is_no_accepting_run_has_a_flaw(lasso: Lasso[str], reason: str | None) -> None:
    assert flaw(GRAPH, lasso) == reason


@pytest.mark.parametrize(
    ("lasso", "reason"),
    [
        (Lasso((0,), (1, 2)), None),
        (Lasso((0,), (1,)), "the cycle takes no transition of acceptance set 1"),
        (Lasso((1,), (2, 1)), "1 is not initial"),
        (Lasso((0,), (2, 1)), "2 does not follow 0"),
    ],
)
def test_a_generalised_lasso_counts_parallel_transitions_together(lasso: Lasso[int], reason: str | None) -> None:
    graph = SmallGeneralisedGraph([[(3, 1)], [(1, 2), (2, 2), (1, 1)], [(0, 1)]], 2)
    assert generalised_flaw(graph, lasso) == reason


def test_no_states_are_no_path() -> None:
    assert path_flaw(GRAPH, ()) == "a path has at least one state"


def test_a_lasso_repeats_something() -> None:
    with pytest.raises(ValueError, match="at least one state"):
        Lasso(("a",), ())


@pytest.mark.parametrize(
    ("lasso", "folded"),
    [
        (Lasso((), (1,)), Lasso((), (1,))),
        (Lasso((0,), (1, 2)), Lasso((0,), (1, 2))),
        (Lasso((2,), (1, 2)), Lasso((), (2, 1))),
        (Lasso((0, 1), (2, 3, 1)), Lasso((0,), (1, 2, 3))),
        (Lasso((0, 1, 1, 1), (1,)), Lasso((0,), (1,))),
        (Lasso((1, 2, 1, 2, 1), (2, 1)), Lasso((), (1, 2))),
        (Lasso((7, 3, 1, 2, 3), (1, 2, 3)), Lasso((7,), (3, 1, 2))),
    ],
)
def test_a_folded_lasso_is_the_same_run_with_the_shortest_prefix(lasso: Lasso[int], folded: Lasso[int]) -> None:
    assert lasso.folded() == folded


@given(st.lists(st.integers(0, 2), max_size=6), st.lists(st.integers(0, 2), min_size=1, max_size=4))
def test_folding_keeps_the_run(prefix: list[int], cycle: list[int]) -> None:
    lasso = Lasso(tuple(prefix), tuple(cycle))
    folded = lasso.folded()
    assert _start_of_run(folded) == _start_of_run(lasso)
    assert folded.folded() == folded


def _start_of_run(lasso: Lasso[int]) -> tuple[int, ...]:
    """Enough of the run to know all of it: two lassos of these sizes that agree so far agree for ever."""
    return (lasso.prefix + lasso.cycle * 30)[:30]


def test_a_lasso_names_its_steps() -> None:
    lasso = Lasso(("a",), ("b", "c"))
    assert list(lasso.steps()) == [("a", "b"), ("b", "c"), ("c", "b")]
    assert list(lasso.cycle_steps()) == [("b", "c"), ("c", "b")]
    assert lasso.states() == ("a", "b", "c")
    assert len(lasso) == 3
