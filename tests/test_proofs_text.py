"""The text that runs does what the proved text does: the same answers, the same colours, the same time stamps."""

import random
from collections.abc import Callable

import pytest
from oracles.search.proved import (
    NESTED,
    compare_framework,
    compare_nested,
    graphs_of,
    random_graph,
    successors_of,
)
from proofs.transcribed import Wish, subdfs

from everafter.search import find_way_into
from everafter.search.nested import search_schwoon_esparza
from everafter.search.space import Store

GRAPHS = [graph for size in (1, 2) for graph in graphs_of(size)]
GRAPHS += random.Random(3).sample(list(graphs_of(3)), 1000) + [random_graph(seed) for seed in range(2000)]


def test_depth_first_search_visits_and_stamps_as_proved() -> None:
    for seed, graph in enumerate(GRAPHS):
        compare_framework(graph, set(random.Random(seed).sample(range(3), seed % 2)))


@pytest.mark.parametrize(("kernel", "early", "wish"), NESTED)
def test_nested_search_answers_as_proved(kernel: Callable[[Store], int], early: bool, wish: Wish) -> None:
    answers = sum(compare_nested(graph, kernel, early, wish) for graph in GRAPHS)
    assert 100 < answers < len(GRAPHS) - 100


def test_way_into_is_found_as_proved() -> None:
    for seed, graph in enumerate(GRAPHS):
        draw = random.Random(seed)
        target, shut = set(draw.sample(range(4), 1)), set(draw.sample(range(4), draw.randint(0, 2)))
        found = subdfs(successors_of(graph), 0, target, shut, set())
        way = find_way_into(graph.successors, 0, target.__contains__, shut.__contains__)
        assert way == (None if found is None else (*found[0], found[1]))


def compare_all(early: bool, wish: Wish) -> None:
    for graph in GRAPHS:
        compare_nested(graph, search_schwoon_esparza, early, wish)


@pytest.mark.parametrize(
    ("early", "wish"), [(True, lambda _stack: set()), (False, set)], ids=["seed only", "not early"]
)
def test_a_difference_is_noticed(early: bool, wish: Wish) -> None:
    """If another text had been proved, the comparison would tell."""
    with pytest.raises(AssertionError):
        compare_all(early, wish)
