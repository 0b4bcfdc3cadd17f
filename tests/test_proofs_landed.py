"""A line of the record that no prover has said is proved anew at once, wherever the record is looked at."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from proofs import landed
from proofs.task import ProofError, Task

TASKS = [Task("a.vpr", "proof", "text"), Task("b.vpr", "proof", "text")]
HONEST = {"a.vpr": {"fingerprint": "1", "rests on": []}, "b.vpr": {"fingerprint": "2", "rests on": []}}
FORGED = {**HONEST, "b.vpr": {"fingerprint": "3", "rests on": []}}


def git(folder: Path, *asked: str) -> None:
    """Have git do something there."""
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", str(folder), *person, *asked], check=True, capture_output=True)


def committed(folder: Path, entries: dict[str, Any]) -> None:
    """Commit this record."""
    (folder / "checked.json").write_text(json.dumps(entries))
    git(folder, "add", ".")
    git(folder, "commit", "--allow-empty", "-m", "record")


def cloned(source: Path, target: Path, *how: str) -> Path:
    """A clone of the repository."""
    git(source, "clone", *how, f"file://{source}", str(target))
    return target


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A repository whose record is true."""
    folder = tmp_path / "source"
    folder.mkdir()
    git(folder, "init", "--initial-branch", "main")
    committed(folder, HONEST)
    return folder


def new(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is proved anew there."""
    monkeypatch.setattr(landed, "ROOT", folder)
    monkeypatch.setattr(landed, "RECORD", folder / "checked.json")
    monkeypatch.setattr(landed, "cache_folder", lambda: folder.parent / "cache")
    entries = json.loads((folder / "checked.json").read_text())
    return [task.name for task in landed.new_lines(TASKS, entries)]


def test_a_line_that_is_not_committed_is_new(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert new(source, monkeypatch) == []
    (source / "checked.json").write_text(json.dumps(FORGED))
    assert new(source, monkeypatch) == ["b.vpr"]


@pytest.mark.parametrize("after", [0, 5])
def test_a_line_of_some_commit_that_has_landed_is_new(
    after: int, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entries in (FORGED, *[FORGED] * after):
        committed(source, entries)
    assert new(source, monkeypatch) == ["b.vpr"]
    assert new(cloned(source, tmp_path / "fresh"), monkeypatch) == ["b.vpr"]
    assert new(cloned(source, tmp_path / "shallow", "--depth", "1"), monkeypatch) == ["b.vpr"]


def test_every_commit_of_a_branch_is_new(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    branch = cloned(source, tmp_path / "branch")
    for entries in (FORGED, *[FORGED] * (landed.BACK + 5)):
        committed(branch, entries)
    assert new(branch, monkeypatch) == ["b.vpr"]


def test_what_landed_long_ago_is_believed_unless_an_older_landing_is_named(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for entries in (FORGED, *[FORGED] * landed.BACK):
        committed(source, entries)
    assert new(source, monkeypatch) == []
    monkeypatch.setenv(landed.NAMED, f"HEAD~{landed.BACK + 1}")
    assert new(source, monkeypatch) == ["b.vpr"]


def test_a_clone_that_cannot_be_deepened_is_refused(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed(source, FORGED)
    shallow = cloned(source, tmp_path / "shallow", "--depth", "1")
    git(shallow, "remote", "remove", "origin")
    with pytest.raises(ProofError, match=r"git fetch --unshallow.* or prove all"):
        new(shallow, monkeypatch)
    monkeypatch.setenv(landed.NAMED, "no-commit")
    with pytest.raises(ProofError, match="does not hold the commit"):
        new(source, monkeypatch)


def test_what_this_machine_has_proved_is_not_asked_again(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    committed(source, FORGED)
    assert new(source, monkeypatch) == ["b.vpr"]
    landed.keep("b.vpr", FORGED["b.vpr"])
    assert new(source, monkeypatch) == []
    committed(source, {**FORGED, "b.vpr": {"fingerprint": "3", "rests on": ["less"]}})
    assert new(source, monkeypatch) == ["b.vpr"]


def test_an_unpacked_archive_has_no_landing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    (archive / "checked.json").write_text(json.dumps(FORGED))
    assert new(archive, monkeypatch) == []
