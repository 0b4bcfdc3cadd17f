"""Can a target be reached? Depth-first by several workers, each in an order of its own.

A worker does not enter what any of them is done with. On their ways down they may meet, and then they part again, as
their orders differ: a target that one order passes by at first, another one meets soon.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm
from everafter.search.parallel.framework import SharedSearch, forest_shared
from everafter.search.parallel.space import SharedStore, colour_shared, raise_abort
from everafter.search.space import ANSWERED, DISCOVERED, GO_ON, TARGET, Answered


def into_target_shared(space: SharedStore, depth: int, node: int) -> int:
    """ACTION: answer when the edge of `space` from `depth` leads to a target, `node`."""
    if not space.colour[node] & TARGET:
        return GO_ON
    space.found[0] = depth
    space.found[1] = node
    return ANSWERED


def leave_shared(space: SharedStore, _depth: int, node: int) -> int:
    """POST: colour `node` DISCOVERED for all workers on `space`: no target is left to be found behind it."""
    colour_shared(space, node, DISCOVERED)
    return GO_ON


DEPTH_FIRST_SHARED = SharedSearch(DISCOVERED, restricted=DISCOVERED, action=into_target_shared, post=leave_shared)


def search_target_shared(space: SharedStore) -> int:
    """Answer with a target that can be reached; with every worker COMPLETED, none can.

    Proof: proofs/search/parallel/reachability.vpr, method search_target_shared.
    """
    for start in space.initial:
        if into_target_shared(space, -1, start) == ANSWERED:
            raise_abort(space)
            return ANSWERED
    return forest_shared(space, DEPTH_FIRST_SHARED)


TEAM_DEPTH_FIRST_ALGORITHM = Algorithm("depth-first", "reachability", "team", search_target_shared, Answered.found_path)
