"""Shortest paths by breadth-first search: to a target, and around inside a component."""

from __future__ import annotations

from collections.abc import Callable

from everafter.search.algorithm import Algorithm
from everafter.search.framework import Search, breadth_first
from everafter.search.graph import S, Transitions
from everafter.search.meter import Meter
from everafter.search.reachability import into_target
from everafter.search.space import ACTIVE, DISCOVERED, GO_ON, KNOWN, NO_STATE, TARGET, Searched, Space, Store

SHORTEST = Search(DISCOVERED, action=into_target)


def search_shortest(space: Store) -> int:
    """Answer with a target that is nearest to the initial states; `parent` leads back from it.

    Proof: proofs/search/breadth.vpr, method search_shortest.
    """
    tail = 0
    for start in space.initial:
        space.colour[start] |= DISCOVERED
        space.parent[start] = -1
        space.queue[tail] = start
        tail += 1
        outcome = into_target(space, -1, start)
        if outcome != GO_ON:
            return outcome
    return breadth_first(space, tail, 0, KNOWN, SHORTEST)


def search_active(space: Store, start: int, frame: int, search: Search) -> int:
    """Search breadth-first from the start over active nodes, until a hook answers."""
    space.colour[start] |= search.visited
    space.parent[start] = -1
    space.queue[0] = start
    return breadth_first(space, 1, frame, ACTIVE, search)


def shortest_path(
    graph: Transitions[S], is_target: Callable[[S], bool], meter: Meter | None = None
) -> tuple[S, ...] | None:
    """A path with the fewest steps from an initial state to a target, or None if no target can be reached."""

    def label(state: S) -> int:
        return TARGET if is_target(state) else NO_STATE

    space = Space(graph.initial(), graph.successors, label, meter, BREADTH_FIRST_ALGORITHM.every_column)
    path: tuple[S, ...] | None = BREADTH_FIRST_ALGORITHM.run(space)
    return path


def path_to_found(space: Searched[S]) -> tuple[S, ...]:
    """The shortest path to the node found."""
    return space.named(ancestors(space, space.found[1]))


def ancestors(space: Store, node: int) -> list[int]:
    """The path to the node along `parent`, from where the breadth-first search started."""
    path = [node]
    while space.parent[path[-1]] >= 0:
        path.append(space.parent[path[-1]])
    return path[::-1]


BREADTH_FIRST_ALGORITHM = Algorithm(
    "breadth-first",
    "reachability",
    "one",
    search_shortest,
    path_to_found,
    paper="Moore, Switching Theory 1959",
    columns=("parent", "queue"),
)
