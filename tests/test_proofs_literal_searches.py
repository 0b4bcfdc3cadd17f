"""Searches in the Viper that is proved, run beside the Python that they are made of; and the store below both."""

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from oracles.search.proved import Graph, graphs_of, random_graph
from oracles.viper import Method, Run
from proofs import literal
from proofs.expressions import Kernel
from proofs.kernels import Translator
from tests.test_proofs_literal import BITS, COLUMNS, Silent, bits, constants

from everafter.search import ExplicitGraph, space
from everafter.search.space import KNOWN, NO_STATE, TARGET, Space


def wide_graph(seed: int) -> Graph:
    """A graph with more states than are expanded together, few of them targets."""
    draw = random.Random(seed)
    edges = {s: draw.choices(range(90), k=draw.choice((0, 2, 4, 8))) for s in range(90)}
    return ExplicitGraph(edges, [0, 1, 2, 3], draw.sample(range(90), seed % 3))


GRAPHS = random.Random(5).sample(list(graphs_of(3)), 200) + [random_graph(seed) for seed in range(200)]
GRAPHS += [wide_graph(seed) for seed in range(12)]


class Model:
    """A store whose columns are what Viper sees, with an `expand` of its own that stops after some calls."""

    def __init__(self, graph: Graph, columns: Sequence[str], calls: int) -> None:
        self.space: Space[int] = Space(graph.initial(), graph.successors, label(graph), columns=columns)
        self.left = calls
        self.store: dict[str, Any] = {}
        self.show()

    def show(self) -> None:
        """Copy every column into the store of Viper."""
        for name in COLUMNS:
            column = list(getattr(self.space, name))
            self.store[name] = [bits(each) for each in column] if name in BITS else column

    def expand(self, store: dict[str, Any], node: int, depth: int) -> bool:
        """What the proofs ask of `expand`, done by a store in Python that has been told what Viper did."""
        for name in COLUMNS:
            column = store[name]
            ours = [sum(1 << bit for bit in each) for each in column] if name in BITS else column
            for place, number in enumerate(ours):
                getattr(self.space, name)[place] = number
        answer = stopping(self.space, self, node, depth)
        self.show()
        return answer


def stopping(store: Space[int], counter: Any, node: int, depth: int) -> bool:
    """`expand`, which says stop when its calls are used up."""
    counter.left -= 1
    return Space.expand(store, node, depth) and counter.left >= 0


class Stopping(Space[int]):
    """The store in which the Python runs."""

    left: int

    def expand(self, node: int, depth: int) -> bool:
        return stopping(self, self, node, depth)


def label(graph: Graph) -> Callable[[int], int]:
    """The targets are the accepting states."""
    return lambda state: TARGET if graph.is_accepting(state) else NO_STATE


def methods_of(companion: str) -> tuple[dict[str, Method], dict[str, int], dict[str, Kernel]]:
    """The methods of a proof without its notes, their constants, and the kernels."""
    kernels_of, trusted = literal.kernels_of(companion)
    made: dict[str, Method] = {}
    known: dict[str, int] = {}
    for name, kernel in kernels_of.items():
        translator = Translator(kernel, literal.callees_of([*kernels_of.values(), *trusted.values()]), Silent())
        made[name] = Method.read(translator.head(), translator.body())
        known |= constants(translator)
    return made, known, kernels_of


SEARCHES = [
    ("search/unordered.toml", "search_unordered", ()),
    ("search/breadth.toml", "search_shortest", ("parent", "queue")),
]


@pytest.mark.parametrize(("companion", "search", "columns"), SEARCHES)
def test_a_translated_search_does_what_the_search_does(companion: str, search: str, columns: Sequence[str]) -> None:
    made, known, kernels_of = methods_of(companion)
    outcomes = set()
    for seed, graph in enumerate(GRAPHS):
        calls = seed % 7 if seed % 3 == 0 else 10_000
        model = Model(graph, columns, calls)
        ran = Run(made[search], {**made, "expand": model.expand}, model.store, dict(known)).answer()
        store = Stopping(graph.initial(), graph.successors, label(graph), columns=columns)
        store.left = calls
        assert ran == kernels_of[search].names[search](store)
        for name in COLUMNS:
            column = list(getattr(store, name))
            assert model.store[name] == ([bits(each) for each in column] if name in BITS else column), name
        outcomes.add(ran)
    assert outcomes == {space.COMPLETED, space.ANSWERED, space.STOPPED}


# ---- The boundary: what the proofs trust of `expand` (proofs/search/store.vpr), held against a store in Python.


def begin_of(store: Space[int], depth: int) -> int:
    """Where the frame begins."""
    return store.limit[depth - 1] if depth else 0


@pytest.mark.parametrize("seed", range(40))
def test_a_store_expands_as_the_proofs_trust(seed: int) -> None:
    draw = random.Random(seed)
    graph = random_graph(seed)
    store: Space[int] = Space(graph.initial(), graph.successors, label(graph))
    depth = 0
    for _ in range(30):
        node = draw.randrange(len(store.states))
        old = {name: list(getattr(store, name)) for name in COLUMNS}
        begin = begin_of(store, depth)
        assert store.expand(node, depth)
        expected = list(graph.successors(store.states[node]))
        assert store.initial == old["initial"]
        assert list(store.found) == old["found"]
        assert list(store.deepest) == old["deepest"]
        assert list(store.colour[: len(old["colour"])]) == old["colour"]
        assert all(
            colour == KNOWN | label(graph)(state) for state, colour in zip(store.states, store.colour, strict=True)
        )
        assert len(store.limit) == len(store.cursor) == len(store.stack) > depth + 1
        assert store.limit[:depth] == old["limit"][:depth]
        assert store.cursor[:depth] == old["cursor"][:depth]
        assert store.stack[: len(old["stack"])] == old["stack"]
        assert store.pending[:begin] == old["pending"][:begin]
        assert begin_of(store, depth) == store.cursor[depth] == begin
        assert store.limit[depth] == begin + len(expected) <= len(store.pending)
        assert [store.states[number] for number in store.pending[begin : store.limit[depth]]] == expected
        depth = draw.randrange(depth + 2)
