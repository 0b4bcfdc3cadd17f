"""The shortest accepting lasso: the fewest states, prefix and cycle together.

A breadth-first search from each state at which the cycle could start, through pairs of a state and the acceptance sets
met so far. That is quadratic at worst: it is meant for explaining a violation that a linear search has found. It leaves
out the states of components without an accepting cycle, tries the others in the order of their distance, and goes no
further than would improve on the best lasso so far.
"""

from __future__ import annotations

from typing import Generic

from everafter.record import dataclass, field
from everafter.search.components import strongly_connected_components
from everafter.search.graph import ExplicitGraph, Generalised, GeneralisedGraph, Graph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter, Stopped
from everafter.search.space import STOPPED, GeneralisedSpace


def shortest_lasso(graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return an accepting lasso of `graph` with the fewest states, or None if there is none; `meter` may stop it."""
    return shortest_generalised_lasso(Generalised(graph), meter)


def shortest_generalised_lasso(graph: GeneralisedGraph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a lasso of `graph` with the fewest states whose cycle takes transitions of all acceptance sets, or None.

    `meter` counts the search and may stop it, which raises `Stopped`.
    """
    unfolded = _unfold(graph, meter)
    member = _accepting_components(unfolded)
    best: tuple[int, list[int]] | None = None
    for start in range(len(unfolded.edges)):
        room = len(best[1]) + unfolded.distance[best[0]] - unfolded.distance[start] if best else None
        if room is not None and room <= 1:
            break
        if start in member:
            cycle = _shortest_cycle(unfolded, member, start, room)
            best = (start, cycle) if cycle else best
    return unfolded.lasso(*best) if best else None


@dataclass
class _Unfolded(Generic[S]):
    """The whole graph, its states numbered in breadth-first order."""

    space: GeneralisedSpace[S]
    wanted: int
    edges: list[list[tuple[int, int]]] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    distance: list[int] = field(default_factory=list)

    def lasso(self, start: int, cycle: list[int]) -> Lasso[S]:
        """The lasso that goes the shortest way to the start of the cycle."""
        prefix = []
        node = self.parent[start]
        while node >= 0:
            prefix.append(node)
            node = self.parent[node]
        return Lasso(self.space.named(reversed(prefix)), self.space.named(cycle))


def _unfold(graph: GeneralisedGraph[S], meter: Meter | None) -> _Unfolded[S]:
    """Expand every reachable state once, in breadth-first order."""
    space = GeneralisedSpace(graph.initial(), graph.successors, graph.acceptance_sets, meter)
    unfolded = _Unfolded(space, (1 << graph.acceptance_sets) - 1)
    unfolded.parent += [-1] * len(space.states)
    unfolded.distance += [0] * len(space.states)
    node = 0
    while node < len(space.states):
        space.deepest[0] = unfolded.distance[node] + 1
        if not space.expand(node, 0):
            space.answered(STOPPED)
        unfolded.edges.append(list(zip(space.masks, space.pending, strict=True)))
        fresh = len(space.states) - len(unfolded.parent)
        unfolded.parent += [node] * fresh
        unfolded.distance += [unfolded.distance[node] + 1] * fresh
        node += 1
    return unfolded


def _accepting_components(unfolded: _Unfolded[S]) -> dict[int, int]:
    """The states of components that have an accepting cycle, each with the number of its component."""
    edges = unfolded.edges
    integers = ExplicitGraph({node: [target for _, target in out] for node, out in enumerate(edges)}, range(len(edges)))
    accepting: dict[int, int] = {}
    for number, component in enumerate(strongly_connected_components(integers)):
        members = set(component)
        inner = [mask for node in component for mask, target in edges[node] if target in members]
        met = 0
        for mask in inner:
            met |= mask
        if inner and met == unfolded.wanted:
            accepting |= dict.fromkeys(component, number)
    return accepting


def _shortest_cycle(unfolded: _Unfolded[S], member: dict[int, int], start: int, room: int | None) -> list[int] | None:
    """The shortest accepting cycle from the start with fewer states than there is room for."""
    first = (start, 0)
    before: dict[tuple[int, int], tuple[int, int] | None] = {first: None}
    level = [first]
    length = 1
    while level and (room is None or length < room):
        next_level = []
        for pair in level:
            if not unfolded.space.meter.tick():
                raise Stopped(unfolded.space.meter.statistics)
            for mask, target in unfolded.edges[pair[0]]:
                sets = pair[1] | mask
                if target == start and sets == unfolded.wanted:
                    return _states_before(before, pair)
                if member.get(target) == member[start] and (target, sets) not in before:
                    before[target, sets] = pair
                    next_level.append((target, sets))
        level = next_level
        length += 1
    return None


def _states_before(before: dict[tuple[int, int], tuple[int, int] | None], last: tuple[int, int]) -> list[int]:
    """The states on the way to the last pair."""
    way = []
    pair: tuple[int, int] | None = last
    while pair is not None:
        way.append(pair[0])
        pair = before[pair]
    return way[::-1]
