"""Nested depth-first search: is there a reachable cycle through an accepting state?

A first search, the blue one, finds the accepting states. When it backtracks from one, a second search, the red one,
looks for a way from there into a set M of nodes on the blue path; such a way closes a cycle. Red searches never enter
what an earlier red search has visited, so that all of them together visit each edge once.

Neumann's NESTEDDFS M is correct for every M that contains the last node of the path and only nodes of the path:

    SUBDFS (M s) F       depth_first_again from the last blue frame up, with the red bit for visited
    F                    the nodes with the red bit, which is never taken back
    RESTRICT = F         a node of F counts as visited; it is not in M, as F and the path are disjoint
    M s = {head}         the bit TARGET, on the seed only: Courcoubetis, Vardi, Wolper, Yannakakis, FMSD 1992
    M s = set (stack s)  the bit ON_PATH: Holzmann, Peled, Yannakakis, SPIN 1996

The stack then holds the whole run, the red path above the blue one, and the edge found leads back into it.
"""

from __future__ import annotations

from everafter.record import replace
from everafter.search.algorithm import Algorithm, accepting_lasso
from everafter.search.framework import Search, depth_first_again, forest, report
from everafter.search.graph import Graph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.reachability import into_target, onto_path
from everafter.search.space import ACCEPTING, DISCOVERED, GO_ON, ON_PATH, RED, TARGET, Searched, Store

RED_TO_SEED = Search(RED, action=into_target, remove=into_target)
RED_TO_PATH = Search(RED, action=onto_path, remove=onto_path)


def red_search_to_seed(space: Store, depth: int, node: int) -> int:
    """POST with M = {head}: if `node`, at `depth` of `space`, is accepting, look for a way back to it.

    Proof: proofs/search/nested_red.vpr, method red_search_to_seed.
    """
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    space.colour[node] |= TARGET
    outcome = depth_first_again(space, depth, RED_TO_SEED)
    space.colour[node] &= ~TARGET
    return outcome


def red_search_to_path(space: Store, depth: int, node: int) -> int:
    """POST with M = set (stack): if `node`, at `depth` of `space`, is accepting, look for a way to the blue path.

    Proof: proofs/search/nested_red.vpr, method red_search_to_path.
    """
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    return depth_first_again(space, depth, RED_TO_PATH)


def onto_path_accepting(space: Store, depth: int, node: int) -> int:
    """REMOVE of Schwoon and Esparza: answer when the edge of `space` from the end of the path to `node` closes a cycle.

    That is when `node` is on the path, and `node` or the state at `depth` is accepting.
    Proof: proofs/search/entering.vpr, method onto_path_accepting.
    """
    ends = space.colour[node] | space.colour[space.stack[depth]]
    return report(space, depth, node) if space.colour[node] & ON_PATH and ends & ACCEPTING else GO_ON


COURCOUBETIS = Search(DISCOVERED, ON_PATH, post=red_search_to_seed)
HOLZMANN = Search(DISCOVERED, ON_PATH, post=red_search_to_path)
SCHWOON_ESPARZA = Search(DISCOVERED, ON_PATH, remove=onto_path_accepting, post=red_search_to_path)


def search_courcoubetis(space: Store) -> int:
    """Answer with a path that closes an accepting cycle.

    Proof: proofs/search/nested_blue.vpr, method search_courcoubetis.
    """
    return forest(space, COURCOUBETIS)


def search_holzmann(space: Store) -> int:
    """Answer with a path that closes an accepting cycle.

    Proof: proofs/search/nested_blue.vpr, method search_holzmann.
    """
    return forest(space, HOLZMANN)


def search_schwoon_esparza(space: Store) -> int:
    """Answer with a path that closes an accepting cycle.

    Proof: proofs/search/nested_blue.vpr, method search_schwoon_esparza.
    """
    return forest(space, SCHWOON_ESPARZA)


COURCOUBETIS_ALGORITHM = Algorithm(
    "courcoubetis",
    "cycle",
    "one",
    search_courcoubetis,
    Searched.lasso,
    paper="Courcoubetis, Vardi, Wolper, Yannakakis, FMSD 1992",
)
HOLZMANN_ALGORITHM = Algorithm(
    "holzmann",
    "cycle",
    "one",
    search_holzmann,
    Searched.lasso,
    paper="Holzmann, Peled, Yannakakis, SPIN 1996",
)
SCHWOON_ESPARZA_ALGORITHM = Algorithm(
    "schwoon-esparza",
    "cycle",
    "one",
    search_schwoon_esparza,
    Searched.lasso,
    paper="Schwoon, Esparza, TACAS 2005",
)


def nested_dfs(graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable accepting cycle of `graph`, or None if there is none; `meter` may stop the search.

    Schwoon and Esparza, TACAS 2005, as Neumann states it. Cyan = ON_PATH; red = searched for a way back to the path.
    """
    return accepting_lasso(SCHWOON_ESPARZA_ALGORITHM, graph, meter)


def nested_dfs_courcoubetis(graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable accepting cycle of `graph`, or None if there is none; `meter` may stop the search.

    Courcoubetis, Vardi, Wolper, Yannakakis, FMSD 1992: the red search looks for the very node it started from.
    """
    return accepting_lasso(COURCOUBETIS_ALGORITHM, graph, meter)


def nested_dfs_holzmann(graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable accepting cycle of `graph`, or None if there is none; `meter` may stop the search.

    Holzmann, Peled, Yannakakis, SPIN 1996: the red search is content with any node of the blue path.
    """
    return accepting_lasso(HOLZMANN_ALGORITHM, graph, meter)


def run(search: Search, graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Run `search` on `graph`, and return the lasso it answers with, or None; `meter` may stop it."""
    algorithm = replace(SCHWOON_ESPARZA_ALGORITHM, kernel=lambda space: forest(space, search))
    return accepting_lasso(algorithm, graph, meter)
