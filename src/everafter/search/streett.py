"""Cycles that are strongly fair, by one depth-first search and some more for what is left of components.

Emerson and Lei, Science of Computer Programming 1987, on the components of Couvreur's search, as in Duret-Lutz,
Poitrenaud and Couvreur, On-the-fly emptiness check of transition-based Streett automata, ATVA 2009. Bit 0 of a
transition's sets is acceptance, as everywhere. Bit 1 + n says that pair n is served, and bit 1 + n + PAIRS that it is
requested. A cycle must take transitions of every set in `wanted`, and for every pair that it requests one that serves
it.

A component that is accepting, and in which all that is requested is served, has such a cycle. When a component is
complete without, no cycle goes through a state that requests what is served nowhere in it: such states are left out
for good, and the others are searched again, in smaller components. Each time a state is left out, so the search ends.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from everafter.search.algorithm import Algorithm
from everafter.search.framework import Search, depth_first, forest, report
from everafter.search.generalised import couvreur_discover, sets_of_edge
from everafter.search.graph import S
from everafter.search.lasso import Lasso
from everafter.search.space import (
    ACTIVE,
    COMPLETED,
    DISCOVERED,
    GO_ON,
    ON_PATH,
    STOPPED,
    Searched,
    Store,
    expand,
)

PAIRS: Final = 30
"""The most pairs: both of their sets must have a bit."""
SERVED: Final = (2 << PAIRS) - 2
"""The bits of the sets that serve a pair."""
LISTED: Final = ON_PATH
"""A state that is in `queue`, since it was put back: this search does not mark its path."""


def is_answer(space: Store, sets: int) -> bool:
    """Return whether a cycle that takes transitions of all these `sets`, and no others, is one `space` looks for."""
    wanted = space.wanted[0]
    return sets & wanted == wanted and (sets >> PAIRS) & ~sets & SERVED == 0


def streett_merge(space: Store, depth: int, node: int) -> int:
    """REMOVE: merge the components of `space` that the edge from the path's end, at `depth`, to active `node` closes.

    Answers when a cycle through all of the merged component's transitions so far is one that is looked for.
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
    return report(space, depth, node) if is_answer(space, space.gathered[top]) else GO_ON


def streett_leave(space: Store, depth: int, node: int) -> int:
    """POST: complete the component of `space` that starts at `node`, the path's end at `depth`; other nodes stay.

    Where it is accepting, the states of it that request nothing in vain are put back, to be searched again.
    """
    if space.root[space.root_height[0] - 1] != space.discovery[node]:
        return GO_ON
    space.root_height[0] -= 1
    sets = space.gathered[space.root_height[0]]
    wanted = space.wanted[0]
    lacking = (sets >> PAIRS) & ~sets & SERVED
    if sets & wanted != wanted:
        lacking = 0
    last = -1
    while last != node:
        space.component_height[0] -= 1
        last = space.component[space.component_height[0]]
        space.colour[last] &= ~ACTIVE
        if lacking != 0 and not put_back(space, depth, last, lacking):
            return STOPPED
    return GO_ON


def put_back(space: Store, depth: int, node: int, lacking: int) -> bool:
    """Let `space` discover `node` again, unless it requests one of the pairs `lacking`; return false to stop.

    The path ends at `depth`; the frame above is free. What a state requests is on all of its transitions.
    """
    if not expand(space, node, depth + 1):
        return False
    requests = 0
    for position in range(space.cursor[depth + 1], space.limit[depth + 1]):
        requests |= space.masks[position] >> PAIRS
    if requests & lacking == 0:
        space.colour[node] &= ~DISCOVERED
        if not space.colour[node] & LISTED:
            space.colour[node] |= LISTED
            space.queue[space.found[0]] = node
            space.found[0] += 1
    return True


STREETT = Search(DISCOVERED, action=couvreur_discover, remove=streett_merge, post=streett_leave)


def search_streett(space: Store) -> int:
    """Answer with an edge that closes a component of `space` with a cycle that serves what it requests.

    Until there is an answer, `found` counts the states that were put back, in `queue`.
    """
    outcome = forest(space, STREETT)
    position = 0
    while outcome == COMPLETED and position < space.found[0]:
        node = space.queue[position]
        if space.colour[node] & DISCOVERED:
            position += 1
        else:
            outcome = couvreur_discover(space, -1, node)
            if outcome == GO_ON:
                outcome = depth_first(space, node, 0, STREETT)
    return outcome


# The answer


def cycle_that_serves(space: Searched[S]) -> Lasso[S]:
    """A way to the last component on the path, and a cycle inside that takes a transition of every set it needs."""
    path = space.path()
    first = space.root[space.root_height[0] - 1]
    entry = next(position for position, node in enumerate(path) if space.discovery[node] == first)
    frame = len(path)
    active = space.component[: space.component_height[0]]
    inside = frozenset(node for node in active if space.discovery[node] >= first)
    sets = space.gathered[space.root_height[0] - 1]
    cycle = _round(space, path[entry], frame, inside, space.wanted[0] | (sets >> PAIRS) & SERVED)
    way = path[: entry + 1]
    if way[0] not in set(space.initial):
        way = [*_way_to(space, way[0], frame)[:-1], *way]
    return Lasso(space.named(way[:-1]), space.named(cycle)).folded()


def _round(space: Searched[S], start: int, frame: int, inside: frozenset[int], wanted: int) -> list[int]:
    """A cycle from the start through transitions of all these sets, inside a component."""
    cycle = [start]
    while wanted or len(cycle) == 1 or cycle[-1] != start:
        goal = None if wanted else start
        leg, sets = _leg(space, cycle[-1], frame, inside, wanted, goal)
        cycle += leg
        wanted &= ~sets
    return cycle[:-1]


def _leg(
    space: Searched[S], start: int, frame: int, inside: frozenset[int], wanted: int, goal: int | None
) -> tuple[list[int], int]:
    """The shortest way on, of one edge at least, to a transition with a wanted set or to the goal; and its sets."""
    before: dict[int, int] = {}
    queue = deque([start])
    while queue:
        source = queue.popleft()
        for sets, target in _edges(space, source, frame):
            if target not in inside:
                continue
            if sets & wanted or target == goal:
                return [*_back(before, source, start), target], sets
            if target not in before and target != start:
                before[target] = source
                queue.append(target)
    raise AssertionError("every set that is wanted is on a transition of the component")


def _way_to(space: Searched[S], goal: int, frame: int) -> list[int]:
    """A shortest path to a state."""
    starts = list(space.initial)
    before = dict.fromkeys(starts, -1)
    queue = deque(starts)
    while goal not in before:
        source = queue.popleft()
        for _, target in _edges(space, source, frame):
            if target not in before:
                before[target] = source
                queue.append(target)
    path = [goal]
    while before[path[-1]] >= 0:
        path.append(before[path[-1]])
    return path[::-1]


def _edges(space: Searched[S], source: int, frame: int) -> list[tuple[int, int]]:
    """The transitions of a state, each with its sets."""
    space.expand(source, frame)
    return [(space.masks[at], space.pending[at]) for at in range(space.cursor[frame], space.limit[frame])]


def _back(before: dict[int, int], node: int, start: int) -> list[int]:
    """The way from the start to a node, without the start."""
    path = []
    while node != start:
        path.append(node)
        node = before[node]
    return path[::-1]


STREETT_ALGORITHM = Algorithm(
    "streett",
    "cycle",
    "one",
    search_streett,
    cycle_that_serves,
    paper="Emerson, Lei, Science of Computer Programming 1987; Duret-Lutz, Poitrenaud, Couvreur, ATVA 2009",
    columns=("masks", "discovery", "component", "root", "gathered", "arriving", "queue"),
)
