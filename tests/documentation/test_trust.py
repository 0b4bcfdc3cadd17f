"""docs/trust.md is short enough to be read, and says which theorem stands behind which search, as the plan has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from proofs.links import LINK

from everafter.backends.engines import ENGINES
from everafter.questions import plan as planning
from everafter.questions.plan import plan
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.search.catalogue import ALONE, TEAM
from everafter.stated_questions import questions
from everafter.user_model import parse

PAGE = Path(__file__).parents[2].joinpath("docs/trust.md").read_text("utf-8")
MODEL = parse("bool a, b; active proctype P() { do :: a = !a :: b = !b od } ltl p { []<> a -> []<> b } ltl q { [] a }")


def theorems(asked: Request, by: str = "native") -> list[str]:
    """Return the methods that the kernels of the planned stages name as their proof, in the order of the stages."""
    [item] = questions(MODEL, asked)
    question = item.question(Question(MODEL.program, SAFETY))
    stages = plan(question, Request(engine=by), ENGINES).stages
    kernels = [(TEAM if stage.workers > 1 else ALONE)[stage.algorithm].kernel for stage in stages]
    return [link[2] for kernel in kernels for link in LINK.finditer(kernel.__doc__ or "")]


def told(question: str, until: str) -> list[str]:
    """Return the theorems that the rows from `question` up to `until` name, in their order."""
    rows = PAGE[PAGE.index(f"| {question}") : PAGE.index(f"| {until}")]
    return re.findall(r"`(search_\w+)`", rows)


@pytest.fixture(autouse=True)
def _four_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "processors", lambda: 4)


def test_the_page_is_read_in_ten_minutes() -> None:
    assert len(PAGE.split()) <= 2500


def test_safety_is_decided_by_the_searches_that_the_page_names_in_their_order() -> None:
    assert theorems(Request(safety=True)) == told("safety", "a formula")


@pytest.mark.parametrize("formula", ["p", "q"])
def test_formulas_are_decided_by_the_searches_that_the_page_names_in_their_order(formula: str) -> None:
    named = told("a formula", "the same with a certificate")
    decided = theorems(Request(formulas=(formula,)))
    assert decided == [name for name in named if name in decided]
    assert set(named) == {*theorems(Request(formulas=("p",))), *theorems(Request(formulas=("q",)))}


def test_numbers_of_states_are_those_of_the_plan() -> None:
    assert f"{planning.QUICK_LOOK:,} states each" in PAGE
    assert PAGE.count(f"up to {planning.STATE_BUDGET:,} states") == 2
