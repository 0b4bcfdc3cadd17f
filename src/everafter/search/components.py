"""Strongly connected components in one depth-first search, and the accepting cycles inside them.

Tarjan, SIAM Journal on Computing 1972. A state is active from its discovery until its component is complete. `low` is
Tarjan's LOWLINK, kept for the states on the path only; `component` is his second stack.

An accepting cycle is found as soon as its last edge is explored (Geldenhuys and Valmari, TACAS 2004): an edge to an
active state that was discovered no later than the last accepting state on the path. That active state reaches a state
of the path no later than itself, and from there the path leads through the accepting state and back to the edge.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm, accepting_lasso
from everafter.search.breadth import ancestors, search_active
from everafter.search.framework import Search, forest, report, stamp_discovery
from everafter.search.graph import Graph, S, Transitions
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.reachability import into_target
from everafter.search.space import ACCEPTING, ACTIVE, DISCOVERED, GO_ON, NO_STATE, RED, TARGET, Searched, Space, Store


def activate(space: Store, node: int) -> int:
    """Give `node` the next discovery time in `space` and put it on top of the active states.

    Proof: proofs/search/components/hooks.vpr, method activate.
    """
    space.component[space.component_height[0]] = node
    space.component_height[0] += 1
    space.colour[node] |= ACTIVE
    return stamp_discovery(space, 0, node)


def complete(space: Store, node: int) -> int:
    """Pop the component whose first state is `node` off the active states of `space`, and number its members.

    Proof: proofs/search/components/hooks.vpr, method complete.
    """
    last = -1
    while last != node:
        space.component_height[0] -= 1
        last = space.component[space.component_height[0]]
        space.colour[last] &= ~ACTIVE
        space.member[last] = space.complete_components[0]
    space.complete_components[0] += 1
    return GO_ON


def tarjan_discover(space: Store, depth: int, node: int) -> int:
    """ACTION: start a component of `space` at `node`, at frame `depth` + 1; keep the last accepting state of the path.

    Proof: proofs/search/components/hooks.vpr, method tarjan_discover.
    """
    activate(space, node)
    space.low[depth + 1] = space.discovery[node]
    if space.colour[node] & ACCEPTING:
        space.latest[depth + 1] = space.discovery[node]
    elif depth >= 0:
        space.latest[depth + 1] = space.latest[depth]
    else:
        space.latest[0] = 0
    return GO_ON


def tarjan_merge(space: Store, depth: int, node: int) -> int:
    """REMOVE: lower the low point at `depth` of `space` to the discovery of `node`, if `node` is active.

    Proof: proofs/search/components/hooks.vpr, method tarjan_merge.
    """
    if space.colour[node] & ACTIVE:
        space.low[depth] = min(space.low[depth], space.discovery[node])
    return GO_ON


def tarjan_merge_accepting(space: Store, depth: int, node: int) -> int:
    """REMOVE: as `tarjan_merge`, but answer if the edge of `space` from `depth` to `node` closes an accepting cycle.

    Proof: proofs/search/components/hooks.vpr, method tarjan_merge_accepting.
    """
    if space.colour[node] & ACTIVE and space.discovery[node] <= space.latest[depth]:
        return report(space, depth, node)
    return tarjan_merge(space, depth, node)


def tarjan_leave(space: Store, depth: int, node: int) -> int:
    """POST: complete the component of `space` that starts at `node`.

    Else pass its low point from `depth` down the path.
    Proof: proofs/search/components/hooks.vpr, method tarjan_leave.
    """
    if space.low[depth] == space.discovery[node]:
        return complete(space, node)
    space.low[depth - 1] = min(space.low[depth - 1], space.low[depth])
    return GO_ON


COMPONENTS = Search(DISCOVERED, action=tarjan_discover, remove=tarjan_merge, post=tarjan_leave)
TARJAN = Search(DISCOVERED, action=tarjan_discover, remove=tarjan_merge_accepting, post=tarjan_leave)
BACK_TO_TARGET = Search(RED, action=into_target, remove=into_target)


def search_tarjan(space: Store) -> int:
    """Answer with an edge that closes an accepting cycle.

    Proof: proofs/search/components.vpr, method search_tarjan.
    """
    return forest(space, TARJAN)


def cycle_of_active(space: Searched[S]) -> Lasso[S]:
    """The path to the last accepting state on it, and from there the shortest way back over active states."""
    path = space.path()
    entry = [space.discovery[node] for node in path].index(space.latest[space.found[0]])
    space.colour[path[entry]] |= TARGET
    space.answered(search_active(space, path[entry], len(path), BACK_TO_TARGET))
    cycle = ancestors(space, space.stack[len(path)])
    return Lasso(space.named(path[:entry]), space.named(cycle)).folded()


TARJAN_ALGORITHM = Algorithm(
    "tarjan",
    "cycle",
    "one",
    search_tarjan,
    cycle_of_active,
    paper="Tarjan, SIAM Journal on Computing 1972; Geldenhuys, Valmari, TACAS 2004",
    columns=("discovery", "component", "low", "latest"),
    unread=("member",),
    explaining=("parent", "queue"),
)
TARJAN_COLUMNS = TARJAN_ALGORITHM.every_column


def strongly_connected_components(graph: Transitions[S], meter: Meter | None = None) -> tuple[tuple[S, ...], ...]:
    """Return the strongly connected components of what is reachable in `graph`, each before those that lead to it.

    `meter` counts the search and may stop it, which raises `Stopped`.
    That `forest` numbers them in `member` is proved, as of the search for a cycle: method forest_components there.
    """
    space = Space(graph.initial(), graph.successors, lambda _: NO_STATE, meter, TARJAN_COLUMNS)
    space.answered(forest(space, COMPONENTS))
    components: list[list[S]] = [[] for _ in range(space.complete_components[0])]
    for state, number in zip(space.states, space.member, strict=True):
        components[number].append(state)
    return tuple(map(tuple, components))


def tarjan(graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable accepting cycle of `graph` as a lasso, or None if there is none; `meter` may stop the search.

    The cycle is a shortest one through its accepting state among the states that are active when it is found.
    """
    return accepting_lasso(TARJAN_ALGORITHM, graph, meter)
