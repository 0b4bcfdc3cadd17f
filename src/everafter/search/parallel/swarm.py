"""Swarmed nested depth-first search: each worker searches alone, in an order of its own; the first answer ends all.

Holzmann, Joshi, Groce, "Swarm verification techniques", TSE 2011. All colours are the worker's own. Each worker runs
the search of Schwoon and Esparza (everafter.search.nested), so what one of them says is true without the others: an
answer, and also "completed".
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm
from everafter.search.parallel.framework import (
    SharedSearch,
    depth_first_shared_again,
    forest_shared,
    onto_own_path,
    report_lasso,
)
from everafter.search.parallel.space import PINK, SharedStore
from everafter.search.space import ACCEPTING, DISCOVERED, GO_ON, ON_PATH, Answered

SWARM_RED = SharedSearch(PINK, action=onto_own_path, remove=onto_own_path)


def onto_own_path_accepting(space: SharedStore, depth: int, node: int) -> int:
    """REMOVE, early cycle detection: answer when the edge of `space` from `depth` to `node` closes an accepting cycle.

    That is when `node` is on this worker's path, and either end of the edge is accepting.
    """
    if not space.own[node] & ON_PATH:
        return GO_ON
    if space.colour[node] & ACCEPTING or space.colour[space.stack[depth]] & ACCEPTING:
        return report_lasso(space, depth, node)
    return GO_ON


def swarm_leave(space: SharedStore, depth: int, node: int) -> int:
    """POST: if `node`, at `depth` of `space`, is accepting, look for a way from it to any node of the path."""
    return depth_first_shared_again(space, depth, SWARM_RED) if space.colour[node] & ACCEPTING else GO_ON


SWARM = SharedSearch(DISCOVERED, ON_PATH, remove=onto_own_path_accepting, post=swarm_leave)


def search_swarm(space: SharedStore) -> int:
    """Answer with a path that closes an accepting cycle.

    Proof: proofs/search/parallel/swarm.vpr, method search_swarm.
    """
    return forest_shared(space, SWARM)


SWARM_ALGORITHM = Algorithm(
    "swarm",
    "cycle",
    "team",
    search_swarm,
    Answered.lasso,
    paper="Holzmann, Joshi, Groce, TSE 2011",
    one_suffices=True,
)
