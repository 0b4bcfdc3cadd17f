"""Each planted mistake shows in some interleaving, and the graph it shows on is the smallest known."""

from __future__ import annotations

from typing import Any

import pytest
from tests.search.definitions import SmallGraph
from tests.search.parallel.interleavings import explore_all
from tests.search.parallel.planted import (
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
from tests.search.parallel.planted_graphs import (
    CROSSING,
    CROSSING_ONCE,
    CROSSING_ORDERS,
    DETOUR,
    LINE_INTO_CYCLE,
    ONE_ACCEPTING,
    ONE_FURTHER,
    RING,
    RING_HALF_ACCEPTING,
)
from tests.search.parallel.worker_states import Kernel

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


@pytest.mark.parametrize(
    ("kernel", "graph", "workers", "bounds", "fault"), MISTAKES, ids=lambda value: getattr(value, "__name__", "")
)
def test_a_mistake_shows(kernel: Kernel, graph: SmallGraph, workers: int, bounds: dict[str, Any], fault: str) -> None:
    assert explore_all(kernel, graph, workers, **bounds).fault == fault


@pytest.mark.parametrize("kernel", [search_deaf, search_silent])
def test_who_answers_must_be_heard_by_those_who_wait(kernel: Kernel) -> None:
    """Nobody is stopped here: two workers find the cycle, and the third would wait for them."""
    assert explore_all(kernel, CROSSING, 3, **BOUNDS).fault == WAITING


def test_the_invariants_see_red_too_early() -> None:
    assert explore_all(search_red_early, SmallGraph(((1,), (0,)), frozenset({0})), 2, True).fault == "invariant_1_2"
