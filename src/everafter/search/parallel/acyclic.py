"""Is there an accepting cycle? For graphs that no edge leads out of once it has led to an accepting node.

So it is with the claims of many formulas, `[] (p -> <> q)` among them: what they wait for, they wait for to the end.
Then only the part of the graph behind the first accepting nodes matters, and every cycle there is an accepting one.
Nodes of that part are ORDERED, the others are free.

Free nodes may be expanded in any order, each by one worker, as in `everafter.search.parallel.unordered`. An ordered one
is searched depth-first by each worker that meets it, and DISCOVERED for all when one leaves it. All its successors were
discovered before it, for an edge onto the worker's own path is an answer. So no cycle can be discovered, and
when all is, there is none. No worker waits for another, and none searches a node twice. The order in which
nodes are discovered is their rank: it falls along every edge between ordered nodes.

That the graph is of this kind is checked, not assumed: an accepting node that is not ordered, an edge from an ordered
node to a free one, or a cycle without an accepting node makes a worker UNDECIDED. (A claim does not move inside an
atomic sequence, so that one that repeats for ever is such a cycle.)
"""

from __future__ import annotations

from typing import Final

from everafter.search.algorithm import Algorithm
from everafter.search.framework import TOGETHER, expand_all
from everafter.search.graph import S
from everafter.search.lasso import Lasso
from everafter.search.parallel.framework import SharedSearch, descend_shared, enter_own, report_lasso
from everafter.search.parallel.space import (
    ORDERED,
    SharedStore,
    colour_shared,
    draw_rank,
    give,
    give_rank,
    offer,
    raise_abort,
    take,
    withdraw,
)
from everafter.search.space import (
    ACCEPTING,
    COMPLETED,
    DISCOVERED,
    GO_ON,
    ON_PATH,
    STOPPED,
    UNDECIDED,
    Answered,
    expand,
)

ALONE: Final = 1 << 14
"""So many free nodes a worker expands one at a time, depth-first: many a cycle is found by going straight on."""
BASE: Final = TOGETHER + 1
"""The frame of the ordered node from which a worker searches depth-first, above those of the free ones it expands."""


def into_ordered(space: SharedStore, _depth: int, node: int) -> int:
    """ACTION: return UNDECIDED when an edge of `space` leads from an ordered node to `node` and that is a free one."""
    return GO_ON if space.colour[node] & ORDERED else UNDECIDED


def onto_cycle(space: SharedStore, depth: int, node: int) -> int:
    """REMOVE: answer when the cycle closed by the edge of `space` from `depth` to `node` is accepting.

    If it is not, return UNDECIDED.
    """
    position = depth
    while space.stack[position] != node and not space.colour[space.stack[position]] & ACCEPTING:
        position -= 1
    return report_lasso(space, depth, node) if space.colour[space.stack[position]] & ACCEPTING else UNDECIDED


def discover(space: SharedStore, _depth: int, node: int) -> int:
    """POST: give `node` of `space` the next rank and make it DISCOVERED for all workers.

    All that it leads to is discovered already.
    """
    rank = draw_rank(space)
    give_rank(space, node, rank)
    colour_shared(space, node, DISCOVERED)
    return GO_ON


ACYCLIC = SharedSearch(ON_PATH, ON_PATH, DISCOVERED, action=into_ordered, remove=onto_cycle, post=discover)


def search_ordered(space: SharedStore, start: int, begin: int) -> int:
    """Search depth-first from the ordered node `start` of `space`, with successors in `pending` from `begin` on."""
    space.limit[TOGETHER] = begin
    offer(space, start)
    outcome = enter_own(space, BASE, start, ON_PATH)
    if outcome == GO_ON:
        outcome = descend_shared(space, BASE, ACYCLIC)
    withdraw(space)
    return outcome


def meet(space: SharedStore, source: int, begin: int, end: int, target: int, free: int) -> int:
    """Search from the ordered nodes of `pending` from `begin` to `end`, and keep the free ones this worker discovers.

    These are written from `target` on; return where they end, or minus the outcome that ends the search. `source` is
    the node all were reached from, and the `pending` of `space` can be used from `free` on.
    """
    for position in range(begin, end):
        node = space.pending[position]
        if not space.colour[node] & DISCOVERED:
            outcome = GO_ON
            if space.colour[node] & ORDERED:
                space.parent[node] = source
                outcome = search_ordered(space, node, free)
            elif space.colour[node] & ACCEPTING:
                outcome = UNDECIDED
            elif not colour_shared(space, node, DISCOVERED) & DISCOVERED:
                space.parent[node] = source
                space.pending[target] = node
                target += 1
            if outcome != GO_ON:
                return -outcome
    return target


def expand_some(space: SharedStore, first: int, count: int) -> bool:
    """Write the successors of `count` nodes of `pending`, from `first` on, into the frames of `space` from 1 up.

    Returns false when the meter says stop.
    """
    if count == 1:  # in an order of the worker's own, where it has one
        return expand(space, space.pending[first], 1)
    return expand_all(space, space.pending, first, count, 1)


def turn_round(space: SharedStore, begin: int, end: int) -> None:
    """Reverse the `pending` of `space` from `begin` to before `end`, so that its first node is the next to be taken."""
    while begin < end - 1:
        end -= 1
        node = space.pending[begin]
        space.pending[begin] = space.pending[end]
        space.pending[end] = node
        begin += 1


def expand_free(space: SharedStore, height: int) -> int:
    """Expand the lowest `height` nodes of `pending` in `space`, free ones, and all this worker discovers from them."""
    while height > 0:
        depth = min(TOGETHER, height) if space.clock[0] >= ALONE else 1
        space.clock[0] += depth
        space.limit[0] = height
        height -= depth
        below = height
        if space.abort[0] or not expand_some(space, height, depth):
            return STOPPED
        for frame in range(1, depth + 1):  # these are about to be overwritten
            space.stack[frame] = space.pending[space.limit[0] - depth + frame - 1]
        free = space.limit[depth]
        frame = 1
        while frame <= depth and height >= 0:
            height = meet(space, space.stack[frame], space.cursor[frame], space.limit[frame], height, free)
            frame += 1
        if depth == 1:
            turn_round(space, below, height)
        if height > 0:
            height = give(space, height)
    return -height


def search_from(space: SharedStore, node: int) -> int:
    """Search `space` from `node` alone: depth-first if it is ordered, in any order if it is free."""
    space.pending[0] = node
    height = meet(space, -1, 0, 1, 0, 1)
    return expand_free(space, height) if height >= 0 else -height


def search_acyclic(space: SharedStore) -> int:
    """Answer with a path that closes an accepting cycle; with every worker COMPLETED, there is none.

    Proof: proofs/search/parallel/acyclic.vpr, method search_acyclic.
    """
    outcome = COMPLETED
    for start in space.initial:
        if outcome == COMPLETED:
            outcome = search_from(space, start)
    while outcome == COMPLETED:
        height = take(space)
        if height == 0:
            return COMPLETED
        if height < 0:
            outcome = STOPPED
        elif space.colour[space.pending[0]] & ORDERED:
            outcome = search_ordered(space, space.pending[0], 1)
        else:
            outcome = expand_free(space, height)
    raise_abort(space)
    return outcome


def stemmed_lasso(space: Answered[S]) -> Lasso[S]:
    """The path that answers, behind the way by which its first node was met.

    Proof: proofs/search/parallel/acyclic_place.vpr, method stemmed_lasso.
    """
    path = list(space.stack[BASE : space.found[0] + 1])
    entry = path.index(space.found[1])
    stem: list[int] = []
    before = space.parent[path[0]]
    while before >= 0:
        stem.append(before)
        before = space.parent[before]
    return Lasso(space.named([*reversed(stem), *path[:entry]]), space.named(path[entry:])).folded()


ACYCLIC_ALGORITHM = Algorithm(
    "acyclic",
    "cycle",
    "team",
    search_acyclic,
    stemmed_lasso,
    columns=("parent",),
    unread=("below",),
    base=BASE,
    fallback="cndfs",
)
