"""What the searches must answer, computed from the definitions, and the graphs to ask about.

Nothing here searches depth-first: reachability is the transitive closure of the edges.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

from everafter.search import ALGORITHMS, Lasso, flaw, generalised_flaw

Node = int


@dataclass(frozen=True)
class SmallGraph:
    """A graph over 0 … n-1; the order of starts and successors is the order of the search."""

    targets: Sequence[Sequence[Node]]
    accepting: frozenset[Node] = frozenset()
    starts: Sequence[Node] = (0,)

    def initial(self) -> Sequence[Node]:
        return self.starts

    def successors(self, node: Node, /) -> Sequence[Node]:
        return self.targets[node]

    def is_accepting(self, node: Node, /) -> bool:
        return node in self.accepting

    @property
    def nodes(self) -> range:
        return range(len(self.targets))


@dataclass(frozen=True)
class SmallGeneralisedGraph:
    """A generalised graph over 0 … n-1, with transitions (mask, target)."""

    transitions: Sequence[Sequence[tuple[int, Node]]]
    acceptance_sets: int
    starts: Sequence[Node] = (0,)

    def initial(self) -> Sequence[Node]:
        return self.starts

    def successors(self, node: Node, /) -> Sequence[tuple[int, Node]]:
        return self.transitions[node]


def closure(targets: Sequence[Sequence[Node]], outside: frozenset[Node] = frozenset()) -> list[set[Node]]:
    """For each node, the nodes at the end of a path of one or more edges that enters nothing in `outside`."""
    after = [set(row) - outside for row in targets]
    for middle in range(len(targets)):
        for row in after:
            if middle in row:
                row.update(after[middle])
    return after


def reachable(graph: SmallGraph, outside: frozenset[Node] = frozenset()) -> set[Node]:
    """The nodes reachable from a start, when neither the start nor the path is in `outside`."""
    starts = set(graph.starts) - outside
    after = closure(graph.targets, outside)
    return starts.union(*(after[start] for start in starts))


def has_accepting_cycle(graph: SmallGraph) -> bool:
    """Whether an accepting node lies on a reachable cycle: the definition of emptiness."""
    after = closure(graph.targets)
    return any(node in graph.accepting and node in after[node] for node in reachable(graph))


def closed(graph: SmallGraph) -> SmallGraph:
    """The graph in which everything behind an accepting node is accepting, too."""
    after = closure(graph.targets)
    return replace(graph, accepting=graph.accepting.union(*(after[node] for node in graph.accepting)))


def is_closed(graph: SmallGraph) -> bool:
    """Whether no edge that can be reached leads from an accepting node to another."""
    return all(graph.accepting.issuperset(graph.targets[node]) for node in reachable(graph) & graph.accepting)


def has_generalised_cycle(graph: SmallGeneralisedGraph) -> bool:
    """Whether the transitions between nodes that reach each other, reachable, are in all acceptance sets together."""
    targets = [[target for _, target in row] for row in graph.transitions]
    after = closure(targets)
    for node in reachable(SmallGraph(targets, starts=graph.starts)):
        if node in after[node]:
            met = 0
            for source in after[node]:
                for mask, target in graph.transitions[source]:
                    if node in after[source] and node in after[target]:
                        met |= mask
            if met == (1 << graph.acceptance_sets) - 1:
                return True
    return False


def disagreements(graph: SmallGraph) -> list[str]:
    """Each algorithm that contradicts the definition, or whose lasso is no accepting run."""
    expected = has_accepting_cycle(graph)
    found = []
    for name, algorithm in ALGORITHMS.items():
        lasso = algorithm(graph, None)
        if (lasso is not None) != expected:
            found.append(f"{name}: {lasso} on {graph}")
        elif lasso is not None and flaw(graph, lasso) is not None:
            found.append(f"{name}: {flaw(graph, lasso)}: {lasso} on {graph}")
    return found


def generalised_disagreement(graph: SmallGeneralisedGraph, lasso: Lasso[Node] | None) -> str | None:
    """How the answer contradicts the definition."""
    if (lasso is not None) != has_generalised_cycle(graph):
        return f"{lasso} on {graph}"
    return None if lasso is None else generalised_flaw(graph, lasso)


def all_graphs(size: int) -> Iterator[SmallGraph]:
    """Every graph over `size` nodes with start 0 that a search can tell apart from those before.

    A search from node 0 sees the edges and the acceptance of reachable nodes only. So one graph stands for all that
    differ in unreachable nodes: the one in which these have no edges and do not accept. That one also stands for a
    graph with fewer nodes.
    """
    rows = [tuple(node for node in range(size) if row >> node & 1) for row in range(1 << size)]
    subsets = [frozenset(row) for row in rows]
    for targets in product(rows, repeat=size):
        seen = {0}
        for _ in range(size - 1):
            seen = seen.union(*(targets[node] for node in seen))
        if all(node in seen or not targets[node] for node in range(size)):
            for accepting in subsets:
                if accepting <= seen:
                    yield SmallGraph(targets, accepting)


def representatives(graphs: Iterable[SmallGraph]) -> Iterator[SmallGraph]:
    """The graphs that come first among those that differ from them only in the names of the nodes other than 0."""
    for graph in graphs:
        size = len(graph.targets)
        itself = (tuple(map(tuple, graph.targets)), sorted(graph.accepting))
        renamings = ((0, *rest) for rest in permutations(range(1, size)))
        if all(itself <= _renamed(graph, names) for names in renamings):
            yield graph


def _renamed(graph: SmallGraph, names: Sequence[Node]) -> tuple[tuple[tuple[Node, ...], ...], list[Node]]:
    """The edges and accepting nodes of the graph when node i is called names[i]."""
    targets: list[tuple[Node, ...]] = [()] * len(names)
    for node, row in enumerate(graph.targets):
        targets[names[node]] = tuple(sorted(names[target] for target in row))
    return tuple(targets), sorted(names[node] for node in graph.accepting)


def random_graph(rng: random.Random, most: int = 12) -> SmallGraph:
    """A graph of up to `most` nodes, its edges in any order and some of them twice."""
    size = rng.randint(1, most)
    edges = round(size * rng.choice((0.9, 1.2, 1.5, 2, 3)))
    targets: list[list[Node]] = [[] for _ in range(size)]
    for _ in range(edges):
        targets[rng.randrange(size)].append(rng.randrange(size))
    density = rng.choice((0.1, 0.3, 0.6))
    accepting = frozenset(node for node in range(size) if rng.random() < density)
    return SmallGraph(targets, accepting, [rng.randrange(size) for _ in range(rng.choice((1, 1, 1, 2, 3)))])


def random_generalised_graph(rng: random.Random, most: int = 8) -> SmallGeneralisedGraph:
    """A generalised graph of up to `most` nodes with up to three acceptance sets."""
    graph = random_graph(rng, most)
    sets = rng.randrange(4)
    density = rng.choice((0.15, 0.4))

    def mask() -> int:
        return sum(1 << number for number in range(sets) if rng.random() < density)

    return SmallGeneralisedGraph([[(mask(), target) for target in row] for row in graph.targets], sets, graph.starts)
