"""The comparison of two checkouts measures each of them, and notices when they say different things."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.compare_revisions import Pair, chosen, main, report
from benchmarks.comparison.cases import LTL, ROOT, SAFETY, Case
from benchmarks.comparison.checkers import Run
from benchmarks.comparison.measure import Usage

CASE = Case("case", Path("model.pml"), 100, 10)
RUN = Run("holds", 100, 2.0, Usage(2.0, 2.0, 3_000, 0, ""))


def test_medians_are_compared() -> None:
    pair = Pair(CASE, [RUN, replace(RUN, search=9.0), RUN], [replace(RUN, search=1.0)] * 3)
    assert (pair.ratio, pair.trouble) == (0.5, "")
    assert "geometric mean 0.500 of 1" in report([pair])


@pytest.mark.parametrize(
    ("old", "new", "trouble"),
    [
        (RUN, replace(RUN, states=101), "differs: old holds, 100 states, new holds, 101 states"),
        (RUN, replace(RUN, verdict="violated"), "differs: old holds, 100 states, new violated, 100 states"),
        (replace(RUN, verdict="incomplete"), replace(RUN, verdict="incomplete"), "incomplete, 100 states"),
    ],
)
def test_other_answers_are_trouble(old: Run, new: Run, trouble: str) -> None:
    pair = Pair(CASE, [old], [new])
    assert pair.trouble == trouble
    assert "WRONG" in report([pair])
    assert "mean" not in report([pair])


def test_questions_are_chosen_by_part_and_number() -> None:
    large = [case for case in LTL if case.effort != "tiny"]
    assert chosen("ltl/", tiny=False, most=None) == large
    assert chosen("ltl/", tiny=False, most=2) == large[:2]
    assert [case.name for case in chosen("pipeline", tiny=True, most=None)] == ["pipeline-2"]
    assert len(chosen("", tiny=False, most=None)) + 3 == len(SAFETY) + len(LTL)


def test_what_is_no_checkout_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path), "--tiny"]) == 2
    assert "everafter is imported from" in capsys.readouterr().err


@pytest.mark.spin
def test_a_checkout_that_counts_otherwise_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole comparison on a tiny model, with a copy that reports one state too many."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    report = tmp_path / "src" / "everafter" / "report" / "json_report.py"
    text = report.read_text()
    report.write_text(text.replace('"states": result.states', '"states": result.states + 1'))
    assert report.read_text() != text
    assert main([str(tmp_path), "--tiny", "--runs", "1", "--only", "safety/pipeline"]) == 1
    assert "old holds, 2,109 states, new holds, 2,108 states" in capsys.readouterr().out
