"""`check --certificate` and `certify`, as a user sees them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everafter.cli import main
from everafter.report.progress import ProgressLine

EXAMPLES = Path(__file__).parents[2] / "examples"
PETERSON = str(EXAMPLES / "peterson.pml")
BROKEN = str(EXAMPLES / "mutex_broken.pml")


def test_verdicts_are_confirmed_with_what_is_still_trusted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "certificate")
    assert main(["check", PETERSON, "--certificate", file]) == 0
    assert "certificate of safety, exclusive, first_gets_in written" in capsys.readouterr().err
    assert main(["certify", file, PETERSON]) == 0
    shown = capsys.readouterr().out
    assert shown.count("certified (reduced): ") == 3
    assert "38 rows, each decided on machine code" in shown
    assert "still trusted:" in shown
    assert shown.count("its claim accepts every violation, by ") == 2
    assert "the textbook automaton and the check of reasons" in shown
    assert "into an automaton" not in shown
    assert main(["certify", file, PETERSON, "--by", "reference", "--threads", "2"]) == 0
    assert "decided by the reference" in capsys.readouterr().out


def test_the_progress_line_counts_rows_as_the_answer_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = str(tmp_path / "certificate")
    assert main(["check", PETERSON, "--safety", "--certificate", file]) == 0
    shown: list[object] = []
    monkeypatch.setattr(ProgressLine, "show", lambda _line, progress, **_: shown.append(progress))
    assert main(["certify", file, PETERSON, "--by", "reference", "--threads", "1"]) == 0
    counted = [re.fullmatch(r"([\d,]+) rows, [\d,]+/s, \d+ s", str(each)) for each in shown]
    assert counted
    assert counted[-1] is not None
    assert f"{counted[-1][1]} rows, each decided" in capsys.readouterr().out


def test_a_violation_is_confirmed_by_its_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "certificate")
    assert main(["check", BROKEN, "--safety", "--certificate", file]) == 1
    assert main(["certify", file, BROKEN]) == 1
    assert "violated    certified: its run of 7 steps was taken again" in capsys.readouterr().out


def test_definitions_are_those_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, model = str(tmp_path / "certificate"), str(EXAMPLES / "peterson_n.pml")
    assert main(["check", model, "-D", "N=2", "--safety", "--certificate", file]) == 0
    assert main(["certify", file, model, "-D", "N=2"]) == 0
    assert main(["certify", file, model, "-D", "N=3"]) == 2
    assert "other definitions" in capsys.readouterr().err


def test_weakly_fair_runs_are_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "certificate")
    assert main(["check", PETERSON, "--ltl", "first_gets_in", "--fair", "weak", "--certificate", file]) == 0
    assert main(["certify", file, PETERSON, "--fair", "weak"]) == 0
    assert "fairness       weak" in capsys.readouterr().out
    assert main(["certify", file, PETERSON, "--fair", "weak", "--by", "reference"]) == 0


@pytest.mark.parametrize("option", [["--engine", "reference"], ["--fair", "strong"]], ids=" ".join)
def test_what_leaves_no_certificate_is_refused_before_the_search(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "certificate"
    assert main(["check", PETERSON, *option, "--certificate", str(file)]) == 2
    assert "writes no certificates" in capsys.readouterr().err
    assert not file.exists()


def test_a_file_that_cannot_be_written_is_told_before_the_search(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", PETERSON, "--certificate", str(tmp_path / "no" / "folder")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_full_disk_costs_the_certificate_and_no_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.fail("this system has no /dev/full to try a full disk with")
    assert main(["check", PETERSON, "--safety", "--certificate", str(full)]) == 3
    shown = capsys.readouterr()
    assert "holds" in shown.out
    assert "no certificate was written: No space left" in shown.err
    assert full.exists()


def test_several_models_have_no_certificate_in_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", PETERSON, BROKEN, "--certificate", str(tmp_path / "c")]) == 2
    assert "several models" in capsys.readouterr().err


def test_what_is_no_certificate_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", PETERSON, PETERSON]) == 2
    shown = capsys.readouterr().err
    assert "not a certificate" in shown
    assert "Traceback" not in shown


def test_a_paranoid_check_confirms_every_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", PETERSON, "--paranoid"]) == 0
    shown = capsys.readouterr()
    assert shown.out.count("certified: ") == 3
    assert "38 rows, each decided on machine code, 38 of them also by the reference" in shown.out
    assert "written" not in shown.err
    file = tmp_path / "certificate"
    assert main(["check", BROKEN, "--safety", "--paranoid", "--certificate", str(file)]) == 1
    assert "its run of 7 steps was taken again" in capsys.readouterr().out
    assert file.exists()


def test_a_verdict_that_is_not_confirmed_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("everafter.certificates.reference.row_checker.decide_state", lambda *_: False)
    assert main(["check", PETERSON, "--paranoid"]) == 4
    shown = capsys.readouterr()
    assert "by the reference" in shown.err
    assert "holds  " not in shown.out
