"""Counterexamples to invariants written as formulas: as short as those of safety, and no prefix that says nothing."""

from typing import Any

import pytest
from oracles.asking import Engine
from oracles.shortness import WAYS as SHORTNESS_WAYS
from oracles.shortness import compare

from everafter.backends import native, run_construction, shortest_run
from everafter.choices import ReductionWish
from everafter.user_model import parse

DEEP = """byte n, m; bool bad;
active proctype Long() { do :: n < 100 -> n++ :: n == 100 -> bad = true; break od }
active proctype Noise() { byte i; do :: i < 10 -> i++ :: i > 0 -> i-- od }
active proctype Short() { m = 1; m = 2; n > 5 -> bad = true }
ltl never_bad { [] !bad }
"""


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize("near", [True, False])
def test_an_invariant_has_a_shortest_counterexample(
    engine: Engine, near: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Near, the reference finds it; otherwise machine code must."""
    if not near and engine == "native":
        monkeypatch.setattr(run_construction, "_LEAST_SHORTENING", 1)
    result = parse(DEEP).check("never_bad", engine=engine, reduction="none")
    assert result.violated
    assert result.is_shortest
    assert result.counterexample is not None
    assert len(result.counterexample) == len_of_safety(engine)
    assert "no counterexample is shorter" in str(result)


def len_of_safety(engine: Engine) -> int:
    """How long a shortest run is to an assertion that says the same."""
    text = DEEP[: DEEP.index("ltl")].replace("bad = true", "assert(false)")
    found = parse(text).check(engine=engine, algorithm="breadth-first", reduction="none").counterexample
    assert found is not None
    return len(found)


def test_a_formula_that_needs_infinite_runs_is_not_called_shortest() -> None:
    result = parse(DEEP).check("<> (n == 200)", engine="reference")
    assert result.violated
    assert not result.is_shortest


FAR = """byte a, b, c;
active proctype P() { do :: a++ :: b++ :: c < 9 -> c++ :: a == 200 && b == 200 && c == 9 -> assert(false) od }
"""
TIE = """byte x;
active proctype A() { if :: x = 1; assert(false) :: x = 2; false fi }
"""
SEQUENCE = """chan w = [0] of { byte }; byte i, j;
active proctype A() { if :: i = 1; i = 2; i = 3; assert(false) :: atomic { j = 1; i = 1; j = 2; j = 3; j = 4; w!1 } fi }
"""
INSIDE = """byte i, j;
active proctype A() { if :: i = 1; i = 2; i = 3; assert(false) :: atomic { j = 1; j = 2; assert(false) } fi }
"""
SHORT = {TIE: 1, SEQUENCE: 4, INSIDE: 3}
WAYS: dict[str, dict[str, Any]] = {
    "reference": {"engine": "reference"},
    "breadth-first by the reference": {"engine": "reference", "algorithm": "breadth-first"},
    "native": {"engine": "native"},
    "native, alone": {"engine": "native", "threads": 1},
    "native, breadth-first": {"engine": "native", "algorithm": "breadth-first", "threads": 1},
    "native, team": {"engine": "native", "threads": 2},
    "native, trees": {"engine": "native", "algorithm": "breadth-first", "threads": 1, "store": "tree"},
    "gpu": {"engine": "gpu"},
    "cluster": {"cluster": "inside:2"},
}


@pytest.mark.parametrize("text", SHORT, ids=["deadlock", "sequence", "inside"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reduction", ["none", "static"])
def test_a_run_is_as_long_as_the_steps_that_are_listed(
    text: str, way: str, reduction: ReductionWish, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A deadlock is no step, what goes wrong is one, and an atomic sequence as many as it has, in every engine."""
    monkeypatch.setenv("EVERAFTER_GPU", "cpu")
    result = parse(text).check(reduction=reduction, **WAYS[way])
    assert result.violated
    assert result.is_shortest
    assert result.counterexample is not None
    assert len(result.counterexample) == SHORT[text]


@pytest.mark.parametrize("engine", ["native", "reference"])
@pytest.mark.parametrize(
    ("formula", "steps"),
    [("X X X X (x == 0)", 2), ("[] (x == 0 -> X X X (x == 0))", 2), ("[] (y == 0)", 3), ("[] (x == 0)", 1)],
)
def test_where_the_system_has_stopped_a_claim_reads_on_without_a_step(formula: str, steps: int, engine: Engine) -> None:
    text = "byte x, y; active proctype A() { if :: x = 1 :: x = 0; x = 0; y = 1 fi }"
    result = parse(text).check(formula, engine=engine)
    assert result.violated
    assert result.is_shortest
    assert result.counterexample is not None
    assert len(result.counterexample) == steps


def test_what_takes_too_long_to_find_is_not_called_shortest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortest_run, "SHORTENING", 1)
    result = parse(FAR).check(engine="native", algorithm="breadth-first", threads=1, reduction="none")
    assert result.violated
    assert not result.is_shortest
    assert "there may be shorter counterexamples" in str(result)


@pytest.mark.parametrize("seed", [3, 8, 10, 13, 41, 80])
def test_no_counterexample_of_a_random_program_is_shorter_than_the_shortest(seed: int) -> None:
    """A share of `python -m campaigns.shortness`, by all engines that need no kernels of their own."""
    compared = compare(seed, tuple(way for way in SHORTNESS_WAYS if way.name in ("reference", "native", "cluster")))
    assert not compared.wrong
    assert compared.outcomes


def test_a_shorter_counterexample_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison bites: what a search by levels has found first is not the shortest because of that."""
    monkeypatch.setattr(native._NativeSearch, "_shortened", lambda search, _: setattr(search, "is_shortest", True))
    by_levels = tuple(way for way in SHORTNESS_WAYS if way.name == "native, breadth-first")
    for seed in (10, 41):
        assert "no counterexample is said to be shorter" in compare(seed, by_levels, ("none",)).wrong[0]
