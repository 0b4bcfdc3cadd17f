"""Can a target be reached? `everafter.search.unordered` by several workers, who hand each other nodes to expand.

A node belongs to the worker that discovers it, and colours tell who that is: of all that add DISCOVERED to a colour,
one finds it was not there. So every node is expanded exactly once.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm
from everafter.search.framework import TOGETHER, expand_all
from everafter.search.parallel.space import SharedStore, colour_shared, give, raise_abort, take
from everafter.search.space import ANSWERED, COMPLETED, DISCOVERED, STOPPED, TARGET, expand
from everafter.search.unordered import FOUND, found_state


def keep_own(space: SharedStore, target: int, begin: int, end: int) -> int:
    """Move down to `target`, in the `pending` of `space`, the nodes from `begin` to `end` that this worker discovers.

    Returns where they end, or FOUND.
    """
    for position in range(begin, end):
        node = space.pending[position]
        if not space.colour[node] & DISCOVERED and not colour_shared(space, node, DISCOVERED) & DISCOVERED:
            if space.colour[node] & TARGET:
                space.found[1] = node
                return FOUND
            space.pending[target] = node
            target += 1
    return target


def expand_own(space: SharedStore, height: int) -> int:
    """Expand the lowest `height` nodes of `pending` in `space`, and all that this worker discovers from them."""
    while height > 0:
        count = min(TOGETHER, height)
        space.limit[0] = height
        if space.abort[0] or not expand_all(space, space.pending, height - count, count, 1):
            return STOPPED
        height = keep_own(space, height - count, height, space.limit[count])
        if height > 0:
            height = give(space, height)
    return ANSWERED if height == FOUND else COMPLETED


def search_initial(space: SharedStore) -> int:
    """Expand the initial states that this worker discovers, and all that it discovers from them."""
    outcome = COMPLETED
    for start in space.initial:
        if outcome == COMPLETED and not colour_shared(space, start, DISCOVERED) & DISCOVERED:
            if space.colour[start] & TARGET:
                space.found[1] = start
                outcome = ANSWERED
            elif not expand(space, start, 0):
                outcome = STOPPED
            else:
                height = keep_own(space, 0, 0, space.limit[0])
                outcome = ANSWERED if height == FOUND else expand_own(space, height)
    return outcome


def search_unordered_shared(space: SharedStore) -> int:
    """Tell whether a target can be reached: with every worker COMPLETED, none can.

    Proof: proofs/search/parallel/unordered.vpr, method search_unordered_shared.
    """
    outcome = search_initial(space)
    while outcome == COMPLETED:
        height = take(space)
        if height == 0:
            return COMPLETED
        outcome = expand_own(space, height) if height > 0 else STOPPED
    raise_abort(space)
    return outcome


TEAM_UNORDERED_ALGORITHM = Algorithm(
    "unordered", "reachability", "team", search_unordered_shared, found_state, gives_path=False
)
