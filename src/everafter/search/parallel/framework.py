"""Depth-first search by one of several workers: the framework's search, on colours of which some are shared.

It is `everafter.search.framework.depth_first` with two differences. A node is visited when the worker's own byte says
so, and not entered when the shared colour says that another worker's search makes this unnecessary. And before it
enters a node, the worker looks whether it is to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from everafter.search.parallel.space import SharedStore, pause, raise_abort
from everafter.search.space import ANSWERED, COMPLETED, GO_ON, NO_STATE, ON_PATH, STOPPED, expand

SharedHook = Callable[[SharedStore, int, int], int]


def go_on(_space: SharedStore, _depth: int, _node: int) -> int:
    """The hook that changes nothing and goes on."""
    return GO_ON


class SharedSearch(NamedTuple):
    """One instance of the framework: sets as bits, and hooks. The hooks see what those of a `Search` see."""

    visited: int
    """A bit of the worker's own byte."""
    path: int = NO_STATE
    """Another, which a visited node has while it is on the path."""
    restricted: int = NO_STATE
    """Bits of the shared colour: a node with one of them is not entered."""
    action: SharedHook = go_on
    """For each edge to a node that this worker has not visited, restricted or not."""
    remove: SharedHook = go_on
    """For each edge to a node that this worker has visited."""
    post: SharedHook = go_on
    """When the search backtracks from a node, which still is on the path."""


def report_lasso(space: SharedStore, depth: int, node: int) -> int:
    """Answer with the path of `space` up to `depth`, closed by an edge to `node`, which is on it."""
    space.found[0] = depth
    space.found[1] = node
    return ANSWERED


def onto_own_path(space: SharedStore, depth: int, node: int) -> int:
    """ACTION and REMOVE: answer when the edge of `space` from `depth` to `node` leads back to this worker's path."""
    return report_lasso(space, depth, node) if space.own[node] & ON_PATH else GO_ON


def enter_own(space: SharedStore, depth: int, node: int, bits: int) -> int:
    """Make `node` the end of the path of `space`, at `depth`, and add `bits` to this worker's colour of it.

    Returns GO_ON, or STOPPED when the search is to stop.
    """
    if space.abort[0]:
        return STOPPED
    space.stack[depth] = node
    space.own[node] |= bits
    if depth >= space.deepest[0]:
        space.deepest[0] = depth + 1
    return GO_ON if expand(space, node, depth) else STOPPED


def enter_own_again(space: SharedStore, depth: int, bits: int) -> int:
    """Add `bits` to this worker's colour of the end of the path of `space`, at `depth`; go back to its first successor.

    Returns GO_ON, or STOPPED when all workers are to stop.
    """
    if space.abort[0]:
        return STOPPED
    space.own[space.stack[depth]] |= bits
    space.cursor[depth] = space.limit[depth - 1] if depth > 0 else 0
    return GO_ON


def depth_first_shared(space: SharedStore, start: int, search: SharedSearch) -> int:
    """Run `search` on `space` from `start`, on the frames from 0 up; return the outcome.

    ACTION is not called for the start, and the start is entered even if it is restricted.
    """
    outcome = enter_own(space, 0, start, search.visited | search.path)
    return descend_shared(space, 0, search) if outcome == GO_ON else outcome


def depth_first_shared_again(space: SharedStore, base: int, search: SharedSearch) -> int:
    """Run `search` on `space` from the end of a path, at `base`, that another search is about to leave in its POST."""
    outcome = enter_own_again(space, base, search.visited | search.path)
    return descend_shared(space, base, search) if outcome == GO_ON else outcome


def descend_shared(space: SharedStore, base: int, search: SharedSearch) -> int:
    """Run `search` on `space` from the node just entered at `base`, until that is left or a hook answers."""
    depth = base
    outcome = GO_ON
    while outcome == GO_ON and depth >= base:
        position = space.cursor[depth]
        if position == space.limit[depth]:
            node = space.stack[depth]
            outcome = search.post(space, depth, node)
            if outcome == GO_ON:  # else the colours stay as they are: others may still search
                space.own[node] &= ~search.path
                depth -= 1
        else:
            space.cursor[depth] = position + 1
            node = space.pending[position]
            if space.own[node] & search.visited:
                outcome = search.remove(space, depth, node)
            else:
                outcome = search.action(space, depth, node)
                if outcome == GO_ON and not space.colour[node] & search.restricted:
                    depth += 1
                    outcome = enter_own(space, depth, node, search.visited | search.path)
    return outcome


def forest_shared(space: SharedStore, search: SharedSearch) -> int:
    """Run `search` from each initial state of `space` that this worker has not visited, unless it is restricted.

    A worker that does not come to the end tells the others to stop: it has the answer, or they would wait in vain.
    """
    outcome = COMPLETED
    for start in space.initial:
        if outcome == COMPLETED and not (space.own[start] & search.visited or space.colour[start] & search.restricted):
            outcome = depth_first_shared(space, start, search)
    if outcome != COMPLETED:
        raise_abort(space)
    return outcome


def await_uncounted(space: SharedStore, node: int) -> int:
    """Wait until no worker on `space` is in a red search from `node`: the papers' `await s.count = 0`."""
    turn = 0
    while space.count[node]:
        if not pause(space, turn):
            return STOPPED
        turn += 1
    return GO_ON


def await_colour(space: SharedStore, node: int, bits: int) -> int:
    """Wait until `node` has one of `bits` in its shared colour in `space`; GO_ON, or STOPPED when all are to stop."""
    turn = 0
    while not space.colour[node] & bits:
        if not pause(space, turn):
            return STOPPED
        turn += 1
    return GO_ON
