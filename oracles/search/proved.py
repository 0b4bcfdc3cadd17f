"""The text that runs beside the text that is proved: the same answers, the same colours, the same time stamps.

Every comparison raises AssertionError if the two differ.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from everafter.search import ExplicitGraph, Hooks, explore
from everafter.search.nested import search_schwoon_esparza
from everafter.search.parallel.space import PINK, SharedStore
from everafter.search.parallel.swarm import search_swarm
from everafter.search.parallel.table import worker_spaces
from everafter.search.space import ACCEPTING, DISCOVERED, NO_STATE, RED, Space
from oracles.proved import framework

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


def with_bit(states: list[int], colour: object, bit: int) -> set[int]:
    assert isinstance(colour, bytearray)
    return {state for state, bits in zip(states, colour, strict=False) if bits & bit}


def compare_framework(graph: Graph, restricted: set[int], program: Any = framework.Program) -> None:
    """The same states visited, at the same times, where hooks go on."""
    proved = program(anything=lambda _: True, successors=lambda state: tuple(graph.successors(state)))
    zeros = (0,) * len(graph.edges)
    completed, _, _, _, discovery, finish, *_ = proved.forest(tuple(graph.starts), frozenset(restricted), zeros)
    hooks: Hooks[int, None] = Hooks(restrict=restricted.__contains__)
    running = explore(graph, hooks, times=True)
    assert running.completed == completed
    assert running.discovery == stamped(discovery)
    assert running.finish == stamped(finish)


def stamped(times: tuple[int, ...]) -> dict[int, int]:
    """The states that have a time."""
    return {state: time for state, time in enumerate(times) if time}


class Recorded(ExplicitGraph[int]):
    """The same graph, which remembers what it is asked."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph.edges, graph.starts, graph.accepting)
        self.asked: list[int] = []

    def successors(self, state: int) -> Iterable[int]:
        self.asked.append(state)
        return super().successors(state)


def compare_swarm(graph: Graph, kernel: Callable[[SharedStore], int] = search_swarm) -> bool:
    """A worker that is not told to stop does what the search alone does, which is proved. Whether there is an answer.

    The same states expanded in the same order, the same answer, and the same colours.
    """
    alone, worker = Recorded(graph), Recorded(graph)
    space = Space(alone.initial(), alone.successors, lambda s: ACCEPTING if alone.is_accepting(s) else NO_STATE)
    [own] = worker_spaces(worker, 1)
    answered = space.answered(search_schwoon_esparza(space))
    assert own.answered(kernel(own)) == answered
    assert worker.asked == alone.asked
    assert with_bit(own.states, own.own, DISCOVERED) == with_bit(space.states, space.colour, DISCOVERED)
    assert with_bit(own.states, own.own, PINK) == with_bit(space.states, space.colour, RED)
    if answered:
        assert list(own.found_path()) == list(space.found_path())
    return answered


def behind_acceptance(graph: Graph) -> set[int]:
    """The accepting states, and all that they lead to."""
    found: set[int] = set()
    more = set(graph.accepting)
    while more:
        found |= more
        more = {target for state in more for target in graph.successors(state)} - found
    return found
