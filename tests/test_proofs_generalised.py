"""The search of Couvreur does what the proved text does: the same answers, the same groups, the same components."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest
from oracles.search.proved import with_bit
from proofs.transcribed_generalised import Couvreur

from everafter.search.generalised import COUVREUR_COLUMNS, search_couvreur
from everafter.search.space import ACTIVE, DISCOVERED, GeneralisedSpace


@dataclass(frozen=True)
class Marked:
    """A generalised graph: for each state its transitions, each with the acceptance sets that it is in."""

    edges: dict[int, list[tuple[frozenset[int], int]]]
    starts: list[int]
    acceptance_sets: int

    def initial(self) -> Iterable[int]:
        return self.starts

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        for marks, target in self.edges[state]:
            yield sum(1 << each for each in marks), target


def random_graph(seed: int) -> Marked:
    """Transitions may be the same but for their sets; there may be no set at all."""
    draw = random.Random(seed)
    size, sets = draw.randint(1, 9), seed % 4
    edges = {
        state: [
            (frozenset(draw.sample(range(sets), draw.randint(0, min(sets, 1)))), draw.randrange(size))
            for _ in range(draw.choice((0, 1, 2, 2, 3)))
        ]
        for state in range(size)
    }
    return Marked(edges, draw.sample(range(size), min(size, draw.choice((1, 1, 2)))), sets)


GRAPHS = [random_graph(seed) for seed in range(6000)]


def of_bits(mask: int) -> frozenset[int]:
    return frozenset(bit for bit in range(mask.bit_length()) if mask >> bit & 1)


def compare(graph: Marked, text: type[Couvreur] = Couvreur) -> bool:
    """The same answer, and the same columns and sets. Whether there is one."""
    proved = text(graph.edges.__getitem__, graph.acceptance_sets)
    found = proved.couvreur(graph.starts)
    space = GeneralisedSpace(graph.initial(), graph.successors, graph.acceptance_sets, columns=COUVREUR_COLUMNS)
    assert space.answered(search_couvreur(space)) == found
    assert with_bit(space.states, space.colour, DISCOVERED) == proved.visited
    assert with_bit(space.states, space.colour, ACTIVE) == proved.active
    assert space.named(space.component[: space.component_height[0]]) == tuple(proved.component)
    assert all(space.discovery[space.index[state]] == time for state, time in proved.discovery.items())
    groups = space.root_height[0]
    assert list(space.root[:groups]) == [proved.discovery[state] for state in proved.roots]
    assert [of_bits(mask) for mask in space.gathered[:groups]] == proved.gathered
    assert [of_bits(mask) for mask in space.arriving[:groups]] == proved.arriving
    assert space.complete_components[0] == len(proved.first)
    for state, number in proved.member.items():
        assert space.member[space.index[state]] == number
        assert space.missing[space.index[state]] == proved.lacking[number]
    return found


def compare_all(text: type[Couvreur]) -> int:
    return sum(compare(graph, text) for graph in GRAPHS)


def test_groups_are_those_of_the_proof() -> None:
    answers = compare_all(Couvreur)
    assert 1000 < answers < len(GRAPHS) - 1000


class ArrivalForgotten(Couvreur):
    def discover_group(self, node: int, marks: frozenset[int]) -> None:
        super().discover_group(node, marks & frozenset())


class OneGroupLess(Couvreur):
    def merge(self, marks: frozenset[int], node: int) -> bool:
        return super().merge(marks, self.roots[-1] if node in self.roots else node)


@pytest.mark.parametrize("text", [ArrivalForgotten, OneGroupLess])
def test_a_difference_is_noticed(text: type[Couvreur]) -> None:
    with pytest.raises(AssertionError):
        compare_all(text)
