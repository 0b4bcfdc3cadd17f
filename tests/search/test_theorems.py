"""The theorems of the paper on depth-first search, as properties of recorded searches of random graphs.

Neumann 2012, sections 2.2 and 3; Cormen et al., Introduction to Algorithms, third edition, pages 606-608. R is a set of
nodes that the search must not enter.
"""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.search.definitions import SmallGraph, closure, has_accepting_cycle, reachable
from tests.search.strategies import graphs, graphs_and_nodes

from everafter.search import Exploration, Hooks, View, explore, find_way_into, flaw
from everafter.search.framework import Search, depth_first_again
from everafter.search.nested import RED_TO_SEED, run
from everafter.search.space import ACCEPTING, DISCOVERED, GO_ON, ON_PATH, TARGET, Store

MANY = settings(max_examples=400, deadline=None)
SearchCase = tuple[SmallGraph, frozenset[int]]


class Recorder:
    """Hooks that note the tree of the search and answer at a chosen call, if at all."""

    def __init__(self, graph: SmallGraph, restricted: frozenset[int], answer_at: int | None = None) -> None:
        self.graph = graph
        self.parent: dict[int, int | None] = {}
        self.post_order: list[int] = []
        self.removed: list[tuple[int, int]] = []
        self.calls = 0
        self.answer_at = answer_at
        self.hooks = Hooks(self.action, self.remove, self.post, restricted.__contains__)

    def answer(self, view: View[int]) -> str | None:
        """Check the path that the hook sees, and answer if it is time to."""
        for source, target in pairwise(view.path):
            assert target in self.graph.successors(source)
        assert len(set(view.path)) == len(view.path)
        assert {node for node in self.graph.nodes if view.is_on_path(node)} == set(view.path)
        self.calls += 1
        return "enough" if self.calls == self.answer_at else None

    def action(self, view: View[int], node: int) -> str | None:
        assert not view.is_discovered(node)
        self.parent[node] = view.head if view.path else None
        return self.answer(view)

    def remove(self, view: View[int], node: int) -> str | None:
        assert view.is_discovered(node)
        self.removed.append((view.head, node))
        return self.answer(view)

    def post(self, view: View[int], node: int) -> str | None:
        assert view.head == node
        self.post_order.append(node)
        return self.answer(view)

    def is_descendant(self, node: int | None, ancestor: int) -> bool:
        """Whether the node is below the ancestor in the tree of the search, or the ancestor itself."""
        while node is not None and node != ancestor:
            node = self.parent[node]
        return node == ancestor


def recorded(case: SearchCase) -> tuple[Recorder, Exploration[int, str]]:
    recorder = Recorder(*case)
    return recorder, explore(case[0], recorder.hooks, times=True)


@MANY
@given(graphs_and_nodes())
def test_a_completed_search_has_finished_what_is_reachable_outside_r(case: SearchCase) -> None:
    recorder, done = recorded(case)
    assert done.completed
    assert done.path == ()
    assert set(done.finish) == set(done.discovery) == reachable(*case)
    assert sorted(done.finish, key=done.finish.__getitem__) == recorder.post_order


@MANY
@given(graphs_and_nodes(), st.integers(1, 12))
def test_a_search_that_a_hook_ends_has_finished_only_reachable_nodes(case: SearchCase, answer_at: int) -> None:
    recorder = Recorder(*case, answer_at)
    done = explore(case[0], recorder.hooks, times=True)
    assert done.completed == (recorder.calls < answer_at)
    assert (done.answer == "enough") == (recorder.calls == answer_at)
    assert recorder.calls <= answer_at
    assert set(done.finish) <= set(done.discovery) <= reachable(*case)


@MANY
@given(graphs_and_nodes())
def test_every_edge_outside_r_is_explored_once(case: SearchCase) -> None:
    graph, restricted = case
    recorder, done = recorded(case)
    explored = recorder.removed + [(parent, node) for node, parent in recorder.parent.items() if parent is not None]
    edges = [(node, target) for node in done.finish for target in graph.successors(node) if target not in restricted]
    assert sorted(explored) == sorted(edges)


@MANY
@given(graphs_and_nodes())
def test_nodes_that_do_not_reach_each_other_have_disjoint_intervals(case: SearchCase) -> None:
    _, done = recorded(case)
    after = closure(case[0].targets, case[1])
    for one, other in combinations(done.finish, 2):
        if other not in after[one] and one not in after[other]:
            assert done.discovery[other] > done.finish[one] or done.finish[other] < done.discovery[one]


@MANY
@given(graphs_and_nodes())
def test_parenthesis_theorem(case: SearchCase) -> None:
    """Two intervals are disjoint, or one contains the other; it does so exactly for a descendant in the tree."""
    recorder, done = recorded(case)
    stamps = sorted([*done.discovery.values(), *done.finish.values()])
    assert stamps == list(range(1, 2 * len(done.finish) + 1))
    for one in done.finish:
        for other in done.finish:
            inside = done.discovery[one] <= done.discovery[other] < done.finish[other] <= done.finish[one]
            apart = done.finish[one] < done.discovery[other] or done.finish[other] < done.discovery[one]
            contains = done.discovery[other] <= done.discovery[one] < done.finish[one] <= done.finish[other]
            assert inside or apart or contains
            assert inside == recorder.is_descendant(other, one)


@MANY
@given(graphs_and_nodes())
def test_white_path_theorem(case: SearchCase) -> None:
    """A node is a descendant exactly if a path of undiscovered nodes led to it when its ancestor was discovered."""
    graph, restricted = case
    recorder, done = recorded(case)
    for ancestor in done.finish:
        not_white = {node for node in done.discovery if done.discovery[node] <= done.discovery[ancestor]}
        below = closure(graph.targets, restricted | not_white)[ancestor]
        for node in done.finish:
            assert recorder.is_descendant(node, ancestor) == (node == ancestor or node in below)


def red_search_to_some(space: Store, depth: int, node: int) -> int:
    """POST of NESTEDDFS M for an M that is neither {head} nor the stack: the head, and each node of even number."""
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    chosen = [each for each in space.stack[: depth + 1] if each % 2 == 0 or each == node]
    for each in chosen:
        space.colour[each] |= TARGET
    outcome = depth_first_again(space, depth, RED_TO_SEED)
    for each in chosen:
        space.colour[each] &= ~TARGET
    return outcome


@MANY
@given(graphs())
def test_nested_dfs_is_correct_for_any_m_between_the_head_and_the_stack(graph: SmallGraph) -> None:
    lasso = run(Search(DISCOVERED, ON_PATH, post=red_search_to_some), graph)
    assert (lasso is not None) == has_accepting_cycle(graph)
    assert lasso is None or flaw(graph, lasso) is None


@MANY
@given(graphs_and_nodes(), st.data())
def test_subdfs_finds_a_path_exactly_if_there_is_one(case: SearchCase, data: st.DataObject) -> None:
    graph, restricted = case
    start = data.draw(st.sampled_from(graph.nodes))
    path = find_way_into(graph.successors, start, graph.is_accepting, restricted.__contains__)
    assert (path is not None) == bool(closure(graph.targets, restricted)[start] & graph.accepting)
    if path is not None:
        assert path[0] == start
        assert len(path) > 1
        assert path[-1] in graph.accepting
        assert restricted.isdisjoint(path[1:])
        assert all(target in graph.successors(source) for source, target in pairwise(path))
