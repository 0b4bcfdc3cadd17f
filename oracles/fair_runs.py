"""Fair runs as they are proved: what Coq extracts of the proofs (`oracles.proved.fair_runs`), asked about graphs.

Lists stand for sets there; they are handed over in order. The proof is of any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from everafter.choices import Fairness
from oracles.proved import fair_runs

S = TypeVar("S")
Decompose = Callable[[Callable[[int], Sequence[int]], Sequence[int]], Iterable[Iterable[int]]]
"""The strongly connected components of a graph that is given by successors and roots."""
KINDS = {"weak": ("Weak",), "strong": ("Strong",)}


@dataclass(frozen=True)
class Edge:
    """An edge: who moves in it."""

    source: int
    target: int
    movers: frozenset[int]


@dataclass(frozen=True)
class Graph:
    """A graph as in product/fairness.v. `able` says who can move in a state: None in the middle of a sequence."""

    edges: Callable[[int], Sequence[Edge]]
    able: Callable[[int], frozenset[int] | None]
    accepting: Callable[[int], bool]


Lasso = tuple[list[Edge], list[Edge]]


@dataclass(frozen=True)
class Proved:
    """The definitions of the proofs, which may be those of a proof with a mistake in it."""

    text: Mapping[str, Any] = field(default_factory=lambda: vars(fair_runs))

    def explore(
        self, initial: S, steps: Callable[[S], Iterable[tuple[frozenset[int], S]]], most: int
    ) -> tuple[list[S], list[list[Edge]]]:
        """What is met from the initial state, and the edges of each; there are at most so many states."""
        met, done = self._explored(initial, steps, most)
        return list(met), [[uncoded(edge) for edge in out] for out in done]

    def _explored(self, initial: S, steps: Callable[[S], Iterable[tuple[frozenset[int], S]]], most: int) -> Any:
        def coded_steps(state: S) -> tuple[tuple[tuple[int, ...], S], ...]:
            return tuple((tuple(sorted(movers)), target) for movers, target in steps(state))

        found = self.text["explore"](same, coded_steps, most + 1, (initial,), ())
        assert found[0] == "Some", "more states than there are"
        return found[1]

    def fair_run(self, graph: Graph, size: int, decompose: Decompose, kind: Fairness) -> Lasso | None:
        """An answer of the search in the graph, explored from state 0 on: the way to a cycle, and the cycle."""

        def components(successors: Callable[[int], Sequence[int]]) -> Callable[[Sequence[int]], Any]:
            return lambda roots: tuple(tuple(each) for each in decompose(successors, roots))

        explored = self._explored(0, lambda state: ((edge.movers, edge.target) for edge in graph.edges(state)), size)
        found = self.text["decided"](0, coded_able(graph), graph.accepting, components, KINDS[kind], *explored)
        assert found[0] in {"Answer", "Nothing"}, "the search does not end"
        return ([*map(uncoded, found[1])], [*map(uncoded, found[2])]) if found[0] == "Answer" else None

    def wanting(self, able: Sequence[frozenset[int] | None], component: Iterable[int]) -> Sequence[int]:
        """Who can move somewhere in a component, in the order in which the search goes through them."""
        found: Sequence[int] = self.text["wanting"](lambda state: coded_set(able[state]), tuple(sorted(component)))
        return found

    def is_fair(self, graph: Graph, kind: Fairness, cycle: Iterable[Edge]) -> bool:
        """What is proved of the judge: whether the run round this cycle is fair."""
        return bool(self.text["is_fair"](coded_able(graph), KINDS[kind], tuple(map(coded, cycle))))

    def is_in_set(self, graph: Graph, number: int, edge: Edge) -> bool:
        """Whether an edge is in an acceptance set: 0 is for acceptance, 1 + p for process p."""
        return bool(self.text["is_in_set"](coded_able(graph), graph.accepting, number, coded(edge)))


def coded(edge: Edge) -> tuple[Any, ...]:
    """The edge as Coq has it."""
    return "Build_edge", edge.source, edge.target, tuple(sorted(edge.movers))


def uncoded(edge: tuple[Any, ...]) -> Edge:
    """The edge that Coq has so."""
    return Edge(edge[1], edge[2], frozenset(edge[3]))


def coded_set(able: frozenset[int] | None) -> tuple[Any, ...]:
    """A set, or none, as Coq has it."""
    return ("None",) if able is None else ("Some", tuple(sorted(able)))


def coded_able(graph: Graph) -> Callable[[int], tuple[Any, ...]]:
    """Who can move in a state, as Coq has it."""
    return lambda state: coded_set(graph.able(state))


def same(one: object) -> Callable[[object], tuple[str]]:
    """Whether two states are the same."""
    return lambda other: ("Left",) if one == other else ("Right",)


class Listed(set[int]):
    """A set that is gone through in an order that is given: the running text rests on none."""

    order: Sequence[int] = ()

    def __iter__(self) -> Iterator[int]:
        return iter([each for each in self.order if each in self])


def in_order(members: Iterable[int], order: Sequence[int]) -> Listed:
    """The set in this order, which has all its members."""
    found = Listed(members)
    assert found.issubset(order)
    found.order = order
    return found
