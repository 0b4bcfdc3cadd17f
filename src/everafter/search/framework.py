"""One depth-first and one breadth-first search, open at every step: the framework on which the algorithms are built.

René Neumann, "A framework for verified depth-first algorithms", 2012, Algorithm 3. The paper's names and ours:

    stack s, wl s        frames of the store: `stack`, and `pending` between `cursor` and `limit`
    visited, R           bits of the colour, which a search names
    ACTION σ s e         action(space, depth, node): a new node; the path still ends before it
    REMOVE σ s e         remove(space, depth, node): an edge to a visited node
    POST σ s x           post(space, depth, node): backtracking from the last node of the path
    σ                    colours and columns of the store, and the answer in `found`
    COND σ               no hook has returned anything but GO_ON
    δ, φ                 the hooks `stamp_discovery` and `stamp_finish`, for ACTION and POST when times are wanted

Every hook sees the path in `stack[0 … depth]`; the edge it is called for leaves `stack[depth]`. A search comes to
COMPLETED, ANSWERED by a hook (the answer of a search nested in a hook ends both), or STOPPED by `expand`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from everafter.search.fields import Numbers
from everafter.search.space import ANSWERED, COMPLETED, GO_ON, NO_STATE, STOPPED, Store, expand

TOGETHER = 16  # how many nodes are expanded together where the order is free

Hook = Callable[[Store, int, int], int]


def nothing(_space: Store, _depth: int, _node: int) -> int:
    """The hook that changes nothing and goes on.

    Proof: proofs/search/breadth.vpr, method nothing.
    Proof: proofs/search/entering.vpr, method nothing.
    """
    return GO_ON


class Search(NamedTuple):
    """One instance of the framework: the sets it works on, as bits of the colour, and its hooks."""

    visited: int
    path: int = NO_STATE
    """A visited node also has this bit while it is on the path."""
    restricted: int = NO_STATE
    """A node with a bit of these is not entered: the paper's R."""
    action: Hook = nothing
    remove: Hook = nothing
    post: Hook = nothing


def report(space: Store, depth: int, node: int) -> int:
    """Answer with the path of `space` up to `depth` and `node`, to which its last state leads; return ANSWERED.

    Proof: proofs/search/breadth.vpr, method report.
    Proof: proofs/search/entering.vpr, method report.
    """
    space.found[0] = depth
    space.found[1] = node
    return ANSWERED


def stamp_discovery(space: Store, _depth: int, node: int) -> int:
    """Advance the clock of `space`, and note it as the time at which `node` is discovered.

    Proof: proofs/search/components/hooks.vpr, method stamp_discovery.
    """
    space.clock[0] += 1
    space.discovery[node] = space.clock[0]
    return GO_ON


def stamp_finish(space: Store, _depth: int, node: int) -> int:
    """Advance the clock of `space`, and note it as the time at which `node` is finished."""
    space.clock[0] += 1
    space.finish[node] = space.clock[0]
    return GO_ON


def enter(space: Store, depth: int, node: int, bits: int) -> int:
    """Make `node` the end of the path of `space`, at `depth`, add `bits` to its colour and expand it; GO_ON or STOPPED.

    Proof: proofs/search/entering.vpr, method enter.
    On a store with acceptance sets. Proof: proofs/search/generalised/hooks.vpr, method enter_marked.
    """
    space.stack[depth] = node
    space.colour[node] |= bits
    if depth >= space.deepest[0]:
        space.deepest[0] = depth + 1
    return GO_ON if expand(space, node, depth) else STOPPED


def enter_again(space: Store, depth: int, bits: int) -> None:
    """Add `bits` to the colour of the end of the path of `space`, at `depth`, and go back to its first successor.

    The successors are still in its frame: nothing is expanded.
    Proof: proofs/search/entering.vpr, method enter_again.
    """
    space.colour[space.stack[depth]] |= bits
    space.cursor[depth] = space.limit[depth - 1] if depth > 0 else 0


def depth_first(space: Store, start: int, base: int, search: Search) -> int:
    """Run `search` on `space` from `start`, on the frames from `base` up; return the outcome.

    As in the paper, ACTION is not called for the start, and the start is not tested for R.
    Whatever the hooks do. Proof: proofs/search/framework.vpr, method depth_first.
    With the hooks of some searches, literally. Proof: proofs/search/depth.vpr, method depth_first_to_target.
    Proof: proofs/search/nested_blue.vpr, method depth_first_courcoubetis.
    Proof: proofs/search/components.vpr, method depth_first_tarjan.
    Proof: proofs/search/generalised.vpr, method depth_first_couvreur.
    """
    outcome = enter(space, base, start, search.visited | search.path)
    return descend(space, base, search) if outcome == GO_ON else outcome


def depth_first_again(space: Store, base: int, search: Search) -> int:
    """Run `search` on `space` from the end of a path, at `base`, that another search is about to leave in its POST.

    Proof: proofs/search/nested_red.vpr, method depth_first_again_to_seed.
    """
    enter_again(space, base, search.visited | search.path)
    return descend(space, base, search)


def descend(space: Store, base: int, search: Search) -> int:
    """Run `search` on `space` from the node just entered at `base`, until that is left or a hook answers.

    Proof: proofs/search/depth.vpr, method descend_to_target.
    Proof: proofs/search/nested_red.vpr, method descend_to_seed.
    Proof: proofs/search/nested_blue.vpr, method descend_courcoubetis.
    Proof: proofs/search/components.vpr, method descend_tarjan.
    Proof: proofs/search/generalised.vpr, method descend_couvreur.
    """
    depth = base
    outcome = GO_ON
    while outcome == GO_ON and depth >= base:
        position = space.cursor[depth]
        if position == space.limit[depth]:
            node = space.stack[depth]
            outcome = search.post(space, depth, node)
            space.colour[node] &= ~search.path
            depth -= 1
        else:
            space.cursor[depth] = position + 1
            node = space.pending[position]
            if space.colour[node] & search.restricted:
                outcome = GO_ON
            elif space.colour[node] & search.visited:
                outcome = search.remove(space, depth, node)
            else:
                outcome = search.action(space, depth, node)
                if outcome == GO_ON:
                    depth += 1
                    outcome = enter(space, depth, node, search.visited | search.path)
    return outcome


def forest(space: Store, search: Search) -> int:
    """Run `search` from each initial state of `space` that the searches before it have not visited, unless it is in R.

    ACTION is called for it, with depth -1 for the empty path, in place of the paper's first σ.
    Whatever the hooks do. Proof: proofs/search/framework.vpr, method forest.
    With the hooks of some searches, literally. Proof: proofs/search/depth.vpr, method forest_to_target.
    Proof: proofs/search/nested_blue.vpr, method forest_courcoubetis.
    Proof: proofs/search/components.vpr, method forest_tarjan.
    Proof: proofs/search/generalised.vpr, method forest_couvreur.
    """
    outcome = COMPLETED
    for start in space.initial:
        if outcome == COMPLETED and not space.colour[start] & (search.visited | search.restricted):
            outcome = search.action(space, -1, start)
            if outcome == GO_ON:
                outcome = depth_first(space, start, 0, search)
    return outcome


def expand_all(space: Store, nodes: Numbers, first: int, count: int, frame: int) -> bool:
    """Write the successors of `count` nodes, from `nodes[first]` on, into the frames from `frame` up, one frame each.

    `first` is a position in `nodes`, an array of node numbers. Returns false when the meter of `space` says stop.
    What follows does not depend on the order in which these are expanded, so that a native store may do all at once.
    Proof: proofs/search/unordered.vpr, method expand_all.
    Proof: proofs/search/breadth.vpr, method expand_all.
    Proof: proofs/search/trimming/searches.vpr, method expand_all.
    """
    for offset in range(count):  # noqa: SIM110 # a kernel has no generators
        if not expand(space, nodes[first + offset], frame + offset):
            return False
    return True


def breadth_first(space: Store, tail: int, frame: int, inside: int, search: Search) -> int:
    """Run `search` on `space` from the first `tail` nodes of `queue`, visited, through nodes with a bit of `inside`.

    A node's `parent` is the one it was first reached from. ACTION and REMOVE are called as in a depth-first search,
    with `frame` for the depth: the edge they are called for leaves `stack[frame]`.
    Proved as `search_shortest` calls it. Proof: proofs/search/breadth.vpr, method breadth_first.
    With the hooks of OWCTY. Proof: proofs/search/trimming/searches.vpr, method breadth_first_gathering.
    """
    head = 0
    level = 0
    level_end = 0
    while head < tail:
        if head == level_end:
            level += 1
            level_end = tail
            space.deepest[0] = max(space.deepest[0], level)
        count = min(TOGETHER, level_end - head)
        if not expand_all(space, space.queue, head, count, frame):
            return STOPPED
        for depth in range(frame, frame + count):
            source = space.queue[head]
            head += 1
            space.stack[frame] = source
            for position in range(space.cursor[depth], space.limit[depth]):
                space.cursor[frame] = position + 1
                node = space.pending[position]
                outcome = GO_ON
                if space.colour[node] & search.visited:
                    outcome = search.remove(space, frame, node)
                elif space.colour[node] & inside:
                    space.colour[node] |= search.visited
                    space.parent[node] = source
                    space.queue[tail] = node
                    tail += 1
                    outcome = search.action(space, frame, node)
                if outcome != GO_ON:
                    return outcome
    return COMPLETED
