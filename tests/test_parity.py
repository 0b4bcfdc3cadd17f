"""Both engines and the installed SPIN agree, state for state."""

from pathlib import Path

import pytest
from oracles import agreement
from oracles.promela.random_parts import CORNERS
from oracles.promela.random_programs import program
from oracles.spin import safety
from oracles.truth import Row, count, safety_rows

SMALL = [row for row in safety_rows() if row.states is not None and row.states <= 3000]
LARGER = [row for row in safety_rows() if row.states is not None and row.states <= 300_000]
SEEDS = range(0, 240, 8)
PATIENCE = 5
"""The seconds that SPIN may take for a random program: of so few states, it takes a tenth of one."""


def test_the_table_is_not_empty() -> None:
    assert len(SMALL) > 40


@pytest.mark.parametrize("row", SMALL, ids=lambda row: row.path)
@pytest.mark.spin
def test_example_of_spin(row: Row) -> None:
    """Verdict and count equal those of the table, and the table equals what SPIN says today."""
    assert count(row) == (row.verdict, row.states)
    spin = safety(row.model, past_errors=True)
    assert spin.states == row.states
    assert (spin.errors > 0) == (row.verdict == "violated")


@pytest.mark.parametrize("row", LARGER, ids=lambda row: row.path)
@pytest.mark.spin
def test_example_of_spin_on_machine_code(row: Row) -> None:
    """The native engine gives the verdict and the count of the table, also where the reference would take long."""
    assert count(row, "native") == (row.verdict, row.states)


@pytest.mark.parametrize("first", SEEDS)
@pytest.mark.spin
def test_random_programs(first: int) -> None:
    """A fair share of campaigns/random_parity.py."""
    outcomes = []
    for seed in range(first, first + 8):
        outcome, explanation = agreement.compare(program(seed), 1500, seconds=PATIENCE)
        assert outcome != "differs", f"seed {seed}: {explanation}"
        outcomes.append(outcome)
    assert outcomes.count("agrees") >= 3


@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("first", [0, 6, 12])
@pytest.mark.spin
def test_random_programs_from_corners(corner: str, first: int) -> None:
    """Priorities, `enabled`, and d_steps that answer a rendezvous or stand beside an else."""
    for seed in range(first, first + 6):
        outcome, explanation = agreement.compare(program(seed, CORNERS[corner]), 1500, seconds=PATIENCE)
        assert outcome != "differs", f"seed {seed}: {explanation}"


@pytest.mark.spin
def test_a_verifier_is_mended() -> None:
    """What SPIN takes back wrongly hides states; without the mistake it has them all."""
    text = (
        "byte x; active proctype A() { set_priority(7, 3); x = 1; x = get_priority(7) } "
        "active proctype B() { x = 2; x = 3 }"
    )
    assert safety(text).states == 8
    assert safety(text, repaired=True).states == 24


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "regressions").glob("*.pml")), ids=lambda p: p.stem)
@pytest.mark.spin
def test_regression(path: Path) -> None:
    """Programs on which we once differed from SPIN."""
    assert agreement.compare(path.read_text(), 100_000) == ("agrees", "")
