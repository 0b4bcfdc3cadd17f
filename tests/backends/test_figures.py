"""States are counted alike while a search runs, where it is warned or limited, and in the report."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from oracles.looks import without_look

from everafter.backends import cluster, native
from everafter.check import answer
from everafter.choices import LOSSY
from everafter.engine.cluster.coordinator import ClusterSearch
from everafter.engine.cluster.worker import JobDescription
from everafter.engine.cluster.worker_group import WorkerGroup
from everafter.questions import plan
from everafter.questions.limits import Limits, Notice, Progress
from everafter.questions.property import SAFETY as SAFE
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.stated_questions import questions
from everafter.user_model import parse
from everafter.verdict.result import Result

GRID = """byte a, b, c; bool near, far;
active proctype A() { do :: a < 11 -> a++ :: a > 0 -> a-- od }
active proctype B() { do :: b < 11 -> b++ :: b > 0 -> b-- od }
active proctype C() { do :: c < 4 -> c++ :: c > 0 -> atomic { c--; near = !near; near = !near } od }
active proctype D() { a == 10 && b == 10 && c == 3 -> assert(DEFECT) }
ltl calm { [] !(a == 10 && b == 10 && c == 3 && !DEFECT) }
ltl busy { []<> (a == 0) || []<> (b == 0) || DEFECT }
"""
"""Many states wait while others are searched from, and what goes wrong lies deep."""
SEARCHES = (
    Request(engine="reference"),
    Request(engine="reference", algorithm="depth-first"),
    Request(engine="native"),
    Request(engine="native", threads=1),
    Request(engine="native", threads=2),
    Request(engine="native", threads=2, store="tree"),
    Request(engine="native", algorithm="breadth-first", threads=1),
    Request(engine="native", algorithm="depth-first", threads=1),
    Request(engine="native", algorithm="depth-first", threads=3),
    Request(engine="native", algorithm="unordered", threads=1),
    Request(engine="native", algorithm="unordered", threads=3),
    Request(engine="native", threads=1, store="compact"),
    Request(engine="native", threads=1, store="bitstate"),
    Request(engine="native", threads=1, store="tree"),
    Request(engine="gpu"),
    Request(cluster="inside:2"),
)
SAFETY, INVARIANT, RECURRENCE = Request(safety=True), Request(formulas=("calm",)), Request(formulas=("busy",))
FOR_ALL = tuple(each for each in SEARCHES if each.algorithm is None and each.store not in LOSSY)
CASES = [*((SAFETY, each) for each in SEARCHES), *((one, each) for one in (INVARIANT, RECURRENCE) for each in FOR_ALL)]


def asked(request: Request, is_violated: bool, limits: Limits) -> tuple[Question, list[Progress]]:
    """A question about the model, and what is told of its search."""
    told: list[Progress] = []
    model = parse(GRID.replace("DEFECT", "false" if is_violated else "true"))
    begun = Question(model.program, SAFE, reduction="none", limits=limits)
    (item,) = questions(model, request)
    question = item.question(begun)
    return replace(question, observer=lambda each: told.append(each) if isinstance(each, Progress) else None), told


def searched(
    request: Request, options: Request, is_violated: bool, states: int | None = None
) -> tuple[Result, list[Progress]]:
    """The result, and what was told of the last of its searches."""
    question, told = asked(request, is_violated, Limits(states=states))
    result = answer(question, options)
    last = [number for number, (one, two) in enumerate(pairwise(told), 1) if two.states < one.states]
    return result, told[last[-1] if last else 0 :]


@pytest.fixture(autouse=True)
def _looking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches are looked at all the time, hand over soon, and a GPU is the processor."""
    monkeypatch.setattr(native, "_PATIENT_INTERVAL", 0.0002)
    monkeypatch.setattr(native, "_HUNTING_INTERVAL", 0.0002)
    for name in ("STATE_BUDGET", "QUICK_LOOK"):
        monkeypatch.setattr(plan, name, 200)
    monkeypatch.setenv("EVERAFTER_GPU", "cpu")


@pytest.mark.parametrize("is_violated", [False, True])
@pytest.mark.parametrize(("asked_for", "options"), CASES)
def test_what_is_told_last_is_what_the_report_says(asked_for: Request, options: Request, is_violated: bool) -> None:
    result, told = searched(asked_for, options, is_violated)
    assert told[-1].states == result.states
    assert told[-1].transitions == result.transitions
    assert max(each.states for each in told) == result.states


@pytest.mark.parametrize("options", SEARCHES)
def test_a_limit_counts_as_the_report_does(options: Request) -> None:
    result, told = searched(SAFETY, options, False, 500)
    assert result.verdict == "incomplete"
    assert "500 states" in result.reason
    assert result.states > 500
    assert told[-1].states == result.states


@pytest.mark.parametrize(("is_violated", "states"), [(True, None), (False, None), (False, 500)])
def test_the_workers_of_a_cluster_share_the_states_of_the_report(is_violated: bool, states: int | None) -> None:
    """What only waits counts for none of them either, and the words on a full worker count as the report does."""
    with without_look():
        result, _ = searched(SAFETY, Request(cluster="inside:3"), is_violated, states)
    assert len(result.workers) == 3
    assert sum(each.states for each in result.workers) == result.states
    assert sum(each.transitions for each in result.workers) == result.transitions


def test_a_worker_without_memory_counts_as_the_report_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(group: WorkerGroup, description: JobDescription, _memory: int | None, *more: Any) -> ClusterSearch:
        return ClusterSearch(group, description, 1 << 20, *more)

    monkeypatch.setattr(cluster, "ClusterSearch", small)
    question, _ = asked(SAFETY, False, Limits())
    result = answer(question, Request(cluster="inside:1"))
    assert f"no more memory: 1 MiB after {result.states:,} states" in result.reason


def test_a_warning_counts_as_the_report_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "is_short", lambda *_: True)
    question, told = asked(SAFETY, True, Limits())
    warned: list[str] = []
    observe = question.observer

    def hear(each: Progress | str) -> None:
        if isinstance(each, Notice):
            warned.append(each)
        observe(each)

    result = answer(replace(question, observer=hear), Request(engine="native", algorithm="unordered", threads=1))
    (warning,) = warned
    assert f"after {told[0].states:,} states" in warning
    assert told[0].states <= result.states
