"""Verdicts on infinite runs equal SPIN's: on its own examples, and on random programs with random formulas."""

import pytest
from benchmarks.random_claims import compare
from benchmarks.spin_claims import answer, rows
from benchmarks.spin_parity import EXAMPLES
from tests.oracle.spin import require_spin

from everafter.check import load
from everafter.verdict.limits import Limits

#: Models whose product is small enough for the reference within seconds.
SMALL = (
    "Book_1991/p123.pml",
    "Exercises/ex_3a.pml",
    "Exercises/ex_5.pml",
    "LTL/diskhead.pml",
    "LTL/ltl_always_eventually.pml",
    "LTL/ltl_example.pml",
    "LTL/salesman1.pml",
    "LTL/salesman2.pml",
    "LTL/zune.pml",
    "Examples/loops.pml",
    "Examples/werkplaats.pml",
)
ROWS = [line for line in rows() if line["path"].endswith(SMALL)]


def test_the_table_is_not_empty() -> None:
    assert len(ROWS) >= 20
    assert {line["check"] for line in ROWS} == {"ltl", "never", "np", "accept"}


@pytest.mark.parametrize(
    "line", ROWS, ids=lambda line: f"{line['path']} {line['check']} {line['claim']} {line['fair']}"
)
def test_example_of_spin(line: dict[str, str]) -> None:
    require_spin()
    result = answer(load(EXAMPLES / line["path"]), line, Limits())
    assert result.verdict == line["verdict"]
    assert (result.counterexample is not None) == (result.verdict == "violated")


@pytest.mark.parametrize("first", range(0, 60, 6))
def test_random_formulas(first: int) -> None:
    """A fair share of benchmarks/random_claims.py."""
    require_spin()
    for seed in range(first, first + 6):
        outcome, explanation = compare(seed, 1000)
        assert outcome != "differs", f"seed {seed}: {explanation}"
