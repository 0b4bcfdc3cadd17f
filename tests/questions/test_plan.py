"""What is planned for which question, and why: all decisions, in one place."""

from __future__ import annotations

import pytest

from everafter.backends.engines import ENGINES
from everafter.choices import Fairness
from everafter.questions import plan as planning
from everafter.questions.plan import Plan, Stage, plan
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.search.catalogue import ALONE, CATALOGUE, TEAM
from everafter.source import OptionError
from everafter.stated_questions import questions
from everafter.user_model import parse

MODEL = parse(
    """
    bool a, b;
    active proctype P() { do :: a = !a :: b = !b od }
    ltl closed { [] a }
    ltl open { []<> a -> []<> b }
    """
)


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "processors", lambda: 4)


def planned(asked: str, options: Request, fairness: Fairness | None = None) -> Plan:
    request = Request(safety=True) if asked == "safety" else Request(formulas=(asked,))
    [item] = questions(MODEL, request)
    return plan(item.question(Question(MODEL.program, SAFETY, fairness)), options, ENGINES)


BUDGETED = planning.STATE_BUDGET
QUICK_LOOK = Stage("depth-first", 1, planning.QUICK_LOOK)


def orders(workers: int) -> Stage:
    return Stage("depth-first", workers, planning.QUICK_LOOK, seed=1)


def by_one(name: str) -> list[Stage]:
    """One worker, who begins anew where states are many: with packed rows, or with trees where they are long."""
    packed = "unordered" if name == "breadth-first" else name
    return [
        Stage(name, state_budget=BUDGETED, least_bytes=planning.LONG_STATE),
        Stage(packed, store="packed"),
        Stage(name, store="tree"),
    ]


@pytest.mark.parametrize(
    ("asked", "options", "stages", "shortens"),
    [
        (
            "safety",
            Request(),
            [QUICK_LOOK, orders(4), Stage("breadth-first", 1, BUDGETED), Stage("unordered", 4)],
            True,
        ),
        ("safety", Request(threads=1), [QUICK_LOOK, orders(1), *by_one("breadth-first")], True),
        ("safety", Request(threads=1, store="plain"), [QUICK_LOOK, orders(1), Stage("breadth-first")], True),
        ("safety", Request(store="packed"), [QUICK_LOOK, orders(1), Stage("unordered")], True),
        ("closed", Request(store="packed"), [Stage("schwoon-esparza")], False),
        ("safety", Request(store="packed", algorithm="depth-first"), [Stage("depth-first")], False),
        ("safety", Request(checkpoint="here"), [QUICK_LOOK, orders(1), Stage("breadth-first")], True),
        (
            "safety",
            Request(threads=3),
            [Stage("depth-first", 3, planning.QUICK_LOOK), orders(3), Stage("unordered", 3)],
            True,
        ),
        ("safety", Request(algorithm="breadth-first", threads=1), [Stage("breadth-first")], True),
        ("safety", Request(algorithm="depth-first", threads=2), [Stage("depth-first", 2)], False),
        (
            "safety",
            Request(algorithm="unordered", threads=1),
            [Stage("unordered")],
            False,
        ),
        ("safety", Request(algorithm="depth-first"), [Stage("depth-first")], False),
        ("safety", Request(engine="reference"), [Stage("breadth-first")], False),
        (
            "closed",
            Request(),
            [Stage("schwoon-esparza", 1, BUDGETED), Stage("acyclic", 4), Stage("cndfs", 4)],
            False,
        ),
        ("open", Request(), [Stage("schwoon-esparza", 1, BUDGETED), Stage("cndfs", 4)], False),
        ("closed", Request(threads=1), by_one("schwoon-esparza"), False),
        ("closed", Request(threads=1, algorithm="schwoon-esparza"), [Stage("schwoon-esparza")], False),
        ("closed", Request(threads=2), [Stage("acyclic", 2), Stage("cndfs", 2)], False),
        ("open", Request(algorithm="acyclic"), [Stage("acyclic", 4), Stage("cndfs", 4)], False),
        ("open", Request(algorithm="tarjan"), [Stage("tarjan")], False),
        ("open", Request(algorithm="cndfs", threads=1), [Stage("cndfs", 1)], False),
        ("open", Request(algorithm="cndfs", engine="reference"), [Stage("cndfs", 1)], False),
    ],
)
def test_stages(asked: str, options: Request, stages: list[Stage], shortens: bool) -> None:
    chosen = planned(asked, options)
    assert list(chosen.stages) == stages
    assert chosen.shortens == shortens
    assert " states" not in chosen.why.replace(" stored states", "")  # those of a report were searched from
    assert chosen.why


@pytest.mark.parametrize(("fairness", "engine"), [(None, "native"), ("weak", "native"), ("strong", "native")])
def test_the_engine_is_one_that_can(fairness: Fairness | None, engine: str) -> None:
    assert planned("open", Request(), fairness).engine == engine


def test_a_search_for_another_question_is_refused() -> None:
    with pytest.raises(OptionError, match="is no search for this question; choose one of breadth-first"):
        planned("safety", Request(algorithm="tarjan"))


def test_the_last_stage_decides_every_graph() -> None:
    for name in (None, *(each.name for each in CATALOGUE if each.question == "cycle")):
        last = planned("open", Request(algorithm=name)).stages[-1]
        assert last.state_budget is None
        assert (TEAM if last.is_by_team else ALONE)[last.algorithm].fallback is None


def test_rows_are_packed_by_one_worker_and_where_colours_are_enough() -> None:
    made = planned("safety", Request(store="packed"))
    assert [made.store_of(stage) for stage in made.stages] == ["packed", "plain", "packed"]
    assert made.store_of(Stage("breadth-first")) == made.store_of(Stage("tarjan")) == "plain"


@pytest.mark.parametrize(
    ("options", "fairness", "text"),
    [
        (Request(store="packed", threads=2), None, "the packed store is for one thread"),
        (Request(store="packed", algorithm="tarjan"), None, "the packed store is not for tarjan"),
        (Request(store="packed"), "weak", "the packed store is not for the search for fair runs"),
        (Request(store="packed", engine="reference"), None, "the reference engine has no packed store"),
    ],
    ids=["threads", "algorithm", "fairness", "engine"],
)
def test_a_packed_store_is_refused(options: Request, fairness: Fairness | None, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        planned("open", options, fairness)


@pytest.mark.parametrize("asked", ["safety", "closed", "open"])
def test_a_search_over_trees_goes_from_one_worker_to_as_many_as_there_are_processors(asked: str) -> None:
    made = planned(asked, Request(store="tree"))
    assert {made.store_of(stage) for stage in made.stages} == {"tree"}
    assert made.stages[-1].workers == 4
    assert made.stages == planned(asked, Request(store="plain")).stages
