"""Parallel nested depth-first search with shared red, and its two extensions.

Laarman, Langerak, van de Pol, Weber, Wijs, ATVA 2011; verified by Oortwijn, Huisman, Joosten, van de Pol, TACAS 2020.
The lines are those of the latter's Fig. 2; their names and ours:

    s.color[tid]      white: no bit; cyan: DISCOVERED and ON_PATH; blue: DISCOVERED; all in the worker's own byte
    s.pink[tid]       PINK in the worker's own byte
    s.red, s.count    RED in the shared colour, and `count`
    allred            not MIXED, in the own byte of the node it speaks of
    exit all          `raise_abort` in `forest_shared`

Only a node from which no accepting cycle can be missed any more becomes red, and no worker enters a red node. An
accepting node becomes red when all red searches from it are over, so that none of them is cut off half-way.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm
from everafter.search.parallel.framework import (
    SharedSearch,
    await_uncounted,
    depth_first_shared_again,
    forest_shared,
    onto_own_path,
)
from everafter.search.parallel.space import MIXED, PINK, SharedStore, add_shared, colour_shared
from everafter.search.parallel.swarm import onto_own_path_accepting
from everafter.search.space import ACCEPTING, DISCOVERED, GO_ON, ON_PATH, RED, Answered


def pndfs_red_leave(space: SharedStore, _depth: int, node: int) -> int:
    """POST of the red search, lines 21–24: make `node` red in `space`.

    An accepting one becomes red after all red searches from it.
    """
    if space.colour[node] & ACCEPTING:
        add_shared(space, node, -1)
        outcome = await_uncounted(space, node)
        if outcome != GO_ON:
            return outcome
    colour_shared(space, node, RED)
    space.own[node] &= ~PINK
    return GO_ON


PNDFS_RED = SharedSearch(PINK, restricted=RED, action=onto_own_path, remove=onto_own_path, post=pndfs_red_leave)


def pndfs_leave(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search, lines 6–8: from `node`, if accepting and not red, search red at `depth` of `space`."""
    if not space.colour[node] & ACCEPTING or space.colour[node] & RED:
        return GO_ON
    add_shared(space, node, 1)
    return depth_first_shared_again(space, depth, PNDFS_RED)


def note_unless_red(space: SharedStore, depth: int, node: int) -> int:
    """Line 7 of Fig. 7b: unless `node` is red in `space`, its predecessor on the path, at `depth`, becomes MIXED.

    A MIXED node has a successor that is not red, and so is not made red for having red ones only.
    """
    if not space.colour[node] & RED:
        space.own[space.stack[depth]] |= MIXED
    return GO_ON


def pndfs_leave_all_red(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search in Fig. 7b, lines 8–13, at `node`, `depth` of `space`; then line 7 of the node before."""
    if space.own[node] & MIXED:
        outcome = pndfs_leave(space, depth, node)
    else:
        outcome = await_uncounted(space, node)
        if outcome == GO_ON:
            colour_shared(space, node, RED)
    if outcome == GO_ON and depth > 0:
        note_unless_red(space, depth - 1, node)
    return outcome


def early_or_note(space: SharedStore, depth: int, node: int) -> int:
    """REMOVE of both extensions together: answer on a cycle that the edge of `space` from `depth` to `node` closes.

    Otherwise note whether `node` is red.
    """
    outcome = onto_own_path_accepting(space, depth, node)
    return note_unless_red(space, depth, node) if outcome == GO_ON else outcome


PNDFS = SharedSearch(DISCOVERED, ON_PATH, RED, post=pndfs_leave)
PNDFS_EARLY = SharedSearch(DISCOVERED, ON_PATH, RED, remove=onto_own_path_accepting, post=pndfs_leave)
PNDFS_ALL_RED = SharedSearch(DISCOVERED, ON_PATH, RED, remove=note_unless_red, post=pndfs_leave_all_red)
PNDFS_EARLY_ALL_RED = SharedSearch(DISCOVERED, ON_PATH, RED, remove=early_or_note, post=pndfs_leave_all_red)


def search_pndfs(space: SharedStore) -> int:
    """Answer with a path that closes an accepting cycle: Fig. 2.

    Proof: proofs/search/parallel/pndfs.vpr, method search_pndfs.
    """
    return forest_shared(space, PNDFS)


def search_pndfs_early(space: SharedStore) -> int:
    """The same with early cycle detection, Fig. 7a.

    Proof: proofs/search/parallel/pndfs.vpr, method search_pndfs.
    """
    return forest_shared(space, PNDFS_EARLY)


def search_pndfs_all_red(space: SharedStore) -> int:
    """The same with all-red as it was repaired, Fig. 7b.

    Proof: proofs/search/parallel/pndfs.vpr, method search_pndfs.
    """
    return forest_shared(space, PNDFS_ALL_RED)


def search_pndfs_early_all_red(space: SharedStore) -> int:
    """The same with both.

    Proof: proofs/search/parallel/pndfs.vpr, method search_pndfs.
    """
    return forest_shared(space, PNDFS_EARLY_ALL_RED)


PNDFS_PAPER = "Laarman et al., ATVA 2011; Oortwijn, Huisman, Joosten, van de Pol, TACAS 2020"
PNDFS_ALGORITHMS = tuple(
    Algorithm(name, "cycle", "team", kernel, Answered.lasso, paper=PNDFS_PAPER)
    for name, kernel in (
        ("pndfs", search_pndfs),
        ("pndfs-early", search_pndfs_early),
        ("pndfs-all-red", search_pndfs_all_red),
        ("pndfs-early-all-red", search_pndfs_early_all_red),
    )
)
