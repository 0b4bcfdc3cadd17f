"""A violation that was met is shown: what is done beyond that costs little, and takes no time that showing needs."""

from __future__ import annotations

import time
from typing import Any

import pytest

from everafter.backends import run_construction, shortest_run
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchOutcome
from everafter.engine.run.search_threads import Work
from everafter.questions import plan
from everafter.questions.limits import Limits
from everafter.search import Meter, Stopped
from everafter.user_model import parse

FAR = """byte big[1000]; byte a, b, c;
active proctype A() { do :: a < 250 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 250 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 250 -> c++ :: c > 0 -> c-- od }
active proctype D() { a == 1 && b + c > 400 -> big[0] = 1; assert(false) }
"""
"""Depth-first, little is searched before the violation is met; by levels, very much."""
TURNS = """byte x;
active proctype P() { do :: x < 99 -> x++ :: x == 99 -> x = 0 :: x == 60 -> assert(false) od }
ltl stays { <> [] (x < 50) }
ltl small { [] (x < 90) }
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_for_a_shorter_run_takes_no_more_memory_than_the_one_before(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[tuple[str, int]] = []

    def noted(search: Any, run: Any, *arguments: Any, **named: Any) -> SearchOutcome:
        outcome: SearchOutcome = run(search, *arguments, **named)
        taken.append((search.algorithm.name, outcome.figures.bytes))
        return outcome

    run = NativeSearch.run
    monkeypatch.setattr(NativeSearch, "run", lambda search, *some, **named: noted(search, run, *some, **named))
    monkeypatch.setattr(shortest_run, "LEAST_BYTES", 1 << 20, raising=False)
    assert parse(FAR).check(threads=threads, reduction="none").violated
    (met, before), (shortening, after) = taken[-2:]
    assert (met, shortening) == ("depth-first", "breadth-first")
    assert after <= max(before, 1 << 24)  # which any search may take


def test_a_stage_that_is_to_end_as_it_meets_a_violation_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[Work] = []
    watch = Work.watch

    def impatient(work: Work, *arguments: Any) -> None:
        watch(work, *arguments)
        work.is_enough = not watched
        watched.append(work)

    monkeypatch.setattr(Work, "watch", impatient)
    monkeypatch.setattr(plan, "processors", lambda: 2)
    model = parse("byte x; active proctype P() { do :: x++ :: x == 3 -> assert(false) od }")
    assert model.check(algorithm="unordered").violated
    assert len(watched) > 1


def _endless(_graph: object, *arguments: Any) -> None:
    """A search that finds nothing until its meter stops it."""
    meter = arguments[-1]
    assert isinstance(meter, Meter)
    while meter.tick():
        time.sleep(0.001)
    raise Stopped(meter.statistics)


def _slow(*_: object) -> tuple[list[Any], int]:
    """A look ahead that finds nothing."""
    time.sleep(0.1)
    return [], 0


@pytest.mark.parametrize(
    ("what", "options"),
    [
        ("stays", {"engine": "reference"}),
        ("stays", {"engine": "native"}),
        ("stays", {"cluster": "inside:2"}),
        ("small", {"engine": "reference"}),
        ("small", {"engine": "native"}),
        (None, {"engine": "reference"}),
        (None, {"engine": "native", "algorithm": "unordered"}),
        (None, {"cluster": "inside:2"}),
    ],
)
def test_what_looks_for_something_shorter_leaves_time_to_show_what_there_is(
    what: str | None, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, wishes = parse(TURNS), {"reduction": "none", **options}
    asked = [] if what is None else [what]
    assert model.check(*asked, **wishes).violated  # the code is there from now on
    for name in ("_SHORTENING_EFFORT", "_LEAST_SHORTENING", "_MOST_SHORTENING"):
        monkeypatch.setattr(run_construction, name, 1 << 60)
    monkeypatch.setattr(run_construction, "shortest_lasso", _endless)
    monkeypatch.setattr(run_construction, "_ahead", _slow)
    monkeypatch.setattr(shortest_run, "shortest_path", _endless)
    result = model.check(*asked, **wishes, limits=Limits(seconds=1.5))
    assert result.violated, result.reason
