"""A swarm: searches that forget states follow each other with other hash functions and orders, until time ends."""

from __future__ import annotations

import random
from itertools import count, pairwise
from typing import Literal

import pytest
from oracles.claims import formula, global_names
from oracles.promela.random_programs import program

import everafter
from everafter.backends import native
from everafter.backends.search_watch import SearchWatch
from everafter.engine.emit import nested_claims
from everafter.engine.run.native_model import NativeModel

TREE = """
#define N 9
int history;
active proctype A() { byte i; do :: i < N -> d_step { history = 2 * history; i++ } :: i == N -> break od }
active proctype B() { byte i; do :: i < N -> d_step { history = 2 * history + 1; i++ } :: i == N -> break od; CHECK }
"""
MISSED = "assert(history != 87381)"
"""What goes wrong in one of 48,620 orders of the steps, which a first search takes for another."""


def counted(model: everafter.Model, search: int, quickly: bool = True) -> tuple[int, int]:
    """States and transitions of a search of all states with a number."""
    code = NativeModel(model.program, quickly=quickly, varies=True)
    code.go_past_errors()
    code.vary(search)
    figures = code.search("depth-first", 1 << 26, lambda _: None).run(lambda _: False, 0.1).figures
    return figures.states, figures.transitions


@pytest.mark.parametrize("seed", [0, 3, 5])
def test_every_search_of_a_swarm_has_all_states(seed: int) -> None:
    model = everafter.parse(program(seed))
    assert len({counted(model, search) for search in (0, 1, 2, 9)}) == 1


def test_salts_differ_and_mean_no_claim() -> None:
    model = NativeModel(everafter.parse("active proctype P() { skip }").program, quickly=True, varies=True)
    found = []
    for search in range(0xFFF1):
        model.vary(search)
        found.append(model.salt)
    assert found[0] == 0
    assert len(set(found)) == len(found)
    assert max(found) < 0xFFF1
    assert all(one != other for one, other in pairwise(found))


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native._NativeSearch, "_memory", lambda *_: 1 << 18)


@pytest.fixture
def four_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is over when four searches are: the clock of a machine may be slow."""
    exceeded, asked = SearchWatch.exceeded, count(1)

    def is_over(watch: SearchWatch, states: int, used: int | None = None) -> bool:
        if states == 0 and next(asked) == 4:
            watch.reached = "the time limit of 600 s was reached"
        return watch.reached is not None or exceeded(watch, states, used)

    monkeypatch.setattr(SearchWatch, "exceeded", is_over)


@pytest.mark.usefixtures("small_tables", "four_searches")
def test_a_swarm_goes_on_until_time_ends() -> None:
    model = everafter.parse(TREE.replace("CHECK", "skip"))
    once = model.check(store="bitstate", reduction="none")
    assert "searches" not in once.reason
    result = model.check(store="bitstate", reduction="none", limits=everafter.Limits(seconds=600))
    assert (result.verdict, result.reason.split(";")[0]) == ("incomplete", "the time limit of 600 s was reached")
    assert "by one of 4 searches, each with its own hash function and order" in result.reason
    assert result.visited is not None
    assert once.visited is not None
    assert once.visited < result.visited < 1


@pytest.mark.usefixtures("small_tables")
def test_a_later_search_finds_what_the_first_has_missed() -> None:
    model = everafter.parse(TREE.replace("CHECK", MISSED))
    assert model.check(store="bitstate", reduction="none").incomplete
    result = model.check(store="bitstate", reduction="none", limits=everafter.Limits(seconds=600))
    assert result.violated
    assert result.counterexample is not None
    assert result.counterexample.rows[-1].before["history"] == 87381


# Formulas


def asked(seed: int) -> tuple[everafter.Model, str] | None:
    """A random program and a formula on it."""
    text = program(seed)
    names = global_names(text)
    return (everafter.parse(text), formula(random.Random(seed), names, 5)) if names else None


@pytest.mark.parametrize("reduction", ["none", "static"])
@pytest.mark.parametrize("store", ["bitstate", "compact"])
def test_a_formula_has_the_verdict_of_a_search_that_keeps_states(
    store: Literal["bitstate", "compact"], reduction: Literal["none", "static"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "_FORGETTING_MEMORY", 1 << 24)
    seen = set()
    for model, text in filter(None, map(asked, range(20, 26))):
        kept = model.check(text, algorithm="courcoubetis", reduction=reduction, limits=everafter.Limits(states=5000))
        if kept.incomplete:
            continue
        found = model.check(text, store=store, reduction=reduction)
        assert found.disagreement == ""
        assert found.verdict == ("violated" if kept.violated else "incomplete")
        assert kept.violated or found.states == kept.states
        seen.add(found.verdict)
    assert seen == {"violated", "incomplete"}


LOOPS = """
byte n; bool good;
active proctype P() { do :: n < 6 -> n++ :: n > 0 -> n-- :: n == 6 -> good = true; n = 0; good = false od }
active proctype Q() { byte m; do :: m < 5 -> m++ :: m == 5 -> m = 0 od }
"""


@pytest.mark.parametrize("text", ["[] <> good", "<> [] (n == 3)", "[] (n < 6)", "<> good", "[] (good -> <> (n == 1))"])
def test_cycles_and_refutations_are_runs(text: str) -> None:
    result = everafter.parse(LOOPS).check(text, store="bitstate")
    assert result.violated
    assert (result.method.algorithm, result.method.store) == ("nested depth-first", "bitstate")
    assert result.counterexample is not None
    assert result.counterexample.cycle or result.counterexample.letters


@pytest.mark.usefixtures("small_tables", "four_searches")
def test_a_swarm_of_a_formula_says_the_coverage() -> None:
    model = everafter.parse(TREE.replace("CHECK", "skip"))
    result = model.check("[] <> (history == -1) -> <> false", store="bitstate", limits=everafter.Limits(seconds=600))
    assert result.incomplete
    assert "by one of 4 searches, each with its own hash function and order" in result.reason
    assert result.visited is not None
    assert result.visited < 1


@pytest.mark.usefixtures("small_tables")
def test_a_later_search_refutes_the_formula_that_the_first_has_not() -> None:
    model = everafter.parse(TREE.replace("CHECK", "skip"))
    text = "<> [] (history != 87381)"
    assert model.check(text, store="bitstate", reduction="none").incomplete
    result = model.check(text, store="bitstate", reduction="none", limits=everafter.Limits(seconds=600))
    assert result.violated


def test_a_claim_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nested_claims, "_MOST_NUMBERS", 20)
    with pytest.raises(everafter.OptionError, match="too many states"):
        everafter.parse(LOOPS).check("[] <> good", store="bitstate")
