"""Each planted mistake shows in some interleaving, and the graph it shows on is the smallest known."""

from __future__ import annotations

from typing import Any

import pytest
from oracles.search.definitions import SmallGraph
from oracles.search.parallel.interleavings import explore_all
from oracles.search.parallel.planted import search_deaf, search_red_early, search_silent
from oracles.search.parallel.planted_graphs import BOUNDS, CROSSING, MISTAKES, WAITING
from oracles.search.parallel.worker_states import Kernel


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
