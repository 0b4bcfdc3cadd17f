"""The text that runs does what the proved text does: the same answers, the same colours, the same time stamps."""

import random
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from proofs.transcribed import Alone, AloneOrdering, AloneSharing, Framework, Nested, Tarjan, Wish, subdfs
from tests.search.parallel.planted import with_other

from everafter.search import ExplicitGraph, Hooks, explore, find_way_into
from everafter.search.catalogue import TEAM
from everafter.search.components import TARJAN_COLUMNS, search_tarjan
from everafter.search.framework import TOGETHER
from everafter.search.nested import search_courcoubetis, search_holzmann, search_schwoon_esparza
from everafter.search.parallel.acyclic import BASE, search_acyclic
from everafter.search.parallel.run import run_workers
from everafter.search.parallel.space import ORDERED, PINK, SharedStore
from everafter.search.parallel.table import worker_spaces
from everafter.search.space import (
    ACCEPTING,
    ACTIVE,
    ANSWERED,
    COMPLETED,
    DISCOVERED,
    NO_STATE,
    ON_PATH,
    RED,
    UNDECIDED,
    Space,
    Store,
)

Graph = ExplicitGraph[int]
IN_BATCHES = with_other(ALONE=0)


def graphs_of(size: int) -> Iterator[Graph]:
    """Every graph with so many states, and every set of accepting states; state 0 is initial."""
    pairs = list(product(range(size), repeat=2))
    for chosen in product([False, True], repeat=len(pairs)):
        edges = {s: [t for (a, t), taken in zip(pairs, chosen, strict=True) if taken and a == s] for s in range(size)}
        for marks in product([False, True], repeat=size):
            yield ExplicitGraph(edges, [0], [s for s in range(size) if marks[s]])


def random_graph(seed: int) -> Graph:
    """A graph in which successors come in any order and more than once; one or more states are initial."""
    draw = random.Random(seed)
    size = draw.randint(3, 8)
    edges = {s: draw.choices(range(size), k=draw.choice((0, 1, 2, 2, 3))) for s in range(size)}
    initial = draw.sample(range(size), draw.choice((1, 1, 2)))
    return ExplicitGraph(edges, initial, draw.sample(range(size), draw.randint(0, 3)))


def wide_graph(seed: int) -> Graph:
    """A graph with more states than are expanded together, few of them accepting."""
    draw = random.Random(seed)
    edges = {s: draw.choices(range(80), k=draw.choice((0, 2, 4, 8))) for s in range(80)}
    return ExplicitGraph(edges, [0, 1, 2, 3], draw.sample(range(80), seed % 3))


GRAPHS = [graph for size in (1, 2) for graph in graphs_of(size)]
GRAPHS += random.Random(3).sample(list(graphs_of(3)), 1000) + [random_graph(seed) for seed in range(2000)]


def successors_of(graph: Graph) -> Callable[[int], list[int]]:
    return lambda state: list(graph.successors(state))


def with_bit(states: list[int], colour: object, bit: int) -> set[int]:
    assert isinstance(colour, bytearray)
    return {state for state, bits in zip(states, colour, strict=False) if bits & bit}


NESTED: list[tuple[Callable[[Store], int], bool, Wish]] = [
    (search_courcoubetis, False, lambda _stack: set()),
    (search_holzmann, False, set),
    (search_schwoon_esparza, True, set),
]
PARALLEL = [
    ("pndfs", False, False),
    ("pndfs-early", True, False),
    ("pndfs-all-red", False, True),
    ("pndfs-early-all-red", True, True),
]


def compare_framework(graph: Graph, restricted: set[int]) -> None:
    """The same states visited, at the same times."""
    proved = Framework(successors_of(graph), restricted)
    proved.forest(list(graph.starts))
    hooks: Hooks[int, None] = Hooks(restrict=restricted.__contains__)
    running = explore(graph, hooks, times=True)
    assert running.completed
    assert running.discovery == proved.discovery
    assert running.finish == proved.finish


def compare_nested(graph: Graph, kernel: Callable[[Store], int], early: bool, wish: Wish) -> bool:
    """The same answer, and the same colours. Whether there is one."""
    proved = Nested(successors_of(graph), set(graph.accepting), early, wish)
    found = proved.nested_dfs(list(graph.starts))
    space = Space(graph.initial(), graph.successors, lambda s: ACCEPTING if graph.is_accepting(s) else NO_STATE)
    assert space.answered(kernel(space)) == (found is not None)
    assert with_bit(space.states, space.colour, DISCOVERED) == proved.visited
    assert with_bit(space.states, space.colour, RED) == proved.red
    if found is not None:
        run, entry = found
        assert list(space.found_path()) == [*run, run[entry]]
    return found is not None


def compare_tarjan(graph: Graph, text: type[Tarjan] = Tarjan) -> bool:
    """The same answer, and the same columns and sets. Whether there is one."""
    proved = text(successors_of(graph), set(graph.accepting))
    found = proved.tarjan(list(graph.starts))
    space = Space(
        graph.initial(),
        graph.successors,
        lambda s: ACCEPTING if graph.is_accepting(s) else NO_STATE,
        columns=TARJAN_COLUMNS,
    )
    assert space.answered(search_tarjan(space)) == (found is not None)
    assert with_bit(space.states, space.colour, DISCOVERED) == proved.visited
    assert with_bit(space.states, space.colour, ACTIVE) == proved.active
    assert space.named(space.component[: space.component_height[0]]) == tuple(proved.component)
    assert all(space.discovery[space.index[state]] == time for state, time in proved.discovery.items())
    if found is not None:
        last, node = found
        depth = space.found[0]
        assert list(space.found_path()) == [*proved.stack, node]
        assert list(space.low[: depth + 1]) == [proved.discovery[state] for state in proved.lowest]
        assert list(space.latest[: depth + 1]) == proved.latest
        assert proved.discovery[last] == space.latest[depth]
    return found is not None


def compare_alone(graph: Graph, name: str, early: bool, redden: bool) -> None:
    """The same answer and colours of a worker that is alone."""
    proved = Alone(successors_of(graph), set(graph.accepting), early, redden)
    found = proved.work(list(graph.starts))
    spaces = worker_spaces(graph, 1)
    outcomes = run_workers(TEAM[name].kernel, spaces)
    assert (outcomes == [ANSWERED]) == found
    states, own = spaces[0].states, spaces[0].own
    assert with_bit(states, spaces[0].colour, RED) == proved.red
    assert with_bit(states, own, ON_PATH) == proved.cyan
    assert with_bit(states, own, DISCOVERED) == proved.cyan | proved.blue


def compare_alone_sharing(graph: Graph) -> bool:
    """The same answer and colours of a worker of CNDFS that is alone. Whether something is red in the end."""
    proved = AloneSharing(successors_of(graph), set(graph.accepting))
    found = proved.work(list(graph.starts))
    cndfs = TEAM["cndfs"]
    spaces = worker_spaces(graph, 1, cndfs.columns)
    outcomes = run_workers(cndfs.kernel, spaces)
    assert (outcomes == [ANSWERED]) == found
    states, own, colour = spaces[0].states, spaces[0].own, spaces[0].colour
    assert with_bit(states, colour, DISCOVERED) == proved.blue
    assert with_bit(states, colour, RED) == proved.red
    assert with_bit(states, own, ON_PATH) == proved.cyan
    assert with_bit(states, own, PINK) == proved.gathered
    return bool(proved.red)


def behind_acceptance(graph: Graph) -> set[int]:
    """The accepting states, and all that they lead to."""
    found: set[int] = set()
    more = set(graph.accepting)
    while more:
        found |= more
        more = {target for state in more for target in graph.successors(state)} - found
    return found


def compare_alone_ordering(graph: Graph, ordered: set[int], text: type[AloneOrdering] = AloneOrdering) -> int:
    """The same outcome, colours and path of a worker of the search for any cycle that is alone. What it comes to.

    Compared as it begins, with one free state at a time, and as it goes on, with many.
    """
    compare_as(graph, ordered, text, search_acyclic, 1)
    return compare_as(graph, ordered, text, IN_BATCHES, TOGETHER)


def compare_as(
    graph: Graph, ordered: set[int], text: type[AloneOrdering], kernel: Callable[[SharedStore], int], together: int
) -> int:
    """The same, with so many free states at a time."""
    proved = text(successors_of(graph), set(graph.accepting), ordered, together)
    outcome = proved.work(list(graph.starts))
    [space] = worker_spaces(graph, 1, TEAM["acyclic"].columns)
    for state in range(len(graph.edges)):
        node = space.number(state)
        space.colour[node] = space.colour[node] & ~ORDERED | (ORDERED if state in ordered else 0)
    assert run_workers(kernel, [space]) == [outcome]
    assert with_bit(space.states, space.colour, DISCOVERED) == proved.discovered
    assert with_bit(space.states, space.own, ON_PATH) == set(proved.path)
    if outcome == ANSWERED:
        assert space.named(space.stack[BASE : space.found[0] + 1]) == tuple(proved.path)
    return outcome


def test_depth_first_search_visits_and_stamps_as_proved() -> None:
    for seed, graph in enumerate(GRAPHS):
        compare_framework(graph, set(random.Random(seed).sample(range(3), seed % 2)))


@pytest.mark.parametrize(("kernel", "early", "wish"), NESTED)
def test_nested_search_answers_as_proved(kernel: Callable[[Store], int], early: bool, wish: Wish) -> None:
    answers = sum(compare_nested(graph, kernel, early, wish) for graph in GRAPHS)
    assert 100 < answers < len(GRAPHS) - 100


def test_components_are_searched_as_proved() -> None:
    answers = sum(compare_tarjan(graph) for graph in GRAPHS)
    assert 100 < answers < len(GRAPHS) - 100


def test_way_into_is_found_as_proved() -> None:
    for seed, graph in enumerate(GRAPHS):
        draw = random.Random(seed)
        target, shut = set(draw.sample(range(4), 1)), set(draw.sample(range(4), draw.randint(0, 2)))
        found = subdfs(successors_of(graph), 0, target, shut, set())
        way = find_way_into(graph.successors, 0, target.__contains__, shut.__contains__)
        assert way == (None if found is None else (*found[0], found[1]))


@pytest.mark.parametrize(("name", "early", "redden"), PARALLEL)
def test_worker_alone_colours_as_proved(name: str, early: bool, redden: bool) -> None:
    for graph in GRAPHS[::4]:
        compare_alone(graph, name, early, redden)


def test_worker_of_cndfs_alone_colours_as_proved() -> None:
    reddened = sum(compare_alone_sharing(graph) for graph in GRAPHS)
    assert 100 < reddened < len(GRAPHS) - 100


def compare_all_ordering(text: type[AloneOrdering] = AloneOrdering) -> list[int]:
    """With what is behind acceptance ordered, and with any states."""
    draw = random.Random(7)
    graphs = [*GRAPHS, *map(wide_graph, range(50))]
    any_set = [set(draw.sample(range(9), draw.randint(0, 9))) for _ in graphs]
    outcomes = [compare_alone_ordering(graph, behind_acceptance(graph), text) for graph in graphs]
    return outcomes + [compare_alone_ordering(graph, each, text) for graph, each in zip(graphs, any_set, strict=True)]


def test_worker_of_the_search_for_any_cycle_alone_colours_as_proved() -> None:
    outcomes = compare_all_ordering()
    assert all(outcomes.count(outcome) > 100 for outcome in (COMPLETED, ANSWERED, UNDECIDED))


class DiscoveredWhenEntered(AloneOrdering):
    def search_ordered(self, s: int) -> int:
        self.discovered.add(s)
        return super().search_ordered(s)


class AllTogether(AloneOrdering):
    def expand_free(self) -> int:
        self.together = len(self.owed)
        return super().expand_free()


@pytest.mark.parametrize("text", [DiscoveredWhenEntered, AllTogether])
def test_a_difference_of_the_search_for_any_cycle_is_noticed(text: type[AloneOrdering]) -> None:
    with pytest.raises(AssertionError):
        compare_all_ordering(text)


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


class LowPointForgotten(Tarjan):
    def lower(self, i: int, node: int) -> None:
        """Leave the low point as it is."""


class OnlyTheLastTaken(Tarjan):
    def complete(self, node: int) -> None:
        self.active.remove(self.component.pop())


def compare_all_tarjan(text: type[Tarjan]) -> None:
    for graph in GRAPHS:
        compare_tarjan(graph, text)


@pytest.mark.parametrize("text", [LowPointForgotten, OnlyTheLastTaken])
def test_a_difference_of_components_is_noticed(text: type[Tarjan]) -> None:
    with pytest.raises(AssertionError):
        compare_all_tarjan(text)
