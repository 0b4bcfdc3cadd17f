"""Parallel nested depth-first search with shared blue and shared red.

Evangelista, Laarman, Petrucci, van de Pol, "Improved multi-core nested depth-first search", ATVA 2012. The
paper's names and ours:

    s.cyan[p]        ON_PATH in the worker's own byte
    s.blue, s.red    DISCOVERED and RED in the shared colour
    R_p              PINK in the worker's own byte; listed in `component[0 … component_height - 1]`, the worker's own

A worker does not enter what any worker is done with, so all of them together search the graph about once. The price: a
red search may meet an accepting node whose own red search is not over. It waits for that node to become red before it
makes red what it has gathered.

What becomes red first has the lower rank: an edge out of R leads to nodes that were red before, the accepting ones
among R's own included. The seed's rank is above that of R, for no edge leads back to it. So along no edge the rank
rises, and it falls behind every accepting node. What never becomes red is behind no accepting node, and has the highest
rank.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm
from everafter.search.parallel.framework import (
    SharedSearch,
    await_colour,
    depth_first_shared_again,
    forest_shared,
    onto_own_path,
)
from everafter.search.parallel.space import PINK, SharedStore, colour_shared, draw_rank, give_rank
from everafter.search.parallel.swarm import onto_own_path_accepting
from everafter.search.space import ACCEPTING, DISCOVERED, GO_ON, ON_PATH, RED, Answered


def gather(space: SharedStore, _depth: int, node: int) -> int:
    """POST of the red search: list `node` in R, the `component` of `space`."""
    space.component[space.component_height[0]] = node
    space.component_height[0] += 1
    return GO_ON


CNDFS_RED = SharedSearch(PINK, restricted=RED, action=onto_own_path, remove=onto_own_path, post=gather)


def await_gathered(space: SharedStore, seed: int) -> int:
    """Wait until each accepting node of R in `space`, other than `seed`, is red.

    GO_ON, or STOPPED if all are to stop.
    """
    for position in range(space.component_height[0]):
        node = space.component[position]
        if node != seed and space.colour[node] & ACCEPTING:
            outcome = await_colour(space, node, RED)
            if outcome != GO_ON:
                return outcome
    return GO_ON


def rank_gathered(space: SharedStore, seed: int) -> None:
    """Give each node of R in `space` a rank above those of all red nodes, and `seed` a rank above that."""
    rank = draw_rank(space)
    for position in range(space.component_height[0]):
        if space.component[position] != seed:
            give_rank(space, space.component[position], rank)
    rank = draw_rank(space)
    give_rank(space, seed, rank)


def redden_gathered(space: SharedStore) -> None:
    """Make all of R red, and R empty."""
    for position in range(space.component_height[0]):
        node = space.component[position]
        colour_shared(space, node, RED)
        space.own[node] &= ~PINK
    space.component_height[0] = 0


def cndfs_leave(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search: make `node` blue in `space` for all workers.

    If it is accepting, search red at `depth`.
    """
    colour_shared(space, node, DISCOVERED)
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    outcome = depth_first_shared_again(space, depth, CNDFS_RED)
    if outcome == GO_ON:
        outcome = await_gathered(space, node)
    if outcome == GO_ON:
        rank_gathered(space, node)
        redden_gathered(space)
    return outcome


CNDFS = SharedSearch(ON_PATH, ON_PATH, DISCOVERED, remove=onto_own_path_accepting, post=cndfs_leave)


def search_cndfs(space: SharedStore) -> int:
    """Answer with a path that closes an accepting cycle.

    Proof: proofs/search/parallel/cndfs.vpr, method search_cndfs.
    """
    return forest_shared(space, CNDFS)


CNDFS_ALGORITHM = Algorithm(
    "cndfs",
    "cycle",
    "team",
    search_cndfs,
    Answered.lasso,
    paper="Evangelista, Laarman, Petrucci, van de Pol, ATVA 2012",
    columns=("component",),
    unread=("below",),
)
