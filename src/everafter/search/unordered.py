"""Can a target be reached? The question where the order of the search is free, and with it the fastest answer.

Nodes are expanded many together, so that a native store can wait for memory once for all of them. There is no path to
read off; it is looked for among the states that are stored.
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.search.algorithm import Algorithm
from everafter.search.framework import TOGETHER, expand_all
from everafter.search.graph import S, Transitions
from everafter.search.meter import Meter
from everafter.search.space import (
    ANSWERED,
    COMPLETED,
    DISCOVERED,
    NO_STATE,
    STOPPED,
    TARGET,
    Answered,
    Space,
    Store,
    expand,
)

FOUND = -1


def keep_new(space: Store, target: int, begin: int, end: int) -> int:
    """Move down to `target`, in the `pending` of `space`, the undiscovered nodes from `begin` to `end`, discovered now.

    Returns where they end, or FOUND.
    Proof: proofs/search/unordered.vpr, method keep_new.
    """
    for position in range(begin, end):
        node = space.pending[position]
        if not space.colour[node] & DISCOVERED:
            space.colour[node] |= DISCOVERED
            if space.colour[node] & TARGET:
                space.found[1] = node
                return FOUND
            space.pending[target] = node
            target += 1
    return target


def search_unordered(space: Store) -> int:
    """Tell whether a target can be reached, and no more: in no particular order, with no path to it.

    `pending` is a stack of nodes still to expand. Some are taken at a time; their successors are written above the
    stack, and those that are new move down onto it.
    Proof: proofs/search/unordered.vpr, method search_unordered.
    """
    for start in space.initial:
        if space.colour[start] & TARGET:
            space.found[1] = start
            return ANSWERED
        space.colour[start] |= DISCOVERED
    for start in space.initial:
        if not expand(space, start, 0):
            return STOPPED
        height = keep_new(space, 0, 0, space.limit[0])
        while height > 0:
            count = min(TOGETHER, height)
            space.limit[0] = height
            if not expand_all(space, space.pending, height - count, count, 1):
                return STOPPED
            height = keep_new(space, height - count, height, space.limit[count])
        if height == FOUND:
            return ANSWERED
    return COMPLETED


def found_state(space: Answered[S]) -> tuple[S, ...]:
    """The target that was found."""
    return space.named([space.found[1]])


UNORDERED_ALGORITHM = Algorithm("unordered", "reachability", "one", search_unordered, found_state, gives_path=False)


def find_target(
    graph: Transitions[S], is_target: Callable[[S], bool], meter: Meter | None = None
) -> tuple[S, ...] | None:
    """Return a reachable state of `graph` for which `is_target` holds, alone, or None if there is none.

    `meter` counts the search and may stop it, which raises `Stopped`.
    """
    space = Space(graph.initial(), graph.successors, lambda state: TARGET if is_target(state) else NO_STATE, meter)
    found: tuple[S, ...] | None = UNORDERED_ALGORITHM.run(space)
    return found
