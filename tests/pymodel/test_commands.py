"""The commands take models in Python as they take Promela."""

from __future__ import annotations

from pathlib import Path

import pytest

import everafter
from everafter.cli import main

LOST = Path(__file__).parent.parent.parent / "examples" / "python" / "lost_update.py"
QUICK = ("--engine", "reference")


def test_a_counterexample_has_the_lines_of_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{LOST}:LostUpdate", *QUICK]) == 1
    told = capsys.readouterr()
    assert "warning" not in told.err
    line = 1 + LOST.read_text().split("\n").index("        self.counter = seen + 1")
    assert any(f" {line} " in each and "thread(1)" in each for each in told.out.split("\n"))


def test_a_constant_is_set_from_outside(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{LOST}:LostUpdate", "-D", "LOCKED=True", *QUICK]) == 0
    assert main(["check", f"{LOST}:LostUpdate", "-D", "LOCKT=True", *QUICK]) == 2
    assert "has a constant 'LOCKT'" in capsys.readouterr().err
    assert everafter.load(f"{LOST}:Locked", {"THREADS": 3}).tree.proctype("thread(2)") is not None


def test_which_model_is_meant_must_be_clear(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(LOST), *QUICK]) == 2
    assert "has several models" in capsys.readouterr().err
    assert main(["check", f"{LOST}:Lockd", *QUICK]) == 2
    assert "did you mean 'Locked'?" in capsys.readouterr().err


def test_a_run_is_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "run"
    assert main(["check", f"{LOST}:LostUpdate", "--ltl", "all_counted", "--trace", str(trace), *QUICK]) == 1
    written = list(tmp_path.iterdir())
    assert len(written) == 1
    capsys.readouterr()
    assert main(["replay", f"{LOST}:LostUpdate", str(written[0])]) == 0
    assert "seen = self.counter" in capsys.readouterr().out


def test_a_file_that_raises_is_told_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("from everafter import model as m\n\nprint(1 / 0)\n")
    assert main(["check", str(broken)]) == 2
    told = capsys.readouterr().err
    assert f"{broken}:3:1: error: ZeroDivisionError: division by zero" in told
    broken.write_text("class A(:\n")
    assert main(["check", str(broken)]) == 2
    assert "this is not Python" in capsys.readouterr().err


def test_check_can_be_called_whatever_was_imported_first() -> None:
    model = everafter.load(f"{LOST}:Locked")
    assert everafter.check(model, "ends", engine="reference")
    assert everafter.check(f"{LOST}:Locked", engine="reference")
    assert not everafter.check(f"{LOST}:LostUpdate", engine="reference")
