"""The comparison with SPIN measures what it says, and notices rows that prove nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.compare_spin import main
from benchmarks.comparison.cases import LTL, ROOT, SAFETY, SIZES, STARTUP, Case
from benchmarks.comparison.checkers import COLLAPSE, COMPACT, OURS, PANS, TREE, Run, build_ltsmin, build_pan, write_pan
from benchmarks.comparison.defaults import DefaultRow, defaults_table
from benchmarks.comparison.measure import Meter, Usage
from benchmarks.comparison.rows import Row
from benchmarks.comparison.tables import safety_table, store_table
from benchmarks.practice import models
from benchmarks.stores import Row as StoreRow

from everafter.user_model import parse

CASES = [*SAFETY, *LTL, *SIZES, *STARTUP]
O2, O3, NOCOMP = PANS


def usage(seconds: float = 1.0, peak: int = 3_000) -> Usage:
    return Usage(seconds, seconds, peak, 0, "")


def row(ours: Run, claim: str | None = None) -> Row:
    case = Case("case", Path("model.pml"), 100, 10, claim=claim)
    pan = Run("holds", 100, 2.0, usage())
    slower = [replace(pan, search=4.0)]
    floors = {O2: 1_000, O3: 0, NOCOMP: 0, OURS: 2_000}
    return Row(case, {O2: [pan, pan], O3: slower, NOCOMP: slower, OURS: [ours]}, floors)


def test_default_options_are_compared_by_states_and_whole_commands() -> None:
    spin, ours = Run("holds", 200, 2.0, usage(2.0)), Run("holds", 100, 0.5, usage(1.0))
    measured = DefaultRow("model", (spin,), (ours,), build=3.0)
    assert (measured.states, measured.search, measured.whole, measured.trouble) == (0.5, 4.0, 5.0, "")
    wrong = DefaultRow("other", (replace(spin, verdict="violated"),), (ours,), build=3.0)
    assert wrong.trouble == "spin: violated"
    shown = defaults_table([measured, wrong])
    assert "geometric mean 0.5, worst 0.5 (model)" in shown
    assert "WRONG (spin: violated)" in shown


def test_there_are_models_in_the_style_of_practice() -> None:
    found = dict(models())
    assert len(found) >= 60
    for text in list(found.values())[::4]:
        assert parse(text).program.processes


def test_ratio_is_to_the_best_verifier() -> None:
    measured = row(Run("holds", 100, 0.5, usage()))
    assert (measured.best, measured.ratio, measured.trouble) == (O2, 4.0, "")
    assert (measured.spin_bytes, measured.bytes_per_state(OURS)) == (20.0, 10.0)


def test_other_counts_of_states_are_wrong_for_safety_only() -> None:
    other = Run("holds", 200, 0.5, usage())
    assert "states differ" in row(other).trouble
    assert "WRONG" in safety_table([row(other)])
    assert row(other, "claim").trouble == ""
    assert row(other, "claim").ratio_per_state == 8.0


def with_stores(tree: Run) -> Row:
    plain = row(Run("holds", 100, 0.5, usage()))
    collapse, compact = Run("holds", 100, 3.0, usage(peak=2_500)), Run("holds", 99, 2.5, usage(peak=1_500))
    runs = {**plain.runs, COLLAPSE: [collapse], COMPACT: [compact], TREE: [tree]}
    return replace(plain, runs=runs, floors={**plain.floors, COLLAPSE: 1_000, COMPACT: 1_000, TREE: 2_000})


def test_stores_are_compared_in_bytes_and_seconds() -> None:
    text = store_table([with_stores(Run("holds", 100, 0.6, usage(peak=2_500)))])
    assert "spin -O2 20.0, spin collapse 15.0, spin hc4 5.1, everafter 10.0, everafter tree 5.0" in text
    assert "geometric mean 1.20, worst 1.20" in text


def test_a_tree_store_must_count_the_same_states() -> None:
    assert "everafter tree [99]" in with_stores(Run("holds", 99, 0.6, usage())).trouble


@pytest.mark.parametrize("verdict", ["violated", "incomplete"])
def test_only_a_whole_search_counts(verdict: str) -> None:
    assert verdict in row(Run(verdict, 100, 0.5, usage())).trouble  # type: ignore[arg-type] # from parametrize


def test_a_setting_that_the_model_does_not_have_is_an_error() -> None:
    with pytest.raises(ValueError, match="NOTHING 0 times"):
        Case("case", ROOT / "examples" / "peterson.pml", 1, 1, {"NOTHING": 1}).text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.spin
def test_every_case_can_be_read(case: Case) -> None:
    model = parse(case.text())
    assert case.claim is None or case.claim in model.formulas


def test_names_are_unique() -> None:
    for part in (SAFETY, LTL, SIZES):
        assert len({case.name for case in part}) == len(part)


@pytest.mark.spin
def test_memory_of_a_small_process_is_not_that_of_this_one(tmp_path: Path) -> None:
    used = Meter(tmp_path).run(["true"], tmp_path, 10)
    assert 0 < used.peak < 5_000_000
    assert used.status == 0


@pytest.mark.spin
def test_a_process_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    assert not Meter(tmp_path).run(["sleep", "60"], tmp_path, 0.2).finished


@pytest.mark.spin
def test_a_stack_too_small_is_no_answer(tmp_path: Path) -> None:
    case = replace(next(case for case in SAFETY if case.name == "handshake_ring-3"), depth=20)
    case.place(tmp_path)
    write_pan(tmp_path)
    assert build_pan(tmp_path, case, O2).run(Meter(tmp_path), 60).verdict == "incomplete"


@pytest.mark.spin
def test_the_whole_comparison_on_a_tiny_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    chosen = ["--tiny", "--runs", "1", "--only", "safety/pipeline", "--output", str(report)]
    assert main(chosen) == 0
    assert "pipeline-2" in capsys.readouterr().out
    (measured,) = json.loads(report.read_text())["safety"]
    assert {run["states"] for runs in measured["runs"].values() for run in runs} == {2108}


@pytest.mark.parametrize("case", STARTUP, ids=["safety", "ltl"])
@pytest.mark.spin
def test_ltsmin_gets_the_model_and_its_claim(case: Case, tmp_path: Path) -> None:
    """LTSmin itself is not needed: two scripts take its place, and say what its manual says that it says."""
    for name, script in (
        ("spins", "cp $2 $2.spins"),
        (
            "prom2lts-seq",
            'for word; do last=$word; done; cat $last; echo "$@"; echo "state space 9 levels, 38 states 5"',
        ),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    folder = tmp_path / "model"
    folder.mkdir()
    case.place(folder)
    write_pan(folder)
    run = build_ltsmin(folder, case, tmp_path).run(Meter(tmp_path), 10)
    assert (run.verdict, run.states) == ("holds", 38)
    assert "\nltl" not in run.usage.output
    assert ("accept_S4" in run.usage.output, "--strategy=scc" in run.usage.output) == (
        bool(case.claim),
        bool(case.claim),
    )


def test_stores_are_compared_by_their_fastest_runs_and_must_count_the_same() -> None:
    plain = Run("holds", 100, 2.0, usage(), own_bytes=60.0)
    tree = Run("holds", 100, 3.0, usage(), own_bytes=12.0)
    compared = StoreRow("case", [plain, replace(plain, search=4.0)], [replace(tree, search=9.0), tree])
    assert (compared.ratio, compared.bytes, compared.same) == (1.5, 12.0, True)
    assert str(compared) == "| case | 100 | 60.0 | 12.0 | 2.00 | 3.00 | 1.50 |"
    assert not replace(compared, tree=[replace(tree, states=99)]).same
