"""Searches in the Viper that is proved, run beside the Python that they are made of; and the store below both."""

import random
from collections.abc import Callable, Sequence
from pkgutil import resolve_name
from typing import Any, TypeVar

import pytest
from oracles.search.proved import Graph, graphs_of, random_graph
from oracles.viper import Method, Methods, Run
from proofs import literal
from proofs.expressions import Kernel
from proofs.kernels import Translator
from tests.test_proofs_literal import BITS, COLUMNS, Silent, bits, constants

from everafter.search import ExplicitGraph, space
from everafter.search.components import COMPONENTS, TARJAN_COLUMNS
from everafter.search.reachability import SUBDFS
from everafter.search.space import ACCEPTING, KNOWN, NO_STATE, RESTRICTED, TARGET, Space
from everafter.search.trimming import OWCTY_ALGORITHM

Arguments = tuple[Sequence[Any], Sequence[int]]
"""What stands behind the store, in Python and in Viper."""
Given = tuple[Sequence[str], Sequence[Any], Sequence[int]]
"""Columns to be kept; and the arguments."""
Made = tuple[dict[str, Method], dict[str, int], dict[str, Kernel]]
"""The methods of proofs without their notes, their constants, and the kernels."""
G = TypeVar("G")


def wide_graph(seed: int) -> Graph:
    """A graph with more states than are expanded together, few of them targets."""
    draw = random.Random(seed)
    edges = {s: draw.choices(range(90), k=draw.choice((0, 2, 4, 8))) for s in range(90)}
    return ExplicitGraph(edges, [0, 1, 2, 3], draw.sample(range(90), seed % 3))


GRAPHS = random.Random(5).sample(list(graphs_of(3)), 200) + [random_graph(seed) for seed in range(200)]
GRAPHS += [wide_graph(seed) for seed in range(12)]


class Stopping:
    """A store whose `expand` says stop when its calls are used up."""

    left = 10_000

    def expand(self, node: int, depth: int) -> bool:
        self.left -= 1
        expanded: bool = super().expand(node, depth)  # type: ignore[misc] # of the store that it is mixed with
        return expanded and self.left >= 0


class Plain(Stopping, Space[int]):
    """A store of states."""


class Model:
    """A store whose columns are what Viper sees, with an `expand` of its own that stops when that of the space does."""

    def __init__(self, space: Space[int]) -> None:
        self.space = space
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
        answer = self.space.expand(node, depth)
        self.show()
        return answer


def label(graph: Graph, bit: int = TARGET) -> Callable[[int], int]:
    """The bit, of the accepting states; and R, for searches that know it."""
    return lambda state: (bit if graph.is_accepting(state) else NO_STATE) | (RESTRICTED if state % 4 == 1 else NO_STATE)


def methods_of(*companions: str) -> Made:
    """The methods of proofs without their notes, their constants, and the kernels."""
    kernels_of: dict[str, Kernel] = {}
    made: dict[str, Method] = {}
    known: dict[str, int] = {}
    for companion in companions:
        own, trusted = literal.kernels_of(companion)
        kernels_of |= own
        for name, kernel in own.items():
            translator = Translator(kernel, literal.callees_of([*own.values(), *trusted.values()]), Silent())
            made[name] = Method.read(translator.head(), translator.body())
            known |= constants(translator)
    return made, known, kernels_of


def outcomes(
    made: Made, search: str, arguments: Arguments, graphs: Sequence[G], store_of: Callable[[G], Space[int]]
) -> set[int]:
    """Run the method beside the kernel on many graphs: the answers and all columns must be the same. What they are."""
    methods, known, kernels_of = made
    python, viper = arguments
    found = set()
    kernel = kernels_of[search]
    for seed, graph in enumerate(graphs):
        mine, store = store_of(graph), store_of(graph)
        if seed % 3 == 0:
            for each in (mine, store):
                each.left = seed % 7  # type: ignore[attr-defined]
        model = Model(mine)
        variables = {**known, **dict(zip(methods[kernel.method].parameters, viper, strict=True))}
        called: Methods = {**methods, **dict.fromkeys(("expand", "expand_store", "expand_marked"), model.expand)}
        ran = Run(methods[kernel.method], called, model.store, variables).answer()
        assert ran == resolve_name(kernel.of)(store, *python)
        for name in COLUMNS:
            column = list(getattr(store, name))
            assert model.store[name] == ([bits(each) for each in column] if name in BITS else column), name
        found.add(ran)
    return found


SEARCHES = [
    (("search/unordered.toml",), "search_unordered", ((), (), ()), TARGET),
    (("search/breadth.toml",), "search_shortest", (("parent", "queue"), (), ()), TARGET),
    (("search/entering.toml", "search/depth.toml"), "search_target", ((), (), ()), TARGET),
    (("search/entering.toml", "search/depth.toml"), "depth_first_outside", ((), (0, 0, SUBDFS), (0, 0)), TARGET),
]
NESTED = ("search/entering.toml", "search/nested_red.toml", "search/nested_blue.toml")
SEARCHES += [
    (NESTED, f"search_{name}", ((), (), ()), ACCEPTING) for name in ("courcoubetis", "holzmann", "schwoon_esparza")
]
COMPONENTWISE = ("search/entering.toml", "search/components/hooks.toml", "search/components.toml")
SEARCHES += [
    (COMPONENTWISE, "search_tarjan", (TARJAN_COLUMNS, (), ()), ACCEPTING),
    (COMPONENTWISE, "forest_components", (TARJAN_COLUMNS, (COMPONENTS,), ()), NO_STATE),
]
TRIMMING = ("search/entering.toml", *(f"search/trimming{part}.toml" for part in ("/searches", "/removing", "")))
SEARCHES += [(TRIMMING, "search_owcty", (OWCTY_ALGORITHM.every_column, (), ()), ACCEPTING)]


@pytest.mark.parametrize(("companions", "search", "given", "bit"), SEARCHES)
def test_a_translated_search_does_what_the_search_does(
    companions: Sequence[str], search: str, given: Given, bit: int
) -> None:
    columns, *arguments = given

    def store_of(graph: Graph) -> Space[int]:
        return Plain(graph.initial(), graph.successors, label(graph, bit), columns=columns)

    found = outcomes(methods_of(*companions), search, (arguments[0], arguments[1]), GRAPHS, store_of)
    assert found == {space.COMPLETED, space.STOPPED} | ({space.ANSWERED} if bit else set())


# ---- The boundary: what the proofs trust of `expand` (store.vpr, deep.vpr), held against a store in Python.


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
