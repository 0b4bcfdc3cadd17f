"""everafter checks its own parallel search: the model of PNDFS in examples/, right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from oracles.asking import check_safety

from everafter.questions.limits import Limits
from everafter.user_model import load

MODEL = Path(__file__).parents[3] / "examples" / "parallel_nested_dfs.pml"


@pytest.mark.parametrize(
    "macros",
    [("PLAIN",), ("EVERY_GRAPH",), ("EVERY_GRAPH", "PLAIN"), ("UNREPAIRED",), ("PLAIN", "HASTY")],
    ids="-".join,
)
def test_two_workers_are_right_even_without_waiting(macros: tuple[str, ...]) -> None:
    program = load(MODEL, dict.fromkeys(macros, "1")).program
    assert check_safety(program, Limits(), engine="native").verdict == "holds"


def test_three_workers_miss_the_cycle_with_all_red_as_it_was_first() -> None:
    program = load(MODEL, {"WORKERS": "3", "UNREPAIRED": "1"}).program
    result = check_safety(program, Limits(), engine="native")
    assert result.verdict == "violated"
    assert result.counterexample is not None
    assert result.counterexample.problem is not None
    assert result.counterexample.problem.kind == "assertion"
