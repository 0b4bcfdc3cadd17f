"""The text that runs beside the text that is proved: the same answers, the same colours, the same time stamps.

Every comparison raises AssertionError if the two differ.
"""

import random
from collections.abc import Callable, Iterator
from itertools import product

from proofs.transcribed import Framework, Nested, Wish

from everafter.search import ExplicitGraph, Hooks, explore
from everafter.search.nested import search_courcoubetis, search_holzmann, search_schwoon_esparza
from everafter.search.space import ACCEPTING, DISCOVERED, NO_STATE, RED, Space, Store

Graph = ExplicitGraph[int]


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


def behind_acceptance(graph: Graph) -> set[int]:
    """The accepting states, and all that they lead to."""
    found: set[int] = set()
    more = set(graph.accepting)
    while more:
        found |= more
        more = {target for state in more for target in graph.successors(state)} - found
    return found
