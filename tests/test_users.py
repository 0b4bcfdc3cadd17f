"""Models of the kinds that users write: SPIN and we say the same of them. campaigns/users.py asks about all."""

from pathlib import Path

import pytest
from oracles.users import Answer, Variant, compare, outcome, variants, variants_of

#: Every tenth model, in the first of its variants.
SHARE = [variant for variant in variants() if variant == variants_of(variant.path)[0]][::10]


def test_there_are_hundreds() -> None:
    assert len(variants()) >= 300
    assert len({variant.name for variant in variants()}) == len(variants())


def test_variants_are_named_by_comments(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(
        "/* What it is. */\n/* with N=2 */\n/* with N=3 LOSSY */\n/* unlike SPIN about safety: a reason */\n"
    )
    assert variants_of(path) == [
        Variant(path, ("N=2",)),
        Variant(path, ("N=3", "LOSSY"), {"safety": "a reason"}),
    ]
    assert variants_of(path)[1].name == "m N=3 LOSSY"
    path.write_text("active proctype P() { skip }")
    assert variants_of(path) == [Variant(path)]


@pytest.mark.parametrize(
    ("spin", "ours", "expected"),
    [
        (Answer("holds", 7), Answer("holds", 7), "agrees"),
        (Answer("holds", 7), Answer("holds", 8), "differs"),
        (Answer("holds"), Answer("violated"), "differs"),
        (Answer("violated"), Answer("violated", 3), "agrees"),
        (Answer("incomplete"), Answer("holds", 3), "not finished"),
        (Answer("refused: syntax error"), Answer("read"), "differs"),
    ],
)
def test_answers_are_compared(spin: Answer, ours: Answer, expected: str) -> None:
    assert outcome(spin, ours) == expected


@pytest.mark.spin
def test_a_difference_is_found_and_may_be_explained(tmp_path: Path) -> None:
    """SPIN does not look at the promises of exclusive access when its reduction is off."""
    path = tmp_path / "m.pml"
    model = (
        "chan q = [2] of { byte }; active proctype A() { xs q; q!1; q?_ } active proctype B() { q!2; q?_ }\n"
        "ltl sent { <> (len(q) > 0) }\n"
    )
    path.write_text(model)
    [variant] = variants_of(path)
    assert {(each.question, each.outcome) for each in compare(variant) if each.question == "safety"} == {
        ("safety", "differs")
    }
    path.write_text("/* with N=1 */\n/* unlike SPIN about safety: it does not look at xs here */\n" + model)
    [variant] = variants_of(path)
    assert {each.outcome for each in compare(variant) if each.question == "safety"} == {"explained"}


@pytest.mark.spin
def test_runs_that_stop_are_overlooked_by_spin_under_weak_fairness(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("byte x; active proctype P() { x = 1 } ltl p { <>[] (x == 0) }")
    [variant] = variants_of(path)
    found = {(each.question, each.spin.verdict, each.ours.verdict, each.outcome) for each in compare(variant)}
    assert ("ltl p", "violated", "violated", "agrees") in found
    assert ("ltl p weak", "holds", "violated", "explained") in found


@pytest.mark.parametrize("variant", SHARE, ids=lambda variant: variant.name)
@pytest.mark.spin
def test_agrees_with_spin(variant: Variant) -> None:
    findings = list(compare(variant, seconds=60))
    assert findings
    assert [finding for finding in findings if finding.outcome == "differs"] == []
