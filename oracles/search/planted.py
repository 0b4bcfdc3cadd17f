"""Wrong searches, each with one planted bug that a test must catch."""

from __future__ import annotations

from everafter.search.components import tarjan_discover, tarjan_leave, tarjan_merge
from everafter.search.framework import Search, depth_first, depth_first_again, report
from everafter.search.generalised import couvreur_discover, couvreur_leave, sets_of_edge
from everafter.search.nested import RED_TO_PATH, RED_TO_SEED, onto_path_accepting, red_search_to_path
from everafter.search.reachability import into_target, onto_path
from everafter.search.space import ACCEPTING, ACTIVE, DISCOVERED, GO_ON, ON_PATH, RED, TARGET, Store


def red_search_at_discovery(space: Store, depth: int, node: int) -> int:
    """The red search starts when the accepting node is discovered, not when the blue search backtracks from it."""
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    space.colour[node] |= TARGET
    outcome = depth_first(space, node, depth + 1, RED_TO_SEED)
    space.colour[node] &= ~TARGET
    return outcome


def red_search_to_seed_without_remove(space: Store, depth: int, node: int) -> int:
    """The red search forgets REMOVE, so it never sees the edge back to its start."""
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    space.colour[node] |= TARGET
    outcome = depth_first_again(space, depth, Search(RED, action=into_target))
    space.colour[node] &= ~TARGET
    return outcome


def red_search_to_path_without_remove(space: Store, depth: int, node: int) -> int:
    """The same, for the red search to the path."""
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    return depth_first_again(space, depth, Search(RED, action=onto_path))


def red_search_that_forgets(space: Store, depth: int, node: int) -> int:
    """The red set is not kept for later red searches. The answers stay right; the time does not stay linear."""
    outcome = red_search_to_path(space, depth, node)
    if outcome == GO_ON:
        for each in range(len(space.colour)):
            space.colour[each] &= ~RED
    return outcome


def red_search_that_marks_the_path(space: Store, depth: int, node: int) -> int:
    """After a red search the whole blue path is marked red, although only its last node has been searched."""
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    outcome = depth_first_again(space, depth, RED_TO_PATH)
    for each in range(depth + 1):
        space.colour[space.stack[each]] |= RED
    return outcome


def onto_visited_accepting(space: Store, depth: int, node: int) -> int:
    """The early answer of Schwoon and Esparza without the question whether the node is on the path."""
    ends = space.colour[node] | space.colour[space.stack[depth]]
    return report(space, depth, node) if ends & ACCEPTING else GO_ON


def onto_path_from_accepting(space: Store, depth: int, node: int) -> int:
    """The early answer of Schwoon and Esparza for any edge back to the path, accepting or not."""
    return report(space, depth, node) if space.colour[node] & ON_PATH else GO_ON


def tarjan_merge_completed(space: Store, depth: int, node: int) -> int:
    """Tarjan's REMOVE without the question whether the node is active."""
    if space.discovery[node] <= space.latest[depth]:
        return report(space, depth, node)
    return tarjan_merge(space, depth, node)


def tarjan_merge_late(space: Store, depth: int, node: int) -> int:
    """Tarjan's REMOVE that compares with the low point of the source only, not with the last accepting state."""
    if space.colour[node] & ACTIVE and space.colour[space.stack[depth]] & ACCEPTING:
        return report(space, depth, node)
    return tarjan_merge(space, depth, node)


def couvreur_merge_without_arriving(space: Store, depth: int, node: int) -> int:
    """Couvreur's REMOVE that forgets the sets of the transitions between the components it merges."""
    return _couvreur_merge(space, depth, node, arriving=False, gathered=True)


def couvreur_merge_without_gathered(space: Store, depth: int, node: int) -> int:
    """Couvreur's REMOVE that forgets the sets met inside the components it merges."""
    return _couvreur_merge(space, depth, node, arriving=True, gathered=False)


def _couvreur_merge(space: Store, depth: int, node: int, *, arriving: bool, gathered: bool) -> int:
    if not space.colour[node] & ACTIVE:
        return GO_ON
    sets = sets_of_edge(space, depth)
    top = space.root_height[0] - 1
    while space.root[top] > space.discovery[node]:
        sets |= (space.gathered[top] if gathered else 0) | (space.arriving[top] if arriving else 0)
        top -= 1
    space.gathered[top] |= sets
    space.root_height[0] = top + 1
    return report(space, depth, node) if space.gathered[top] == space.wanted[0] else GO_ON


WRONG_NESTED = {
    "red search in discovery order": Search(DISCOVERED, ON_PATH, action=red_search_at_discovery),
    "forgotten REMOVE, to the seed": Search(DISCOVERED, ON_PATH, post=red_search_to_seed_without_remove),
    "forgotten REMOVE, to the path": Search(DISCOVERED, ON_PATH, post=red_search_to_path_without_remove),
    "whole path marked red": Search(DISCOVERED, ON_PATH, post=red_search_that_marks_the_path),
    "whole path marked red, early answers": Search(
        DISCOVERED, ON_PATH, remove=onto_path_accepting, post=red_search_that_marks_the_path
    ),
    "early answer off the path": Search(DISCOVERED, ON_PATH, remove=onto_visited_accepting, post=red_search_to_path),
    "early answer for any cycle": Search(DISCOVERED, ON_PATH, remove=onto_path_from_accepting, post=red_search_to_path),
    "no red search": Search(DISCOVERED, ON_PATH, remove=onto_path_accepting),
}
FORGETFUL = Search(DISCOVERED, ON_PATH, post=red_search_that_forgets)

WRONG_TARJAN = {
    "completed components count": Search(
        DISCOVERED, action=tarjan_discover, remove=tarjan_merge_completed, post=tarjan_leave
    ),
    "only accepting sources count": Search(
        DISCOVERED, action=tarjan_discover, remove=tarjan_merge_late, post=tarjan_leave
    ),
}
WRONG_COUVREUR = {
    "arriving sets forgotten": Search(
        DISCOVERED, action=couvreur_discover, remove=couvreur_merge_without_arriving, post=couvreur_leave
    ),
    "gathered sets forgotten": Search(
        DISCOVERED, action=couvreur_discover, remove=couvreur_merge_without_gathered, post=couvreur_leave
    ),
}
