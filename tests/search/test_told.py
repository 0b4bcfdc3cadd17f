"""Accepting cycles where each edge is told of, wave by wave and in any order: on all small graphs."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from oracles.search.definitions import SmallGraph, all_graphs, has_accepting_cycle, representatives

from everafter.search import trimming
from everafter.search.lasso import Lasso
from everafter.search.space import ACCEPTING, NO_STATE, ON_PATH, RED, Space, Store

Follow = Callable[[Any, int, int, int], int]


@pytest.fixture(scope="module")
def small_graphs() -> list[tuple[SmallGraph, bool]]:
    graphs = [*all_graphs(3), *(graph for _, graph in zip(range(4_000), representatives(all_graphs(4)), strict=False))]
    return [(graph, has_accepting_cycle(graph)) for graph in graphs]


def space_of(graph: SmallGraph) -> Space[int]:
    """The store of all reachable states, which are active."""
    space = Space(
        graph.initial(),
        graph.successors,
        lambda node: ACCEPTING if graph.is_accepting(node) else NO_STATE,
        columns=trimming.OWCTY_ALGORITHM.every_column,
    )
    trimming.explore_everything(space)
    return space


def spread(space: Space[int], tail: int, follow: Follow, rng: random.Random) -> None:
    """Follow the edges of those in the queue, wave by wave; all edges of a wave in some order."""
    head = 0
    while head < tail:
        edges = []
        for position in range(head, tail):
            source = space.queue[position]
            edges += [(source, space.index[to]) for to in space.successors(space.states[source])]
        head = tail
        rng.shuffle(edges)
        for source, node in edges:
            tail = follow(space, source, node, tail)


def trimmed(space: Space[int], rng: random.Random, text: dict[str, Any]) -> int:
    """How many states stay when no round takes one away."""
    size, before = space.component_height[0], -1
    while size != before:
        before = size
        spread(space, text["begin_round"](space, size), text["arrive"], rng)
        size = text["keep_reached"](space, size)
        spread(space, text["begin_removal"](space, size), lambda of, _, node, end: text["withdraw"](of, node, end), rng)
        size = text["keep_active"](space, size)
    return size


def is_right(graph: SmallGraph, expected: bool, rng: random.Random, text: dict[str, Any]) -> bool:
    return (trimmed(space_of(graph), rng, text) > 0) == expected


def test_told_of_every_edge_it_finds_what_there_is(small_graphs: list[tuple[SmallGraph, bool]]) -> None:
    rng = random.Random(1)
    assert all(is_right(graph, expected, rng, vars(trimming)) for graph, expected in small_graphs)


def test_what_is_left_leads_back_into_a_cycle_and_the_stem_to_it(small_graphs: list[tuple[SmallGraph, bool]]) -> None:
    rng = random.Random(2)
    for graph, expected in small_graphs:
        space = space_of(graph)
        if not trimmed(space, rng, vars(trimming)):
            continue
        assert expected
        trimming.write_cycle(space, space.component[0])
        cycle = [space.component[position] for position in range(space.component_height[0])][::-1]
        tail = 0
        for start in space.initial:
            tail = trimming.discover(space, -1, start, tail)
        spread(space, tail, trimming.discover, rng)
        assert all(colour & ON_PATH for colour in space.colour)
        stem = [cycle[0]]
        while space.parent[stem[-1]] >= 0:
            stem.append(space.parent[stem[-1]])
        lasso = Lasso(space.named(stem[:0:-1]), space.named(cycle))
        assert any(graph.is_accepting(state) for state in lasso.cycle)
        states = (*lasso.prefix, *lasso.cycle, lasso.cycle[0])
        assert all(after in graph.successors(before) for before, after in pairwise(states))
        assert states[0] in graph.initial()


def once(space: Store, source: int, node: int, tail: int) -> int:
    """An edge to a state that was reached before is not counted."""
    return tail if space.colour[node] & RED else trimming.arrive(space, source, node, tail)


def no_further(space: Store, source: int, node: int, tail: int) -> int:
    """A state that is reached does not tell of its own edges."""
    trimming.arrive(space, source, node, tail)
    return tail


def too_early(space: Store, node: int, tail: int) -> int:
    """A state leaves with the first of its predecessors."""
    space.predecessors[node] = 1
    return trimming.withdraw(space, node, tail)


@pytest.mark.parametrize(("name", "wrong"), [("arrive", once), ("arrive", no_further), ("withdraw", too_early)])
def test_a_planted_mistake_gives_a_wrong_answer(
    name: str, wrong: Any, small_graphs: list[tuple[SmallGraph, bool]]
) -> None:
    rng = random.Random(3)
    text = {**vars(trimming), name: wrong}
    assert not all(is_right(graph, expected, rng, text) for graph, expected in small_graphs)
