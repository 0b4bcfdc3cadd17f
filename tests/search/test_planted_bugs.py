"""Each planted bug is caught: by the sweep of small graphs if it gives a wrong answer, else by the edge counter."""

from __future__ import annotations

import random
from collections import Counter
from types import FunctionType
from typing import Any

import pytest
from oracles.search.definitions import (
    SmallGraph,
    all_graphs,
    has_accepting_cycle,
    has_generalised_cycle,
    random_generalised_graph,
    representatives,
)
from oracles.search.planted import FORGETFUL, WRONG_COUVREUR, WRONG_NESTED, WRONG_TARJAN

from everafter.search import ALGORITHMS, trimming
from everafter.search.components import TARJAN, TARJAN_COLUMNS
from everafter.search.framework import Search, forest, nothing
from everafter.search.generalised import COUVREUR, COUVREUR_COLUMNS
from everafter.search.nested import COURCOUBETIS, HOLZMANN, SCHWOON_ESPARZA, run
from everafter.search.space import ACCEPTING, ANSWERED, NO_STATE, RED, GeneralisedSpace, Space, Store


@pytest.fixture(scope="module")
def small_graphs() -> list[tuple[SmallGraph, bool]]:
    graphs = [*all_graphs(3), *(graph for _, graph in zip(range(8_000), representatives(all_graphs(4)), strict=False))]
    return [(graph, has_accepting_cycle(graph)) for graph in graphs]


def is_answered(search: Search, graph: SmallGraph) -> bool:
    """Whether the search answers, whatever its answer is worth."""
    space = Space(
        graph.initial(),
        graph.successors,
        lambda node: ACCEPTING if graph.is_accepting(node) else NO_STATE,
        columns=TARJAN_COLUMNS,
    )
    return forest(space, search) == ANSWERED


@pytest.mark.parametrize("bug", WRONG_NESTED | WRONG_TARJAN)
def test_a_wrong_search_gives_a_wrong_answer(bug: str, small_graphs: list[tuple[SmallGraph, bool]]) -> None:
    search = (WRONG_NESTED | WRONG_TARJAN)[bug]
    assert any(is_answered(search, graph) != expected for graph, expected in small_graphs)


@pytest.mark.parametrize("search", [COURCOUBETIS, HOLZMANN, SCHWOON_ESPARZA, TARJAN, FORGETFUL])
def test_a_right_search_does_not(search: Search, small_graphs: list[tuple[SmallGraph, bool]]) -> None:
    assert all(is_answered(search, graph) == expected for graph, expected in small_graphs)


def remove_with_one(space: Store, node: int, tail: int) -> int:
    """Take away a node that still has a predecessor."""
    space.predecessors[node] = max(space.predecessors[node] - 1, 0)
    return trimming.remove_if_first(space, node, tail)


def begin_with_one(space: Store, size: int) -> int:
    """Begin a round with the first accepting state only."""
    return min(trimming.begin_round(space, size), 1)


def begin_with_all(space: Store, size: int) -> int:
    """Begin a round with every active state."""
    trimming.begin_round(space, size)
    for position in range(size):
        space.queue[position] = space.component[position]
        space.colour[space.component[position]] |= RED
    return size


WRONG_OWCTY: dict[str, tuple[str, Any]] = {
    "edges to reached states not counted": ("ROUND", trimming.ROUND._replace(remove=nothing)),
    "nodes taken away too early": ("remove_if_first", remove_with_one),
    "one accepting state in each round": ("begin_round", begin_with_one),
    "every state taken for an accepting one": ("begin_round", begin_with_all),
}


def wrong_trimmed(graphs: list[tuple[SmallGraph, bool]], **wrong: Any) -> bool:
    """Whether the search answers wrongly somewhere, with some of its functions replaced."""
    kernel = FunctionType(trimming.search_owcty.__code__, {**vars(trimming), **wrong})
    if "remove_if_first" in wrong:
        for outer in (trimming.begin_removal, trimming.withdraw, trimming.remove_firsts):
            kernel.__globals__[outer.__name__] = FunctionType(outer.__code__, kernel.__globals__)
    for graph, expected in graphs:
        space = Space(
            graph.initial(),
            graph.successors,
            lambda node, graph=graph: ACCEPTING if graph.is_accepting(node) else NO_STATE,  # type: ignore[misc]
            columns=trimming.OWCTY_ALGORITHM.every_column,
        )
        if (kernel(space) == ANSWERED) != expected:
            return True
    return False


@pytest.mark.parametrize("bug", WRONG_OWCTY)
def test_wrong_trimming_gives_a_wrong_answer(bug: str, small_graphs: list[tuple[SmallGraph, bool]]) -> None:
    name, wrong = WRONG_OWCTY[bug]
    assert wrong_trimmed(small_graphs, **{name: wrong})


def test_right_trimming_does_not(small_graphs: list[tuple[SmallGraph, bool]]) -> None:
    assert not wrong_trimmed(small_graphs)


def wrong_generalised_answers(search: Search) -> int:
    rng = random.Random(5)
    wrong = 0
    for _ in range(2_000):
        graph = random_generalised_graph(rng)
        space = GeneralisedSpace(graph.initial(), graph.successors, graph.acceptance_sets, columns=COUVREUR_COLUMNS)
        wrong += (forest(space, search) == ANSWERED) != has_generalised_cycle(graph)
    return wrong


@pytest.mark.parametrize("bug", WRONG_COUVREUR)
def test_a_wrong_generalised_search_gives_a_wrong_answer(bug: str) -> None:
    assert wrong_generalised_answers(WRONG_COUVREUR[bug]) > 0


def test_a_right_generalised_search_does_not() -> None:
    assert wrong_generalised_answers(COUVREUR) == 0


class CountingGraph:
    """A graph that counts how often each state is expanded, and with it each of its edges explored."""

    def __init__(self, targets: list[list[int]], all_accepting: bool = True) -> None:
        self.targets = targets
        self.all_accepting = all_accepting
        self.expansions: Counter[int] = Counter()

    def initial(self) -> list[int]:
        return [0]

    def successors(self, state: int, /) -> list[int]:
        self.expansions[state] += 1
        return self.targets[state]

    def is_accepting(self, state: int, /) -> bool:
        return self.all_accepting or state == 0

    @property
    def most(self) -> int:
        return max(self.expansions.values())


DEPTH_FIRST = [name for name in ALGORITHMS if name != "owcty"]
LENGTH = 120
ADVERSARIES = {
    "chain": [[node + 1] for node in range(LENGTH - 1)] + [[]],
    "every node to every later one": [list(range(node + 1, LENGTH)) for node in range(LENGTH)],
    "chain, nearest last": [[*range(min(node + 9, LENGTH - 1), node, -1)] for node in range(LENGTH)],
    "chain into one tail": [[node + 1, LENGTH] if node < LENGTH - 1 else [LENGTH] for node in range(LENGTH)]
    + [[node + 1] for node in range(LENGTH, 2 * LENGTH - 1)]
    + [[]],
    "ladder": [[step for step in (node + 1, node + 2) if step < LENGTH] for node in range(LENGTH)],
}


@pytest.mark.parametrize("family", ADVERSARIES)
@pytest.mark.parametrize("name", DEPTH_FIRST)
def test_each_colour_explores_each_edge_at_most_once(family: str, name: str) -> None:
    graph = CountingGraph(ADVERSARIES[family], all_accepting=False)
    assert ALGORITHMS[name](graph, None) is None
    assert set(graph.expansions) == set(range(len(graph.targets)))
    assert graph.most == (1 if name in {"tarjan", "couvreur", "streett"} else 2)


@pytest.mark.parametrize("family", ADVERSARIES)
@pytest.mark.parametrize("name", DEPTH_FIRST)
def test_a_red_search_begins_with_the_successors_that_the_blue_one_has_left(family: str, name: str) -> None:
    graph = CountingGraph(ADVERSARIES[family])
    assert ALGORITHMS[name](graph, None) is None
    assert graph.most == 1


@pytest.mark.parametrize("family", ADVERSARIES)
def test_a_red_set_that_is_not_kept_is_caught_by_the_counter(family: str) -> None:
    graph = CountingGraph(ADVERSARIES[family])
    assert run(FORGETFUL, graph) is None
    assert graph.most > LENGTH // 2
