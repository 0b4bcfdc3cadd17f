"""The kernels stay within what a compiler of plain loops over arrays takes, and compiled they do the same."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from collections.abc import Iterator

import pytest
from oracles.search.definitions import SmallGeneralisedGraph, random_generalised_graph
from oracles.search.native import compiled, native_store

from everafter.engine.kernels.binding import BY_ONE, kernels
from everafter.search.breadth import search_shortest
from everafter.search.components import COMPONENTS, TARJAN, TARJAN_COLUMNS
from everafter.search.framework import forest
from everafter.search.generalised import COUVREUR, COUVREUR_COLUMNS
from everafter.search.nested import COURCOUBETIS, HOLZMANN, SCHWOON_ESPARZA
from everafter.search.reachability import CYCLE, EVERYTHING, REACHABILITY
from everafter.search.space import ACCEPTING, DISCOVERED, NO_STATE, TARGET, GeneralisedSpace
from everafter.search.streett import STREETT, STREETT_ALGORITHM

SEARCHES = {
    "EVERYTHING": EVERYTHING,
    "REACHABILITY": REACHABILITY,
    "CYCLE": CYCLE,
    "COURCOUBETIS": COURCOUBETIS,
    "HOLZMANN": HOLZMANN,
    "SCHWOON_ESPARZA": SCHWOON_ESPARZA,
    "COMPONENTS": COMPONENTS,
    "TARJAN": TARJAN,
    "COUVREUR": COUVREUR,
    "STREETT": STREETT,
}
KERNELS = dict(kernels(BY_ONE))
NOT_FOR_KERNELS = (
    ast.AsyncFunctionDef,
    ast.Await,
    ast.ClassDef,
    ast.Dict,
    ast.DictComp,
    ast.GeneratorExp,
    ast.Global,
    ast.JoinedStr,
    ast.Lambda,
    ast.Nonlocal,
    ast.Raise,
    ast.Set,
    ast.SetComp,
    ast.Starred,
    ast.Try,
    ast.With,
    ast.Yield,
    ast.YieldFrom,
)


def test_the_kernels_are_found() -> None:
    names = set(KERNELS)
    assert {"depth_first", "forest", "breadth_first", "red_search_to_path", "tarjan_leave", "couvreur_merge"} <= names


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_uses_plain_constructs_only(name: str) -> None:
    tree = ast.parse(textwrap.dedent(inspect.getsource(KERNELS[name])))
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)][1:]
    assert inner == []
    assert [node for node in ast.walk(tree) if isinstance(node, NOT_FOR_KERNELS)] == []


def cases(count: int) -> Iterator[tuple[SmallGeneralisedGraph, frozenset[int]]]:
    rng = random.Random(6)
    for _ in range(count):
        graph = random_generalised_graph(rng, most=12)
        yield graph, frozenset(node for node in range(len(graph.transitions)) if rng.random() < 0.3)


def interpreted_space(graph: SmallGeneralisedGraph, accepting: frozenset[int], bits: int) -> GeneralisedSpace[int]:
    columns = dict.fromkeys((*TARJAN_COLUMNS, *COUVREUR_COLUMNS, *STREETT_ALGORITHM.columns, "finish"))
    space = GeneralisedSpace((), graph.successors, graph.acceptance_sets, columns=columns)
    space.label = lambda node: bits if node in accepting else NO_STATE
    space.initial = list(dict.fromkeys(map(space.number, graph.starts)))
    return space


@pytest.mark.parametrize("name", SEARCHES)
def test_compiled_and_interpreted_searches_are_the_same(name: str) -> None:
    native = compiled()
    for graph, accepting in cases(2_000):
        bits = TARGET if name == "REACHABILITY" else ACCEPTING
        space = interpreted_space(graph, accepting, bits)
        store = native_store(graph, accepting, bits)
        outcome = forest(space, SEARCHES[name])
        assert native["forest"](store, native[name]) == outcome
        colours = [colour if colour & DISCOVERED else 0 for colour in store.colour]
        assert visited_colours(space, len(colours)) == colours
        if outcome:
            assert space.found[0] == store.found[0]
            assert space.states[space.found[1]] == store.found[1]
            assert list(space.named(space.path())) == list(store.stack[: store.found[0] + 1])


def test_compiled_and_interpreted_breadth_first_searches_are_the_same() -> None:
    native = compiled()
    for graph, accepting in cases(2_000):
        space = interpreted_space(graph, accepting, TARGET)
        store = native_store(graph, accepting, TARGET)
        outcome = search_shortest(space)
        assert native["search_shortest"](store) == outcome
        if outcome:
            assert space.states[space.found[1]] == store.found[1]


def visited_colours(space: GeneralisedSpace[int], size: int) -> list[int]:
    """The colour of each node by its name, 0 where the search has not been."""
    colours = [0] * size
    for state, colour in zip(space.states, space.colour, strict=True):
        colours[state] = colour if colour & DISCOVERED else 0
    return colours
