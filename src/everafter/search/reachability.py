"""Plain questions to a graph, each one depth-first search: what is reachable, by which path, is there a cycle.

SUBDFS is the paper's; its targets are the set ss. The finish times of a completed cycle search order the states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from everafter.search.algorithm import Algorithm
from everafter.search.framework import Search, depth_first, forest, report, stamp_finish
from everafter.search.graph import S, Transitions
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.space import DISCOVERED, GO_ON, NO_STATE, ON_PATH, RESTRICTED, TARGET, Searched, Space, Store
from everafter.source import EverafterError


def into_target(space: Store, depth: int, node: int) -> int:
    """ACTION, and REMOVE of SUBDFS: answer when the edge of `space` from `depth` leads to a target, `node`.

    The paper's REMOVE also asks that the node be the start; a target visited later would have been the answer already.
    Proof: proofs/search/breadth.vpr, method into_target.
    Proof: proofs/search/entering.vpr, method into_target.
    """
    return report(space, depth, node) if space.colour[node] & TARGET else GO_ON


def onto_path(space: Store, depth: int, node: int) -> int:
    """REMOVE: answer when the edge of `space` from `depth` to `node` leads back to the path.

    Proof: proofs/search/entering.vpr, method onto_path.
    """
    return report(space, depth, node) if space.colour[node] & ON_PATH else GO_ON


EVERYTHING = Search(DISCOVERED)
REACHABILITY = Search(DISCOVERED, action=into_target)
CYCLE = Search(DISCOVERED, ON_PATH, remove=onto_path, post=stamp_finish)
SUBDFS = Search(DISCOVERED, NO_STATE, RESTRICTED, action=into_target, remove=into_target)


def search_target(space: Store) -> int:
    """Answer with a target that can be reached.

    Proof: proofs/search/depth.vpr, method search_target.
    """
    return forest(space, REACHABILITY)


DEPTH_FIRST_ALGORITHM = Algorithm(
    "depth-first",
    "reachability",
    "one",
    search_target,
    Searched.found_path,
    paper="Neumann, A framework for verified depth-first algorithms, 2012",
)


def reachable_states(graph: Transitions[S], meter: Meter | None = None) -> tuple[S, ...]:
    """Return every reachable state of `graph`, the initial ones included, each once; `meter` may stop the search."""
    space = Space(graph.initial(), graph.successors, lambda _: NO_STATE, meter)
    space.answered(forest(space, EVERYTHING))
    return tuple(space.states)


def find_path(
    graph: Transitions[S], is_target: Callable[[S], bool], meter: Meter | None = None
) -> tuple[S, ...] | None:
    """Return a path of `graph` from an initial state to one for which `is_target` holds, or None if there is none.

    `meter` counts the search and may stop it, which raises `Stopped`.
    """
    space = Space(graph.initial(), graph.successors, lambda state: TARGET if is_target(state) else NO_STATE, meter)
    path: tuple[S, ...] | None = DEPTH_FIRST_ALGORITHM.run(space)
    return path


def find_way_into(
    successors: Callable[[S], Iterable[S]],
    start: S,
    is_target: Callable[[S], bool],
    is_forbidden: Callable[[S], bool] = lambda _: False,
    meter: Meter | None = None,
) -> tuple[S, ...] | None:
    """Return a path from `start` of one step or more to a target, through nothing forbidden, or None if there is none.

    `successors` gives the edges, `is_target` and `is_forbidden` say which states are which; `meter` may stop the
    search. SUBDFS of the paper, with ss the targets and R the forbidden states. The start may be its own target. The
    search is proved as `depth_first_outside` in proofs/search/depth.vpr.
    """

    def label(state: S) -> int:
        return (TARGET if is_target(state) else NO_STATE) | (RESTRICTED if is_forbidden(state) else NO_STATE)

    space = Space([start], successors, label, meter)
    return space.found_path() if space.answered(depth_first(space, space.index[start], 0, SUBDFS)) else None


def find_cycle(graph: Transitions[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Return a reachable cycle of `graph`, accepting or not, or None if there is none; `meter` may stop the search."""
    space = Space(graph.initial(), graph.successors, lambda _: NO_STATE, meter, ["finish"])
    return space.lasso() if space.answered(forest(space, CYCLE)) else None


class CyclicGraphError(EverafterError, ValueError):
    """The graph has a cycle, so its states have no order."""

    def __init__(self, lasso: Lasso[Any]) -> None:
        super().__init__(f"the graph has a cycle of {len(lasso.cycle)} states")
        self.lasso = lasso


def topological_order(graph: Transitions[S], meter: Meter | None = None) -> tuple[S, ...]:
    """Return the reachable states of `graph`, each before its successors; `meter` may stop the search.

    Raises CyclicGraphError, with a lasso, if there is a cycle. A state finishes after its successors, so the order is
    that of falling finish times (Tarjan 1976).
    """
    space = Space(graph.initial(), graph.successors, lambda _: NO_STATE, meter, ["finish"])
    if space.answered(forest(space, CYCLE)):
        raise CyclicGraphError(space.lasso())
    return space.named(sorted(range(len(space.states)), key=space.finish.__getitem__, reverse=True))
