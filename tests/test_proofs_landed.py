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


@pytest.mark.parametrize("after", [0, 5, landed.BACK + 20])
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
    monkeypatch.setattr(landed, "MOST_BACK", landed.BACK)
    for entries in (FORGED, *[FORGED] * landed.BACK):
        committed(source, entries)
    assert new(source, monkeypatch) == []
    monkeypatch.setenv(landed.NAMED, f"HEAD~{landed.BACK + 1}")
    assert new(source, monkeypatch) == ["b.vpr"]


@pytest.mark.parametrize(("seconds", "found"), [(landed.WORTH - 1, True), (landed.WORTH + 1, False), (1e9, True)])
def test_lines_are_as_old_as_is_worth_proving(
    seconds: float, found: bool, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line cannot say that it takes so long that others are believed with it."""
    monkeypatch.setattr(landed, "DEAREST", landed.WORTH + 1 if seconds < 1e9 else landed.DEAREST)
    entries = {**FORGED, "b.vpr": {**FORGED["b.vpr"], "processor": seconds}}
    for each in (entries, *[entries] * landed.BACK):
        committed(source, each)
    assert new(source, monkeypatch) == (["b.vpr"] if found else [])


def test_a_costly_change_does_not_hide_what_came_after_it(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    costly = {**HONEST, "a.vpr": {"fingerprint": "4", "rests on": [], "processor": landed.WORTH}}
    monkeypatch.setattr(landed, "DEAREST", landed.WORTH)
    for entries in (
        costly,
        {**costly, "b.vpr": FORGED["b.vpr"]},
        *[{**costly, "b.vpr": FORGED["b.vpr"]}] * landed.BACK,
    ):
        committed(source, entries)
    assert new(source, monkeypatch) == ["b.vpr"]


def test_a_record_that_is_not_committed_is_new(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(source, "rm", "--cached", "checked.json")
    git(source, "commit", "-m", "none")
    (source / "checked.json").write_text(json.dumps(FORGED))
    assert new(source, monkeypatch) == ["b.vpr"]


def test_a_repository_that_git_does_not_read_is_refused(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of another user, which git calls dubious."""
    committed(source, FORGED)
    monkeypatch.setenv("GIT_DIR", str(source / "nowhere"))
    with pytest.raises(ProofError, match="git cannot be asked which lines"):
        new(source, monkeypatch)


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
