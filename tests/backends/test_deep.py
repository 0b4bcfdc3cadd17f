"""What goes wrong deep down is met soon, and shown as shortly as may be."""

from __future__ import annotations

import operator
import random
from collections.abc import Iterator
from functools import partial

import pytest
from oracles.search.definitions import random_graph

import everafter
from everafter.backends.run_construction import without_detours
from everafter.execution.step import Step
from everafter.questions import plan
from everafter.search import find_path, path_flaw

DEEP = """
byte a, b, c; int deep;
active proctype P() { do :: deep++; assert(deep < 3000) :: a++ :: b++ :: c++ od }
"""
FAR = """
byte a, b, c;
active proctype P() { do :: a++ :: b++ :: c < 9 -> c++ :: a == 200 && b == 200 && c == 9 -> assert(false) od }
"""
ASTRAY = """
byte a, b, c; int deep;
active proctype P() { do :: a++ :: b++ :: c++ :: deep++; assert(deep < 300) od }
"""


@pytest.mark.parametrize("text", [DEEP, ASTRAY], ids=["in SPIN's order", "in another order"])
@pytest.mark.parametrize("threads", [None, 1, 3])
def test_a_deep_violation_is_met_before_the_complete_search(text: str, threads: int | None) -> None:
    result = everafter.parse(text).check(threads=threads, reduction="none", limits=everafter.Limits(states=5_000_000))
    assert (result.verdict, result.algorithm) == ("violated", "depth-first")
    assert result.counterexample is not None


def test_without_looking_deep_it_is_not_met(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: breadth-first, there are far too many states before the violation."""
    monkeypatch.setattr(plan, "_hunts", lambda *_: ())
    result = everafter.parse(DEEP).check(threads=1, reduction="none", limits=everafter.Limits(states=300_000))
    assert result.verdict == "incomplete"


def test_a_violation_that_is_near_is_shown_by_the_shortest_way() -> None:
    near = "byte x; active proctype P() { do :: x < 200 -> x++ :: x > 2 -> assert(false) od }"
    result = everafter.parse(near).check(reduction="none")
    assert result.is_shortest
    assert result.counterexample is not None
    by_levels = everafter.parse(near).check(algorithm="breadth-first", reduction="none")
    assert len(result.counterexample) == len(by_levels.counterexample or ())


def test_a_violation_without_a_way_is_shown_however_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where there is a way already may the search for another one be given up."""
    monkeypatch.setattr(plan, "_hunts", lambda *_: ())
    monkeypatch.setattr(plan, "SHORTENING", 1)
    model = everafter.parse(FAR)
    for algorithm, threads in ((None, 2), ("unordered", 1)):
        result = model.check(algorithm=algorithm, threads=threads, reduction="none")
        assert (result.verdict, result.algorithm) == ("violated", "unordered")


class Explored:
    """A small graph as the reference explores a model."""

    violation = -1

    def __init__(self, seed: int) -> None:
        self.graph = random_graph(random.Random(seed), 30)

    def edges(self, state: int, /) -> Iterator[tuple[int, Step | None]]:
        return ((target, None) for target in self.graph.successors(state))

    def is_inside(self, _state: int, /) -> bool:
        return False

    def wrong_step(self, _state: int, /) -> Step | None:
        return None


def test_leaving_out_detours_leaves_a_path() -> None:
    shorter = 0
    for seed in range(300):
        explored = Explored(seed)
        path = find_path(explored.graph, partial(operator.eq, len(explored.graph.targets) - 1))
        if path is None:
            continue
        left = without_detours(explored, path)
        assert (left[0], left[-1]) == (path[0], path[-1])
        assert path_flaw(explored.graph, tuple(left)) is None
        assert len(left) <= len(path)
        shorter += len(left) < len(path)
    assert shorter > 20
