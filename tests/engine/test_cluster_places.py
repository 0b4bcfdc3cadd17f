"""Places of checkpoints: a folder, or a URL; what is there is whole, and what cannot be reached is said."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.corpus import EXAMPLES_FOLDER
from oracles.planted_groups import Lost, Mortal

from everafter.backends import cluster as backend
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, HOLDS, INCOMPLETE
from everafter.engine.cluster import checkpoint_storage as places
from everafter.engine.cluster.checkpoint_storage import inside, place_of, unreachable
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.snapshots import Checkpoints
from everafter.engine.cluster.worker import JobDescription
from everafter.engine.cluster.worker_group import InProcess, WorkerGroup
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.user_model import load

PETERSON = EXAMPLES_FOLDER / "peterson_n.pml"
KINDS: dict[str, Callable[[Path], str]] = {
    "folder": str,
    "file": lambda path: f"file://{path}",
    "memory": lambda _: f"memory://{uuid.uuid4()}/checks",
}


@pytest.fixture(params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return KINDS[request.param](tmp_path)


def test_what_is_written_is_read_and_removed(place: str) -> None:
    with place_of(inside(place, "one")).writing("name") as file:
        file.write(b"content")
    with place_of(inside(place, "one")).writing("name") as file:
        file.write(b"other")
    with place_of(inside(place, "one")).reading("name") as file:
        assert file.read() == b"other"
    assert place_of(place).folders() == ["one"]
    place_of(place).remove("one")
    assert place_of(place).folders() == []
    with pytest.raises(FileNotFoundError), place_of(inside(place, "one")).reading("name"):
        pass
    place_of(place).remove("one")


def write_half(place: str) -> None:
    with place_of(place).writing("name") as file:
        file.write(b"half")
        raise ClusterError("no more")


def test_a_file_that_is_not_completed_is_not_there(place: str) -> None:
    with pytest.raises(ClusterError, match="no more"):
        write_half(place)
    with pytest.raises(FileNotFoundError), place_of(place).reading("name"):
        pass


def resumed(place: str, group: WorkerGroup) -> ClusterOutcome:
    description = JobDescription(code_of(load(PETERSON).program), batch=4096, lines=1)
    return ClusterSearch(group, description, 1 << 28, checkpoints=Checkpoints(place, description, 0.0)).run()


def test_others_go_on_from_a_checkpoint_there(place: str) -> None:
    with pytest.raises(WorkerLost):
        resumed(place, Mortal(40))
    outcome = resumed(place, InProcess(3))
    assert (outcome.ending, outcome.figures.states, outcome.levels) == (SearchEnding.COMPLETED, 20_344, 109)


def test_a_damaged_part_is_noticed_there(place: str) -> None:
    with pytest.raises(WorkerLost):
        resumed(place, Mortal(20))
    (level,) = place_of(place).folders()
    with place_of(inside(place, level)).writing("worker-1.rows") as file:
        file.write(b"{}")
    with pytest.raises(ClusterError, match=r"cannot be read|damaged"):
        resumed(place, InProcess(3))


def test_a_check_keeps_its_checkpoints_at_a_url(tmp_path: Path) -> None:
    options = ["--safety", "--cluster", "inside:2", "--checkpoint", f"file://{tmp_path}"]
    assert main(["check", str(PETERSON), *options]) == HOLDS
    assert not tmp_path.exists()


def test_resume_goes_on_from_a_url(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"file://{tmp_path}/check"
    options = ["--safety", "--reduction", "none", "--cluster", "inside:3", "--checkpoint", url]
    with monkeypatch.context() as patched:
        patched.setattr(backend, "group_at", lambda *_: Lost())
        assert main(["check", str(PETERSON), *options, "--checkpoint-every", "0s"]) == INCOMPLETE
    assert main(["resume", url]) == HOLDS
    assert "20,344 states" in capsys.readouterr().out
    assert main(["resume", url]) == BAD_INPUT
    assert "there is no check to go on with" in capsys.readouterr().err


def test_one_machine_keeps_no_checkpoints_at_a_url(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PETERSON), "--safety", "--checkpoint", f"file://{tmp_path}"]) == BAD_INPUT
    assert "only a cluster writes checkpoints to a URL" in capsys.readouterr().err


def test_a_url_that_nobody_knows_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--safety", "--cluster", "inside:2", "--checkpoint", "nowhere://place"]
    assert main(["check", str(PETERSON), *options]) == BAD_INPUT
    assert "nowhere://place cannot be reached" in capsys.readouterr().err


def test_without_fsspec_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "find_spec", lambda _: None)
    assert "pip install 'everafter[cluster]'" in (unreachable("s3://bucket") or "")
    assert unreachable("folder") is None


def test_a_place_that_is_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(ClusterError, match="cannot be read"):
        resumed(str(tmp_path / "file"), InProcess(2))


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "level-1").write_text("no folder", encoding="utf-8")
    with pytest.raises(ClusterError, match="no checkpoint can be written to"):
        resumed(str(tmp_path), InProcess(2))
