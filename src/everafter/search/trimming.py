"""Accepting cycles without depth-first search: states that cannot be on one are taken away until nothing changes.

OWCTY, "one way catch them young": Fisler, Fraer, Kamhi, Vardi, Yang, TACAS 2001; for explicit states Černá, Pelánek,
SPIN 2003. What is left is ACTIVE. In a round, only states stay that an active accepting state reaches over active ones;
then states without an active predecessor leave, one after the other. When a round takes nothing away, every state left
has a predecessor and is reached from an accepting state; going backwards never ends, so that an accepting cycle exists
if and only if something is left. Breadth-first search alone: it does for levels spread over machines or threads.
Machines that share the states run the same text for the part that each owns (`engine/cluster/owcty_kernels.py`): they
send each other edges, and `arrive`, `withdraw` and `discover` are what a received edge does.

`parent` then leads backwards: over the tree of the last round to an accepting state, and on from there by an edge that
arrived at it. The tree has no cycle, so that every cycle along `parent` has an accepting state on it.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm, accepting_lasso
from everafter.search.breadth import ancestors
from everafter.search.framework import TOGETHER, Search, breadth_first, expand_all
from everafter.search.graph import Graph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.reachability import into_target
from everafter.search.space import (
    ACCEPTING,
    ACTIVE,
    COMPLETED,
    DISCOVERED,
    GO_ON,
    KNOWN,
    ON_PATH,
    RED,
    STOPPED,
    TARGET,
    Searched,
    Store,
)

CUT_SHORT = -1


def collect(space: Store, _depth: int, node: int) -> int:
    """ACTION: make `node` active in `space`: it may be on an accepting cycle, as far as is known.

    Proof: proofs/search/trimming/searches.vpr, method collect.
    """
    space.colour[node] |= ACTIVE
    space.component[space.component_height[0]] = node
    space.component_height[0] += 1
    return GO_ON


def count_edge(space: Store, depth: int, node: int) -> int:
    """ACTION and REMOVE: count an edge between active states of `space`, from the one at `depth`, as one into `node`.

    Proof: proofs/search/trimming/searches.vpr, method count_edge.
    """
    space.predecessors[node] += 1
    if space.parent[node] < 0:
        space.parent[node] = space.stack[depth]
    return GO_ON


def arrive(space: Store, source: int, node: int, tail: int) -> int:
    """Take an edge of a round of `space` from `source`, active and reached, to `node`, as `breadth_first` does.

    `tail` is where `queue` ends; return where it ends then.
    """
    if not space.colour[node] & ACTIVE:
        return tail
    space.stack[0] = source
    count_edge(space, 0, node)
    if space.colour[node] & RED:
        return tail
    space.colour[node] |= RED
    space.queue[tail] = node
    return tail + 1


def discover(space: Store, source: int, node: int, tail: int) -> int:
    """Take an edge from `source`, which the search for the stem of `space` has met, to `node`, as `breadth_first` does.

    `tail` is where `queue` ends; return where it ends then.
    """
    if space.colour[node] & ON_PATH:
        return tail
    space.colour[node] |= ON_PATH
    space.parent[node] = source
    space.queue[tail] = node
    return tail + 1


GATHERING = Search(DISCOVERED, action=collect)
ROUND = Search(RED, action=count_edge, remove=count_edge)
STEM = Search(ON_PATH, action=into_target)


def begin_round(space: Store, length: int) -> int:
    """Clear the edges of the round before for the `length` active states of `space`, and start from the accepting ones.

    These are reached, and in `queue`; return their number.
    Proof: proofs/search/trimming/removing.vpr, method begin_round.
    """
    tail = 0
    for position in range(length):
        node = space.component[position]
        space.predecessors[node] = 0
        space.parent[node] = -1
        if space.colour[node] & ACCEPTING:
            space.colour[node] |= RED
            space.queue[tail] = node
            tail += 1
    return tail


def keep_reached(space: Store, length: int) -> int:
    """Keep active, of the `length` active states of `space`, those that the round has reached; return their number.

    Proof: proofs/search/trimming/removing.vpr, method keep_reached.
    """
    staying = 0
    for position in range(length):
        node = space.component[position]
        if space.colour[node] & RED:
            space.colour[node] &= ~RED
            space.component[staying] = node
            staying += 1
        else:
            space.colour[node] &= ~ACTIVE
    return staying


def remove_if_first(space: Store, node: int, tail: int) -> int:
    """Remove `node` of `space` if no active predecessor is left: it is written at `tail` of `queue`.

    Return the new end.
    Proof: proofs/search/trimming/removing.vpr, method remove_if_first.
    """
    if space.predecessors[node] > 0:
        return tail
    space.colour[node] &= ~ACTIVE
    space.queue[tail] = node
    return tail + 1


def begin_removal(space: Store, length: int) -> int:
    """Remove those of the `length` active states of `space` without active predecessors, into `queue`; return how many.

    Proof: proofs/search/trimming/removing.vpr, method begin_removal.
    """
    tail = 0
    for position in range(length):
        tail = remove_if_first(space, space.component[position], tail)
    return tail


def withdraw(space: Store, node: int, tail: int) -> int:
    """Count one predecessor less for `node` of `space`, which leaves with the last one.

    `tail` is where `queue` ends; return where it ends then.
    Proof: proofs/search/trimming/removing.vpr, method withdraw.
    """
    if not space.colour[node] & ACTIVE:
        return tail
    space.predecessors[node] -= 1
    return remove_if_first(space, node, tail)


def remove_firsts(space: Store, length: int) -> int:
    """Remove states without active predecessors from the `length` active ones of `space` until there are none.

    Returns how many stay active, or CUT_SHORT.
    Proof: proofs/search/trimming/removing.vpr, method remove_firsts.
    """
    tail = begin_removal(space, length)
    head = 0
    while head < tail:
        count = min(TOGETHER, tail - head)
        if not expand_all(space, space.queue, head, count, 0):
            return CUT_SHORT
        head += count
        for position in range(space.limit[count - 1]):
            tail = withdraw(space, space.pending[position], tail)
    return keep_active(space, length)


def keep_active(space: Store, length: int) -> int:
    """Leave in `component`, of its first `length` states, only those active in `space`; return their number.

    Proof: proofs/search/trimming/removing.vpr, method keep_active.
    """
    staying = 0
    for position in range(length):
        node = space.component[position]
        if space.colour[node] & ACTIVE:
            space.component[staying] = node
            staying += 1
    return staying


def explore_everything(space: Store) -> int:
    """Make all reachable states active.

    Proof: proofs/search/trimming.vpr, method explore_everything.
    """
    tail = 0
    for start in space.initial:
        space.colour[start] |= DISCOVERED
        space.queue[tail] = start
        tail += 1
        collect(space, -1, start)
    return breadth_first(space, tail, 0, KNOWN, GATHERING)


def search_owcty(space: Store) -> int:
    """Answer with an accepting cycle in `component`, backwards, and a way to it along `parent`.

    Proof: proofs/search/trimming.vpr, method search_owcty.
    """
    outcome = explore_everything(space)
    length = space.component_height[0]
    while outcome == COMPLETED and length > 0:
        tail = begin_round(space, length)
        outcome = breadth_first(space, tail, 0, ACTIVE, ROUND)
        if outcome == COMPLETED:
            staying = keep_reached(space, length)
            left = remove_firsts(space, staying)
            if left == CUT_SHORT:
                outcome = STOPPED
            elif left == length:
                write_cycle(space, space.component[0])
                return search_stem(space)
            else:
                length = left
    return outcome


def write_cycle(space: Store, node: int) -> None:
    """Write into `component` of `space` the cycle into which `parent` leads from `node`, and make its nodes targets.

    Proof: proofs/search/trimming.vpr, method write_cycle.
    """
    while not space.colour[node] & RED:
        space.colour[node] |= RED
        node = space.parent[node]
    space.component_height[0] = 0
    while not space.colour[node] & TARGET:
        space.colour[node] |= TARGET
        space.component[space.component_height[0]] = node
        space.component_height[0] += 1
        node = space.parent[node]


def search_stem(space: Store) -> int:
    """Search breadth-first for a target, which there is.

    Proof: proofs/search/trimming.vpr, method search_stem.
    """
    tail = 0
    for start in space.initial:
        space.colour[start] |= ON_PATH
        space.parent[start] = -1
        space.queue[tail] = start
        tail += 1
        outcome = into_target(space, -1, start)
        if outcome != GO_ON:
            return outcome
    return breadth_first(space, tail, 0, KNOWN, STEM)


def cycle_with_stem(space: Searched[S]) -> Lasso[S]:
    """The cycle, and a shortest path from the initial states to it."""
    cycle = [space.component[position] for position in range(space.component_height[0])][::-1]
    stem = ancestors(space, space.found[1])
    entry = cycle.index(stem.pop())
    return Lasso(space.named(stem), space.named(cycle[entry:] + cycle[:entry])).folded()


OWCTY_ALGORITHM = Algorithm(
    "owcty",
    "cycle",
    "one",
    search_owcty,
    cycle_with_stem,
    paper="Fisler, Fraer, Kamhi, Vardi, Yang, TACAS 2001; Černá, Pelánek, SPIN 2003",
    columns=("parent", "queue", "component", "predecessors"),
)


def owcty(graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable accepting cycle of `graph`, or None if there is none; `meter` may stop the search.

    All reachable states are visited first.
    """
    return accepting_lasso(OWCTY_ALGORITHM, graph, meter)
