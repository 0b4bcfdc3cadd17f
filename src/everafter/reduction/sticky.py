"""Sticky edges: transitions that are never taken alone, chosen so that every cycle of states has a full expansion.

Kurshan, Levin, Minea, Peled and Yenigün, "Static partial order reduction", TACAS 1998, as in Brunner and Lammich, 2018.
The process that moves in a cycle of states and has the lowest number was not started within the cycle, since what
starts a process has a lower number; so its moves are a cycle of its control-flow graph. A set of edges that meets every
such cycle is therefore enough, and edges that are never taken alone anyway, or that count (see `counting`), are in it
for nothing. From the rest a smallest set is approached by one search for each edge: an edge stays out of the set if no
way leads back to it along the edges that are out already, those first that are worth most.
"""

from __future__ import annotations

from collections.abc import Callable

from everafter.reduction.counting_loops import Edge, Flow
from everafter.search.reachability import find_way_into


def sticky_edges(flow: Flow, broken: frozenset[Edge], worth: Callable[[Edge], int]) -> frozenset[Edge]:
    """Return a set of edges that, with those in `broken`, meets every cycle of `flow`.

    An edge for which `worth` is small goes into it first. No edge of the set can be left out.
    Proof: proofs/reduction/greedy.v, theorem chosen_meet_every_cycle.
    Proof: proofs/reduction/chosen.v, theorem chosen_conditions.
    """
    cyclic = [edge for part in flow.without(broken).components() for edge in part]
    after: dict[int, set[int]] = {}
    sticky: set[Edge] = set()
    for edge in sorted(cyclic, key=lambda item: (-worth(item), item)):
        source, target = edge[0], flow.step(edge).target
        if source == target or _leads(after, target, source):
            sticky.add(edge)
        else:
            after.setdefault(source, set()).add(target)
    return frozenset(sticky)


def _leads(after: dict[int, set[int]], start: int, goal: int) -> bool:
    """Whether there is a way from one place to another."""
    return find_way_into(lambda place: sorted(after.get(place, ())), start, lambda place: place == goal) is not None
