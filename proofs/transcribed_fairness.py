"""The proved text about fair runs in Python, line by line as in product/*.v, to be held against the running text.

Lists that stand for sets are in order here; the proof is of one order, and rests on none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar


@dataclass(frozen=True)
class Edge:
    """An edge: who moves in it."""

    source: int
    target: int
    movers: frozenset[int]


@dataclass(frozen=True)
class Graph:
    """product/fairness.v. `able` says who can move in a state: None in the middle of an atomic sequence."""

    edges: Callable[[int], Sequence[Edge]]
    able: Callable[[int], frozenset[int] | None]
    accepting: Callable[[int], bool]

    def cannot_move(self, process: int, edge: Edge) -> bool:
        """Definition cannot_move."""
        able = self.able(edge.source)
        return able is not None and process not in able

    def in_set(self, number: int, edge: Edge) -> bool:
        """Definition in_set."""
        if number == 0:
            return self.accepting(edge.source)
        return number - 1 in edge.movers or self.cannot_move(number - 1, edge)


def is_fair(graph: Graph, kind: Literal["weak", "strong"], cycle: Sequence[Edge]) -> bool:
    """verdict/fairly.v, definition is_fair."""
    moved = [process for edge in cycle for process in edge.movers]
    outside = [able for edge in cycle if (able := graph.able(edge.source)) is not None]
    if kind == "strong":
        wanting = [process for able in outside for process in able]
    else:
        wanting = [each for each in outside[0] if all(each in able for able in outside[1:])] if outside else []
    return all(process in moved for process in wanting)


S = TypeVar("S")


def explore(initial: S, steps: Callable[[S], Iterable[tuple[frozenset[int], S]]]) -> tuple[list[S], list[list[Edge]]]:
    """product/exploring.v, definitions explore and numbered: what was met, and the edges of each."""
    met = [initial]
    done: list[list[Edge]] = []
    while len(done) < len(met):
        out = []
        for who, target in steps(met[len(done)]):
            if target not in met:
                met.append(target)
            out.append(Edge(len(done), met.index(target), who))
        done.append(out)
    return met, done


Path = list[Edge]
Decompose = Callable[[Callable[[int], list[int]], list[int]], list[list[int]]]
"""The strongly connected components of a graph that is given by successors and roots."""


@dataclass(frozen=True)
class FairSearch:
    """product/paths.v, decomposing.v, fair_lasso.v and fair_search.v."""

    size: int
    graph: Graph
    decompose: Decompose
    kind: Literal["weak", "strong"]

    def able_in(self, state: int) -> frozenset[int]:
        """Definition able_in."""
        return self.graph.able(state) or frozenset()

    # paths.v

    def path(self, start: int, targets: list[int], inside: list[int] | None) -> Path:
        """Definitions path and look_for."""
        arrived = [start]
        queue: list[tuple[int, Path]] = [(start, [])]
        while queue:
            (node, way), *queue = queue
            if node in targets:
                return way
            for edge in self.graph.edges(node):
                if edge.target not in arrived and (inside is None or edge.target in inside):
                    arrived.append(edge.target)
                    queue.append((edge.target, [*way, edge]))
        raise AssertionError("there is a path")

    # decomposing.v

    def targets_inside(self, inside: list[int], state: int) -> list[int]:
        """Definition targets_inside."""
        return [edge.target for edge in self.graph.edges(state) if edge.target in inside]

    def components(self, inside: list[int]) -> list[list[int]]:
        """Definitions components and has_cycle."""
        found = self.decompose(lambda state: self.targets_inside(inside, state), inside)
        return [
            members
            for members in found
            if len(members) > 1 or any(t in members for node in members for t in self.targets_inside(inside, node))
        ]

    def inner(self, component: list[int]) -> Path:
        """Definition inner."""
        return [edge for node in component for edge in self.graph.edges(node) if edge.target in component]

    # fair_lasso.v

    def treats_fairly(self, process: int, edge: Edge) -> bool:
        """Definition treats_fairly."""
        return process in edge.movers or (self.kind == "weak" and self.graph.cannot_move(process, edge))

    def wanting(self, component: list[int]) -> list[int]:
        """Definition wanting."""
        return sorted({process for node in component for process in self.able_in(node)})

    def starved(self, component: list[int]) -> list[int]:
        """Definition starved."""
        inner = self.inner(component)
        return [each for each in self.wanting(component) if not any(self.treats_fairly(each, edge) for edge in inner)]

    def fair_cycle(self, component: list[int], start: int) -> Path:
        """Definitions fair_cycle, with_fair_edge and some_edge."""
        cycle = self.path(start, [each for each in component if self.graph.accepting(each)], component)
        for process in self.wanting(component):
            fair = next(edge for edge in self.inner(component) if self.treats_fairly(process, edge))
            cycle = [*cycle, *self.path(arrival(start, cycle), [fair.source], component), fair]
        if not cycle:
            cycle = [next(edge for edge in self.graph.edges(start) if edge.target in component)]
        return cycle + self.path(arrival(start, cycle), [start], component)

    def fair_lasso(self, component: list[int]) -> tuple[Path, Path]:
        """Definition fair_lasso."""
        entry = self.path(0, component, None)
        return entry, self.fair_cycle(component, arrival(0, entry))

    # fair_search.v

    def look(self, found: list[list[int]], pending: list[list[int]]) -> list[int] | None:
        """Definition look: the component that has the answer. What is still to be decomposed is put first."""
        for component in found:
            if any(self.graph.accepting(each) for each in component):
                hungry = self.starved(component)
                if not hungry:
                    return component
                if self.kind == "strong":
                    pending.insert(0, [s for s in component if not any(each in self.able_in(s) for each in hungry)])
        return None

    def fair_run(self) -> tuple[Path, Path] | None:
        """Definitions fair_run and rounds: an answer, within so many rounds."""
        pending = [list(range(self.size))]
        for _ in range(self.size + 1):
            if not pending:
                break
            component = self.look(self.components(pending.pop(0)), pending)
            if component is not None:
                return self.fair_lasso(component)
        assert not pending
        return None


def arrival(start: int, way: Path) -> int:
    """Definition arrival."""
    return way[-1].target if way else start
