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
    """Search `space` breadth-first from `start` over active nodes, until a hook of `search` answers.

    Return the outcome.
    `frame` is the frame that holds the node being expanded, as in `breadth_first`.
    """
    space.colour[start] |= search.visited
    space.parent[start] = -1
    space.queue[0] = start
    return breadth_first(space, 1, frame, ACTIVE, search)


def shortest_path(
    graph: Transitions[S], is_target: Callable[[S], bool], meter: Meter | None = None
) -> tuple[S, ...] | None:
    """Return a path of `graph` with the fewest steps to a state for which `is_target` holds, or None if there is none.

    `meter` counts the search and may stop it, which raises `Stopped`.
    """

    def label(state: S) -> int:
        return TARGET if is_target(state) else NO_STATE

    space = Space(graph.initial(), graph.successors, label, meter, BREADTH_FIRST_ALGORITHM.every_column)
    path: tuple[S, ...] | None = BREADTH_FIRST_ALGORITHM.run(space)
    return path


def path_to_found(space: Searched[S]) -> tuple[S, ...]:
    """The shortest path to the node found."""
    return space.named(ancestors(space, space.found[1]))


def ancestors(space: Store, node: int) -> list[int]:
    """Return the path to `node` along the column `parent` of `space`, from where the breadth-first search started."""
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
