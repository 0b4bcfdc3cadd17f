"""Couvreur's search in the Viper that is proved, run beside the Python that it is made of; and the store below it."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import pytest
from tests.test_proofs_literal_searches import Stopping, begin_of, methods_of, outcomes

from everafter.search.generalised import COUVREUR_COLUMNS
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, GeneralisedSpace

MADE = methods_of(
    "search/components/hooks.toml", "search/entering.toml", "search/generalised/hooks.toml", "search/generalised.toml"
)


@dataclass(frozen=True)
class Marked:
    """A generalised graph: for each state its transitions, each with the acceptance sets that it is in."""

    edges: dict[int, list[tuple[int, int]]]
    starts: list[int]
    acceptance_sets: int

    def initial(self) -> Iterable[int]:
        return self.starts

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        yield from self.edges[state]


def random_graph(seed: int) -> Marked:
    """Transitions may be the same but for their sets; there may be no set at all."""
    draw = random.Random(seed)
    size, sets = draw.randint(1, 9), seed % 4
    edges = {
        state: [
            (sum(1 << each for each in draw.sample(range(sets), draw.randint(0, min(sets, 1)))), draw.randrange(size))
            for _ in range(draw.choice((0, 1, 2, 2, 3)))
        ]
        for state in range(size)
    }
    return Marked(edges, draw.sample(range(size), min(size, draw.choice((1, 1, 2)))), sets)


GRAPHS = [random_graph(seed) for seed in range(1000)]


class Generalised(Stopping, GeneralisedSpace[int]):
    """A store with acceptance sets."""


def store_of(graph: Marked) -> Generalised:
    return Generalised(graph.initial(), graph.successors, graph.acceptance_sets, columns=COUVREUR_COLUMNS)


def test_the_translated_search_does_what_the_search_does() -> None:
    assert outcomes(MADE, "search_couvreur", ((), ()), GRAPHS, store_of) == {COMPLETED, ANSWERED, STOPPED}


@pytest.mark.parametrize(
    ("method", "old", "new"),
    [
        ("couvreur_merge", " union space._arriving[top]", " union space._gathered[top]"),
        ("couvreur_merge", "space._root[top] > ", "space._root[top] >= "),
        ("note_missing", "!(bit_number(number) in lacking)", "(bit_number(number) in lacking)"),
        ("sets_of_edge", "(space._cursor[depth] - 1)", "space._cursor[depth]"),
    ],
)
def test_another_text_is_noticed(method: str, old: str, new: str) -> None:
    methods, known, kernels = MADE
    lines = methods[method].lines
    assert sum(line.count(old) for line in lines) == 1
    wrong = replace(methods[method], lines=[line.replace(old, new) for line in lines])
    with pytest.raises(AssertionError):
        outcomes(({**methods, method: wrong}, known, kernels), "search_couvreur", ((), ()), GRAPHS, store_of)


@pytest.mark.parametrize("seed", range(40))
def test_a_store_with_acceptance_sets_expands_as_the_proofs_trust(seed: int) -> None:
    """`expand_marked` of marked.vpr: what it says beyond `expand_store`, which is held against stores, too."""
    draw = random.Random(seed)
    graph = random_graph(seed)
    store = store_of(graph)
    depth = 0
    for _ in range(30):
        node = draw.randrange(len(store.states))
        begin, masks = begin_of(store, depth), list(store.masks)
        assert store.expand(node, depth)
        expected = list(graph.successors(store.states[node]))
        assert store.limit[depth] == begin + len(expected) <= len(store.masks)
        assert list(store.masks[:begin]) == masks[:begin]
        assert [
            (mask, store.states[number])
            for mask, number in zip(store.masks[begin:], store.pending[begin:], strict=True)
        ] == expected
        depth = draw.randrange(depth + 2)
