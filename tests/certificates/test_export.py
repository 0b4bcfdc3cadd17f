"""Certificates as plain text, and where the program that decides such text is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from everafter.certificates.verified import VerifiedError, verified_program
from everafter.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_certificate_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, model = str(tmp_path / "certificate"), str(EXAMPLES / "peterson.pml")
    assert main(["check", model, "--reduction", "none", "--certificate", file]) == 0
    assert main(["certificate", "export", file, model, str(tmp_path / "plain")]) == 0
    assert "safety: " in capsys.readouterr().out
    names = sorted(each.name for each in (tmp_path / "plain").iterdir())
    assert names[-4:] == [f"3-first_gets_in.{ending}" for ending in ("claim", "hoa", "program", "rows")]
    assert len((tmp_path / "plain" / "1-safety.rows").read_text().splitlines()) == 38
    row = (tmp_path / "plain" / "3-first_gets_in.rows").read_text().splitlines()[0]
    assert row.startswith("(row ")
    assert (tmp_path / "plain" / "3-first_gets_in.hoa").read_text().startswith("HOA: v1")


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EVERAFTER_VERIFIED", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(VerifiedError, match="build it by scripts/verified"):
        verified_program()
