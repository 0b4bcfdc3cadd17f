"""Counterexamples to invariants written as formulas: as short as those of safety, and no prefix that says nothing."""

import pytest
from oracles.asking import Engine

from everafter.check import parse
from everafter.checking import runs

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
        monkeypatch.setattr(runs, "_LEAST_SHORTENING", 1)
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
