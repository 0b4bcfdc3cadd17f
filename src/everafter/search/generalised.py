"""Emptiness of a generalised Büchi automaton with acceptance on transitions, in one depth-first search.

Couvreur, FM 1999, with Gabow's stack of component roots (Information Processing Letters 2000). For the components of
the states on the path, from the first to the last, `root` has the discovery of the first state, `gathered` the
acceptance sets of the transitions inside, `arriving` those of the transition that entered. An edge to an active state
merges the components it closes; when one has gathered every set, some cycle inside it takes transitions of all.
"""

from __future__ import annotations

from everafter.search.algorithm import Algorithm
from everafter.search.breadth import ancestors, search_active
from everafter.search.components import BACK_TO_TARGET, activate, complete
from everafter.search.framework import Search, forest, report
from everafter.search.graph import GeneralisedGraph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.space import ACTIVE, DISCOVERED, GO_ON, RED, TARGET, GeneralisedSpace, Searched, Store


def sets_of_edge(space: Store, depth: int) -> int:
    """Return the acceptance sets of the transition of `space` that leaves the last state of the path, at `depth`.

    With the empty path, `depth` -1, there are none.
    Proof: proofs/search/generalised/hooks.vpr, method sets_of_edge.
    """
    return space.masks[space.cursor[depth] - 1] if depth >= 0 else 0


def couvreur_discover(space: Store, depth: int, node: int) -> int:
    """ACTION: start a component of `space` at `node`, entered by the edge that leaves the path at `depth`.

    Proof: proofs/search/generalised/hooks.vpr, method couvreur_discover.
    """
    activate(space, node)
    top = space.root_height[0]
    space.root[top] = space.discovery[node]
    space.gathered[top] = 0
    space.arriving[top] = sets_of_edge(space, depth)
    space.root_height[0] = top + 1
    return GO_ON


def couvreur_merge(space: Store, depth: int, node: int) -> int:
    """REMOVE: merge the components of `space` that the edge from the path's end, at `depth`, to active `node` closes.

    Answers when the merged component has gathered every acceptance set.
    Proof: proofs/search/generalised/hooks.vpr, method couvreur_merge.
    """
    if not space.colour[node] & ACTIVE:
        return GO_ON
    sets = sets_of_edge(space, depth)
    top = space.root_height[0] - 1
    while space.root[top] > space.discovery[node]:
        sets |= space.gathered[top] | space.arriving[top]
        top -= 1
    space.gathered[top] |= sets
    space.root_height[0] = top + 1
    return report(space, depth, node) if space.gathered[top] == space.wanted[0] else GO_ON


def couvreur_leave(space: Store, _depth: int, node: int) -> int:
    """POST: complete the component of `space` whose first state is `node`; other nodes are left as they are.

    Proof: proofs/search/generalised/hooks.vpr, method couvreur_leave.
    """
    if space.root[space.root_height[0] - 1] != space.discovery[node]:
        return GO_ON
    space.root_height[0] -= 1
    note_missing(space, node)
    return complete(space, node)


def note_missing(space: Store, node: int) -> None:
    """Note in `space`, for all states of the component that starts at `node`, one acceptance set it lacks.

    Proof: proofs/search/generalised/hooks.vpr, method note_missing.
    """
    lacking = space.wanted[0] & ~space.gathered[space.root_height[0]]
    number = 0
    while lacking != 0 and not lacking & (1 << number):  # where there are no sets at all, none is lacking
        number += 1
    top = space.component_height[0] - 1
    while space.component[top] != node:
        space.missing[space.component[top]] = number
        top -= 1
    space.missing[node] = number


def takes_wanted(space: Store, depth: int, node: int) -> int:
    """Answer with `node` when the transition of `space` at `depth` is in an acceptance set that is still wanted."""
    return report(space, depth, node) if sets_of_edge(space, depth) & space.wanted[0] else GO_ON


COUVREUR = Search(DISCOVERED, action=couvreur_discover, remove=couvreur_merge, post=couvreur_leave)
TO_WANTED = Search(RED, action=takes_wanted, remove=takes_wanted)


def search_couvreur(space: Store) -> int:
    """Answer with an edge that closes a cycle through transitions of all acceptance sets.

    Proof: proofs/search/generalised.vpr, method search_couvreur.
    """
    return forest(space, COUVREUR)


def cycle_of_component(space: Searched[S]) -> Lasso[S]:
    """The path to the last component on it, and a cycle inside that takes a transition of every acceptance set."""
    path = space.path()
    first = space.root[space.root_height[0] - 1]
    entry = [space.discovery[node] for node in path].index(first)
    cycle = _cycle(space, path[entry], len(path))
    return Lasso(space.named(path[:entry]), space.named(cycle)).folded()


COUVREUR_ALGORITHM = Algorithm(
    "couvreur",
    "cycle",
    "one",
    search_couvreur,
    cycle_of_component,
    paper="Couvreur, FM 1999; Gabow, Information Processing Letters 2000",
    columns=("masks", "discovery", "component", "root", "gathered", "arriving"),
    unread=("member", "missing"),
    explaining=("parent", "queue"),
)
COUVREUR_COLUMNS = COUVREUR_ALGORITHM.every_column


def couvreur(graph: GeneralisedGraph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable cycle of `graph` that takes a transition of every acceptance set, or None if there is none.

    `meter` counts the search and may stop it, which raises `Stopped`.
    """
    space = GeneralisedSpace(graph.initial(), graph.successors, graph.acceptance_sets, meter, COUVREUR_COLUMNS)
    lasso: Lasso[S] | None = COUVREUR_ALGORITHM.run(space)
    return lasso


def _cycle(space: Searched[S], start: int, frame: int) -> list[int]:
    """A cycle from the start through transitions of every wanted set, for the component that starts there.

    It goes to the nearest transition of a set not met yet, again and again, and then back to the start. That never
    fails, as every active state reaches the path before the start or the component, and so the start.
    """
    cycle = [start]
    while space.wanted[0]:
        cycle += _leg(space, cycle[-1], frame, TO_WANTED)
        space.wanted[0] &= ~sets_of_edge(space, frame)
    if len(cycle) == 1 or cycle[-1] != start:
        space.colour[start] |= TARGET
        cycle += _leg(space, cycle[-1], frame, BACK_TO_TARGET)
    return cycle[:-1]


def _leg(space: Searched[S], start: int, frame: int, search: Search) -> list[int]:
    """The shortest way over active states to the end of an edge on which the search answers, without the start."""
    space.answered(search_active(space, start, frame, search))
    for node in space.component[: space.component_height[0]]:
        space.colour[node] &= ~RED
    return [*ancestors(space, space.stack[frame])[1:], space.found[1]]
