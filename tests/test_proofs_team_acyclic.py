"""Workers of the search for any cycle access what they share as the proved machine does, whatever they read."""

import random
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from oracles.search.cycle_machines import MODES, Machines, compare_acyclic
from oracles.search.machines import Kernel
from oracles.search.parallel.planted import search_acyclic_marked, search_acyclic_open, with_other
from oracles.search.proved import Graph, behind_acceptance, random_graph
from proofs import searching_for_cycle as proved
from proofs.searching_for_cycle import SearchingForCycle

from everafter.search import ExplicitGraph
from everafter.search.parallel.acyclic import ACYCLIC
from everafter.search.parallel.space import ORDERED, SharedStore, colour_shared
from everafter.search.parallel.stepwise import Request
from everafter.search.space import ANSWERED, COMPLETED, DISCOVERED, GO_ON, STOPPED, UNDECIDED


def wide_graph(seed: int) -> Graph:
    """A graph with more free states than are expanded together, and few accepting ones."""
    draw = random.Random(seed)
    edges = {s: draw.choices(range(90), k=draw.choice((0, 2, 4, 8))) for s in range(60)}
    edges |= {s: draw.choices(range(s, 90), k=draw.choice((0, 1))) for s in range(60, 90)}
    return ExplicitGraph(edges, [0, 1, 2, 3], draw.sample(range(60, 90), 5))


def cases() -> Iterator[tuple[Graph, set[int]]]:
    """Graphs, with what is behind acceptance ordered, or any states."""
    draw = random.Random(7)
    for graph in [random_graph(seed) for seed in range(400)] + [wide_graph(seed) for seed in range(30)]:
        yield graph, behind_acceptance(graph)
        size = len(graph.edges)
        yield graph, set(draw.sample(range(size), draw.randint(0, size)))


def compare_teams(machines: Machines = SearchingForCycle, kernel: Kernel | None = None) -> list[int | None]:
    """What the workers of teams of one, two and three come to, in both modes."""
    return [
        outcome
        for seed, (graph, ordered) in enumerate(cases())
        for usual, together in MODES
        for outcome in compare_acyclic(graph, ordered, 1 + seed % 3, seed, machines, (kernel or usual, together))
    ]


def test_accesses_are_those_of_the_proof() -> None:
    outcomes = compare_teams()
    assert all(outcomes.count(outcome) > 100 for outcome in (COMPLETED, ANSWERED, UNDECIDED))
    assert STOPPED in outcomes


class DiscoveredWhenEntered(SearchingForCycle):
    def step_offer(self) -> Generator[Request, Any, None]:
        yield ("colour_shared", self.rest[0], DISCOVERED)
        yield from super().step_offer()


class Unclaimed(SearchingForCycle):
    def step_claim(self) -> Generator[Request, Any, None]:
        self.stage = proved.NOTES
        yield from ()


class Unnoted(SearchingForCycle):
    def step_meet(self) -> None:
        self.stage = proved.OFFERS


class NotedElsewhere(SearchingForCycle):
    def step_note(self) -> None:
        self.source[0] = -1
        super().step_note()


class FirstOwed(SearchingForCycle):
    def step_expand(self) -> Generator[Request, Any, None]:
        self.owed.reverse()
        yield from super().step_expand()


@pytest.mark.parametrize("machines", [DiscoveredWhenEntered, Unclaimed, Unnoted, NotedElsewhere, FirstOwed])
def test_a_changed_machine_is_noticed(machines: Machines) -> None:
    with pytest.raises(AssertionError):
        compare_teams(machines)


def discover_first(space: SharedStore, source: int, begin: int, end: int, target: int, free: int) -> int:
    """`meet` that claims without a look at the colour."""
    for position in range(begin, end):
        node = space.pending[position]
        if space.colour[node] & ORDERED:
            return -UNDECIDED
        if not colour_shared(space, node, DISCOVERED) & DISCOVERED:
            space.parent[node] = source
            space.pending[target] = node
            target += 1
    return target


def no_answer(_space: SharedStore, _depth: int, _node: int) -> int:
    """REMOVE that passes over an edge onto the path."""
    return GO_ON


CHANGED: tuple[Kernel, ...] = (
    search_acyclic_marked,
    search_acyclic_open,
    with_other(meet=discover_first),
    with_other(ACYCLIC=ACYCLIC._replace(remove=no_answer)),
)


@pytest.mark.parametrize("kernel", CHANGED)
def test_a_changed_kernel_is_noticed(kernel: Kernel) -> None:
    with pytest.raises(AssertionError):
        compare_teams(kernel=kernel)
