"""Wrong parallel searches, each with one planted mistake that some interleaving must show."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from everafter.search.parallel import acyclic
from everafter.search.parallel.acyclic import ACYCLIC, BASE
from everafter.search.parallel.cndfs import CNDFS, CNDFS_RED, await_gathered, redden_gathered
from everafter.search.parallel.framework import (
    depth_first_shared,
    depth_first_shared_again,
    descend_shared,
    enter_own,
    forest_shared,
    go_on,
)
from everafter.search.parallel.pndfs import PNDFS, PNDFS_ALL_RED, PNDFS_RED, note_unless_red, pndfs_leave
from everafter.search.parallel.space import MIXED, PINK, SharedStore, add_shared, colour_shared, pause
from everafter.search.space import ACCEPTING, COMPLETED, DISCOVERED, GO_ON, ON_PATH, RED, STOPPED
from oracles.search.parallel.worker_states import Kernel


def leave_all_red_at_once(space: SharedStore, depth: int, node: int) -> int:
    """All-red as it was published first: without `await s.count = 0`."""
    outcome = GO_ON
    if space.own[node] & MIXED:
        outcome = pndfs_leave(space, depth, node)
    else:
        colour_shared(space, node, RED)
    if outcome == GO_ON and depth > 0:
        note_unless_red(space, depth - 1, node)
    return outcome


def red_leave_at_once(space: SharedStore, _depth: int, node: int) -> int:
    """Line 23, the await, is missing."""
    if space.colour[node] & ACCEPTING:
        add_shared(space, node, -1)
    colour_shared(space, node, RED)
    space.own[node] &= ~PINK
    return GO_ON


def red_leave_deaf(space: SharedStore, _depth: int, node: int) -> int:
    """A worker that waits does not hear that it is to stop."""
    if space.colour[node] & ACCEPTING:
        add_shared(space, node, -1)
        while space.count[node]:
            pause(space, 0)
    colour_shared(space, node, RED)
    space.own[node] &= ~PINK
    return GO_ON


def red_leave_counted(space: SharedStore, _depth: int, node: int) -> int:
    """Line 22 is missing: a worker waits for itself."""
    if space.colour[node] & ACCEPTING:
        turn = 0
        while space.count[node]:
            if not pause(space, turn):
                return STOPPED
            turn += 1
    colour_shared(space, node, RED)
    space.own[node] &= ~PINK
    return GO_ON


RED_AT_ONCE = PNDFS_RED._replace(post=red_leave_at_once)
RED_DEAF = PNDFS_RED._replace(post=red_leave_deaf)
RED_COUNTED = PNDFS_RED._replace(post=red_leave_counted)


def leave_at_once(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search, with the red search that does not wait."""
    if not space.colour[node] & ACCEPTING or space.colour[node] & RED:
        return GO_ON
    add_shared(space, node, 1)
    return depth_first_shared_again(space, depth, RED_AT_ONCE)


def leave_deaf(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search, with the red search that does not hear."""
    if not space.colour[node] & ACCEPTING or space.colour[node] & RED:
        return GO_ON
    add_shared(space, node, 1)
    return depth_first_shared_again(space, depth, RED_DEAF)


def leave_counted(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search, with the red search that stays counted."""
    if not space.colour[node] & ACCEPTING or space.colour[node] & RED:
        return GO_ON
    add_shared(space, node, 1)
    return depth_first_shared_again(space, depth, RED_COUNTED)


def leave_red_early(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search: the node is red before its red search has begun."""
    if not space.colour[node] & ACCEPTING or space.colour[node] & RED:
        return GO_ON
    colour_shared(space, node, RED)
    add_shared(space, node, 1)
    return depth_first_shared_again(space, depth, PNDFS_RED)


def cndfs_leave_at_once(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search of CNDFS without the await."""
    colour_shared(space, node, DISCOVERED)
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    outcome = depth_first_shared_again(space, depth, CNDFS_RED)
    if outcome == GO_ON:
        redden_gathered(space)
    return outcome


def cndfs_leave_waiting_for_seed(space: SharedStore, depth: int, node: int) -> int:
    """POST of the blue search of CNDFS that waits for all accepting nodes it has gathered, the seed among them."""
    colour_shared(space, node, DISCOVERED)
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    outcome = depth_first_shared_again(space, depth, CNDFS_RED)
    if outcome == GO_ON:
        outcome = await_gathered(space, -1)
    if outcome == GO_ON:
        redden_gathered(space)
    return outcome


ALL_RED_AT_ONCE = PNDFS_ALL_RED._replace(post=leave_all_red_at_once)
AT_ONCE = PNDFS._replace(post=leave_at_once)
DEAF = PNDFS._replace(post=leave_deaf)
COUNTED = PNDFS._replace(post=leave_counted)
RED_EARLY = PNDFS._replace(post=leave_red_early)
CNDFS_AT_ONCE = CNDFS._replace(post=cndfs_leave_at_once)
CNDFS_FOR_SEED = CNDFS._replace(post=cndfs_leave_waiting_for_seed)


def search_all_red_at_once(space: SharedStore) -> int:
    return forest_shared(space, ALL_RED_AT_ONCE)


def search_at_once(space: SharedStore) -> int:
    return forest_shared(space, AT_ONCE)


def search_deaf(space: SharedStore) -> int:
    return forest_shared(space, DEAF)


def search_counted(space: SharedStore) -> int:
    return forest_shared(space, COUNTED)


def search_red_early(space: SharedStore) -> int:
    return forest_shared(space, RED_EARLY)


def search_cndfs_at_once(space: SharedStore) -> int:
    return forest_shared(space, CNDFS_AT_ONCE)


def search_cndfs_for_seed(space: SharedStore) -> int:
    return forest_shared(space, CNDFS_FOR_SEED)


def search_silent(space: SharedStore) -> int:
    """A worker that has an answer tells nobody to stop."""
    outcome = COMPLETED
    for start in space.initial:
        if outcome == COMPLETED and not space.colour[start] & RED:
            outcome = depth_first_shared(space, start, PNDFS)
    return outcome


def search_marked(space: SharedStore, start: int, begin: int) -> int:
    """An ordered node from which a worker begins is discovered at once, like a free one."""
    space.limit[BASE - 1] = begin
    colour_shared(space, start, DISCOVERED)
    outcome = enter_own(space, BASE, start, ON_PATH)
    return descend_shared(space, BASE, ACYCLIC) if outcome == GO_ON else outcome


def with_other(**names: Any) -> Kernel:
    """`search_acyclic` as it were if its module had other values for these names."""
    names = {**vars(acyclic), **names}
    for name, value in vars(acyclic).items():
        if isinstance(value, FunctionType) and value is names[name] and value.__module__ == acyclic.__name__:
            names[name] = FunctionType(value.__code__, names, name)
            names[name].__annotations__ = value.__annotations__
    kernel: Kernel = names["search_acyclic"]
    return kernel


search_acyclic_marked = with_other(search_ordered=search_marked)
search_acyclic_open = with_other(ACYCLIC=ACYCLIC._replace(action=go_on))
"""Edges from ordered nodes to free ones are taken for granted."""
