"""Verdicts on infinite runs equal SPIN's: on its own examples, and on random programs with random formulas."""

import pytest
from oracles.claims import compare
from oracles.truth import Row, answer, claim_rows

from everafter.questions.limits import Limits

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
ROWS = [row for row in claim_rows() if row.path.endswith(SMALL)]


def test_the_table_is_not_empty() -> None:
    assert len(ROWS) >= 20
    assert {row.check for row in ROWS} == {"ltl", "never", "np", "accept"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.path} {row.question}")
@pytest.mark.spin
def test_example_of_spin(row: Row) -> None:
    result = answer(row, Limits())
    assert result.verdict == row.verdict
    assert (result.counterexample is not None) == (result.verdict == "violated")


@pytest.mark.parametrize("first", range(0, 60, 6))
@pytest.mark.spin
def test_random_formulas(first: int) -> None:
    """A fair share of campaigns/random_claims.py."""
    for seed in range(first, first + 6):
        outcome, explanation = compare(seed, 1000)
        assert outcome != "differs", f"seed {seed}: {explanation}"
