"""Several threads come to the verdicts of one, and where they cannot be had the user is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from everafter.check import check
from everafter.questions import plan
from everafter.questions.request import Request
from everafter.search.catalogue import names
from everafter.source import OptionError
from everafter.user_model import load, parse

EXAMPLES = sorted((Path(__file__).parent.parent.parent / "examples").glob("*.pml"))
COUNTING = """
byte x, y;
active proctype P() { do :: x++ od }
active proctype Q() { do :: y++ od }
ltl never_both { [] !(x == 200 && y == 100) }
ltl small { [] (x + y < 1000) }
"""


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_three_threads_say_what_one_says(path: Path) -> None:
    model = load(path)
    alone = check(model, Request(threads=1, reduction="none"))
    together = check(model, Request(threads=3, reduction="none"))
    for one, other in zip(alone, together, strict=True):
        assert (one.property, one.verdict) == (other.property, other.verdict)
        assert (one.threads, other.threads) == (1, 3)
        if one.verdict == "holds":
            assert one.states == other.states
        if one.kind == "safety" and one.counterexample is not None and other.counterexample is not None:
            assert len(one.counterexample.prefix) == len(other.counterexample.prefix)  # both are shortest


@pytest.mark.parametrize("algorithm", names("cycle", "team"))
def test_every_parallel_search_can_be_chosen(algorithm: str) -> None:
    results = check(parse(COUNTING), Request(formulas=("never_both", "small"), algorithm=algorithm, threads=2))
    assert [result.verdict for result in results] == ["violated", "holds"]
    assert [(result.algorithm, result.threads) for result in results] == [(algorithm, 2)] * 2


def test_a_large_search_is_given_to_all_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "STATE_BUDGET", 0)
    monkeypatch.setattr(plan, "processors", lambda: 3)
    model = parse(
        "byte a, b; unsigned c : 4; active proctype P() { do :: a++ :: b++ :: c++ od } ltl small { [] (a < 256) }"
    )
    safety, formula = check(model, Request(reduction="none"))
    assert [(each.verdict, each.states, each.threads) for each in (safety, formula)] == [("holds", 1 << 20, 3)] * 2
    assert formula.algorithm == "acyclic"


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(threads=2, engine="reference"), "one thread"),
        (Request(threads=2, fairness="weak"), "one thread"),
        (Request(threads=2, algorithm="tarjan"), "several can run"),
    ],
)
def test_where_threads_cannot_be_had_the_user_is_told(request_: Request, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        check(parse(COUNTING), request_)


@pytest.mark.parametrize(
    "request_", [Request(), Request(threads=1, algorithm="tarjan"), Request(threads=8, algorithm="swarm")]
)
def test_where_they_can_nothing_is_said(request_: Request) -> None:
    assert len(check(parse("byte x; active proctype P() { x = 1 } ltl small { [] (x < 2) }"), request_)) == 2


TURNS = """
bool a, b;
active proctype P() { do :: a = !a :: b = !b od }
ltl often { []<> a -> []<> b }
ltl answered { [] (a -> <> b) }
never { accept: do :: !a -> goto wait :: a od; wait: do :: a -> goto accept :: !a od }
"""


@pytest.mark.parametrize(("formula", "algorithm"), [("often", "cndfs"), ("answered", "acyclic"), ("[] !b", "acyclic")])
def test_a_team_searches_as_the_claim_allows(formula: str, algorithm: str) -> None:
    [result] = check(parse(TURNS), Request(formulas=(formula,), threads=2))
    assert (result.verdict, result.algorithm) == ("violated", algorithm)


def test_a_never_claim_that_leaves_acceptance_is_searched_nested() -> None:
    [result] = check(parse(TURNS), Request(never=True, threads=2))
    assert (result.verdict, result.algorithm) == ("violated", "cndfs")


def test_who_asks_for_a_search_that_cannot_decide_is_told_what_did() -> None:
    [result] = check(parse(TURNS), Request(formulas=("often",), algorithm="acyclic", threads=2))
    assert (result.verdict, result.algorithm) == ("violated", "cndfs")
