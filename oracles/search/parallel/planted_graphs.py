"""The planted mistakes of the parallel searches, each with the smallest graph known on which it shows."""

from __future__ import annotations

from typing import Any

from oracles.search.definitions import SmallGraph
from oracles.search.parallel.planted import (
    search_acyclic_marked,
    search_acyclic_open,
    search_all_red_at_once,
    search_at_once,
    search_cndfs_at_once,
    search_cndfs_for_seed,
    search_counted,
    search_deaf,
    search_red_early,
    search_silent,
)
from oracles.search.parallel.worker_states import Kernel

CROSSING = SmallGraph(((1, 5), (2, 3), (4,), (4,), (2, 3, 5), (1,)), frozenset({0, 1}))
"""Two red searches from 1 can cross: one goes over 2 to 4 and 3, the other over 3 to 4 and 2.

Each comes back from what is the way from 1 to 4 for the other, and so makes it red, while both still have to go on from
4 to 5 and back to 1. A third worker then finds all successors of 1 red. If it does not wait, it makes 1 and 5 red, too,
and the other two find 5 red and miss the cycle.
"""
CROSSING_ORDERS = (((1, 5),), ((2, 3), (3, 2)), ((4,),), ((4,),), ((2, 3, 5),), ((1,),))
"""Orders of successors that suffice for this."""
CROSSING_ONCE = SmallGraph(CROSSING.targets, frozenset({1}))
"""The same with one accepting node: enough for all-red, which makes 5 red without a second red search."""
DETOUR = SmallGraph(((1, 2), (2,), (1,)), frozenset({0, 1}))
LINE_INTO_CYCLE = SmallGraph(((1,), (2,), (3,), (1,)), frozenset({0, 2}))
RING = SmallGraph(((1,), (0,)), frozenset({0, 1}), starts=(0, 1))
RING_HALF_ACCEPTING = SmallGraph(((1,), (0,)), frozenset({1}), starts=(0, 1))
ONE_ACCEPTING = SmallGraph(((),), frozenset({0}))
ONE_FURTHER = SmallGraph(((1,), ()), frozenset({0}))
"""The red search from 0 expands 1, and may then be told to stop."""

MISSED = "no cycle is reported, and there is one"
WAITING = "the workers cannot end any more"
BOUNDS: dict[str, Any] = {"eager": True, "preemptions": 3, "orders": CROSSING_ORDERS}

MISTAKES: list[tuple[Kernel, SmallGraph, int, dict[str, Any], str]] = [
    (search_all_red_at_once, CROSSING_ONCE, 3, BOUNDS, MISSED),
    (search_at_once, CROSSING, 3, BOUNDS, MISSED),
    (search_red_early, DETOUR, 2, {}, MISSED),
    (search_cndfs_at_once, LINE_INTO_CYCLE, 2, {}, MISSED),
    (search_acyclic_marked, RING, 2, {}, MISSED),
    (search_acyclic_open, RING_HALF_ACCEPTING, 2, {}, MISSED),
    (search_counted, ONE_ACCEPTING, 1, {}, WAITING),
    (search_cndfs_for_seed, ONE_ACCEPTING, 1, {}, WAITING),
    (search_deaf, ONE_FURTHER, 2, {"stops": True}, WAITING),
    (search_silent, ONE_FURTHER, 2, {"stops": True}, WAITING),
]
"""Each with what shows it: a graph, so many workers, bounds of the exploration, and the fault."""
