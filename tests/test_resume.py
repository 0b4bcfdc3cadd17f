"""A check that is killed, interrupted or stopped goes on by `everafter resume`, or says why it cannot."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest

import everafter
from everafter import Request
from everafter.backends import native
from everafter.backends.decision_file import read_decided, write_decided
from everafter.cli import main
from everafter.commands import check
from everafter.commands.status import BAD_INPUT, HOLDS, INCOMPLETE, VIOLATED
from everafter.execution.run import Choice, Run
from everafter.questions.outcome import Ending, Method, Outcome
from everafter.seal import sealed
from everafter.source import OptionError

EXAMPLES: Final = Path(__file__).parent.parent / "examples"
MODEL: Final = str(EXAMPLES / "peterson_n.pml")
PATIENCE: Final = 300.0
# 1,440,019 states, a grid, behind which something goes wrong: no search meets it early.
LONG: Final = """
#define LAST 599
short x, y, z
active proctype X() { do :: x < LAST -> x++ :: x == LAST -> break od }
active proctype Y() { do :: y < LAST -> y++ :: y == LAST -> break od }
active proctype Z() { (x == LAST && y == LAST) -> z = 1; assert(WRONG) }
"""


def model(folder: Path, holds: bool = True) -> str:
    path = folder / "long.pml"
    path.write_text(LONG.replace("WRONG", "true" if holds else "z == 0"))
    return str(path)


def report(text: str) -> list[dict[str, Any]]:
    """The results, without what depends on the time or the machine."""
    unsteady = ("seconds", "search_seconds", "compile_seconds", "bytes_per_state", "why")
    return [
        {name: value for name, value in each.items() if name not in unsteady} for each in json.loads(text)["results"]
    ]


def started(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "everafter", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def await_checkpoint(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until there is one, or until the check is over: on a fast machine that may be sooner."""
    until = time.monotonic() + PATIENCE
    while not list(folder.glob("*.checkpoint")) and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.01)


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    status = main([*arguments, "--format", "json"])
    return status, report(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "holds", "ending"),
    [
        (["--algorithm", "breadth-first"], True, signal.SIGKILL),
        (["--algorithm", "breadth-first", "--store", "tree"], True, signal.SIGKILL),
        (["--algorithm", "breadth-first"], False, signal.SIGKILL),
        (["--algorithm", "breadth-first"], False, signal.SIGINT),
        (["--algorithm", "depth-first"], True, signal.SIGINT),
        (["--store", "packed"], True, signal.SIGKILL),
        (["--algorithm", "unordered"], True, signal.SIGKILL),
        (["--algorithm", "unordered", "--threads", "2"], True, signal.SIGKILL),
        (["--algorithm", "unordered", "--threads", "2"], True, signal.SIGINT),
    ],
)
def test_a_check_that_was_ended_goes_on(
    options: list[str], holds: bool, ending: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["check", model(tmp_path, holds), "--safety", "--reduction", "none", *options]
    expected = checked(capsys, *asked, *(() if "--threads" in options else ("--threads", "1")))
    folder = tmp_path / "folder"
    process = started(*asked, "--checkpoint", str(folder), "--checkpoint-every", "0s")
    await_checkpoint(folder, process)
    process.send_signal(ending)
    said, _ = process.communicate()
    if ending is signal.SIGINT and process.returncode == INCOMPLETE:
        assert f"go on with: everafter resume {folder}" in said
    if process.returncode not in (HOLDS, VIOLATED):
        assert checked(capsys, "resume", str(folder)) == expected
    assert expected[0] == (HOLDS if holds else VIOLATED)
    assert not folder.exists()


class KilledError(BaseException):
    """Nobody catches it."""


@pytest.mark.parametrize("style", ["json", "text", "junit"])
def test_a_check_that_ends_while_it_tells_what_it_found_goes_on(
    style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["check", MODEL, "--safety"]
    expected = checked(capsys, *asked, "--threads", "1")
    folder = tmp_path / "folder"

    def kill(*_: object, **__: object) -> NoReturn:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(check, "as_json", kill)
        patch.setattr(check, "_print_results", kill)
        patch.setattr(check, "_document", kill)
        with pytest.raises(KilledError):
            main([*asked, "--checkpoint", str(folder), "--format", style])
    assert checked(capsys, "resume", str(folder)) == expected
    assert not folder.exists()


@pytest.fixture
def stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The folder of a check that a limit has stopped."""
    folder = tmp_path / "folder"
    asked = ["check", model(tmp_path), "--safety", "--algorithm", "breadth-first", "--reduction", "none"]
    status, (result,) = checked(capsys, *asked, "--checkpoint", str(folder), "--memory", "150M")
    assert (status, result["verdict"], result["checkpoint"]) == (INCOMPLETE, "incomplete", str(folder))
    assert result["reason"] == "the memory limit of 150 MiB was reached"
    return folder


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == BAD_INPUT
    return capsys.readouterr().err


def test_a_check_that_a_limit_has_stopped_goes_on(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, (result,) = checked(capsys, "resume", str(stopped), "--memory", "4G")
    assert (status, result["states"], result["depth"], result["checkpoint"]) == (HOLDS, 1_440_019, 2405, None)


def test_another_disk_may_be_named(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no folder '/nowhere'" in refused(capsys, "resume", str(stopped), "--disk", "/nowhere")
    status, (result,) = checked(capsys, "resume", str(stopped), "--memory", "4G", "--disk", "none")
    assert (status, result["states"], result["disk_bytes"]) == (HOLDS, 1_440_019, 0)


def reword(path: Path, changes: dict[str, Any]) -> None:
    """Change what a sealed file says, and seal it with the key at hand."""
    path.write_bytes(sealed(json.dumps(json.loads(path.read_text())["content"] | changes)))


def test_what_was_written_with_another_key_is_refused(
    stopped: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the folder of a check has, and whatever it says: the checks that it asks for, too."""
    strange: tuple[Any, ...] = (5, -1, "word", None, [], {"a": 1})
    contents = json.loads((stopped / "check.json").read_text())["content"]
    with monkeypatch.context() as patch:
        patch.setenv("EVERAFTER_KEY", str(stopped.parent / "another key"))
        asked = ["resume", str(stopped), "--memory", "4G"]
        assert "with another key" in refused(capsys, *asked)
        reword(stopped / "check.json", {})  # what an honest checkpoint is beside
        told = refused(capsys, *asked)
        assert "was written with another key\n  help: delete this file" in told
        assert "EVERAFTER_KEY=FILE" in told
    for name in contents:
        for value in strange:
            with monkeypatch.context() as patch:
                patch.setenv("EVERAFTER_KEY", str(stopped.parent / "another key"))
                reword(stopped / "check.json", {name: value})
            assert "check.json cannot be read: it was changed" in refused(capsys, *asked)


def test_what_has_changed_since_is_refused(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(model(stopped.parent)).read_text()
    Path(model(stopped.parent)).write_text(text + "bool added")
    told = refused(capsys, "resume", str(stopped))
    assert f"the model has changed since the checkpoints in {stopped} were written" in told
    assert "delete this one to begin anew" in told
    again = ["check", model(stopped.parent), "--checkpoint", str(stopped)]
    assert "of a check with other options" in refused(capsys, *again)
    reword(stopped / "check.json", {"engine": "another"})
    assert "of another version of everafter" in refused(capsys, "resume", str(stopped))
    (stopped / "check.json").write_text("{")
    assert "check.json cannot be read" in refused(capsys, "resume", str(stopped))


def test_a_damaged_checkpoint_is_refused(stopped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = max(stopped.glob("*.checkpoint"))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    told = refused(capsys, "resume", str(stopped), "--memory", "4G")
    assert f"everafter: the checkpoint {path} is damaged\n  help: delete this file" in told
    assert path.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threads", "2"], "there are checkpoints of several threads for unordered searches alone"),
        (["--algorithm", "owcty"], "there are no checkpoints of owcty"),
        (["--algorithm", "cndfs"], "there are no checkpoints of cndfs"),
        (["--store", "bitstate", "--safety"], "there are no checkpoints of a bitstate store"),
        (["--engine", "reference"], "the reference engine writes no checkpoints"),
        (["-D", "N=2..3"], "one folder cannot hold the checkpoints of several checks"),
        (["--never", "-"], "what is read from the standard input cannot be read again"),
    ],
    ids=lambda given: given[1] if isinstance(given, list) else "",
)
def test_what_cannot_be_gone_on_with_is_refused(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(capsys, "check", MODEL, *options, "--checkpoint", str(tmp_path / "folder"))
    assert message in told
    assert "help: " in told


def test_where_nothing_was_begun_nothing_is_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"there is no check to go on with in {tmp_path}" in refused(capsys, "resume", str(tmp_path))
    assert "there is no check" in refused(capsys, "resume", str(tmp_path / "nowhere"))


def test_files_are_named_from_where_the_check_was_begun(
    stopped: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = json.loads((stopped / "check.json").read_text())["content"]["options"] | {"models": ["long.pml"]}
    reword(stopped / "check.json", {"options": options, "directory": str(stopped.parent)})
    monkeypatch.chdir(stopped)
    status, (result,) = checked(capsys, "resume", "../folder", "--memory", "4G")
    assert (status, result["states"]) == (HOLDS, 1_440_019)


TWO: Final = """
short x, y
active proctype X() { do :: x < 40 -> x++ :: x == 40 -> break od }
active proctype Y() { do :: y < 40 -> y++ :: y == 40 -> break od }
ltl early { [] (x < 3) }
ltl low { [] (x <= 40) }
ltl both { <> (x == 40 && y == 40) }
"""


def test_what_was_decided_is_not_searched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A violation, whose run is judged again, and a property that holds; the third is stopped."""
    searched: list[str] = []
    decide = native._NativeSearch._decided

    def decided(search: Any, code: Any) -> Any:
        name = search.question.property.name
        searched.append(name)
        if name == "both" and len(searched) == 3:
            raise KeyboardInterrupt
        return decide(search, code)

    monkeypatch.setattr(native._NativeSearch, "_decided", decided)
    model = everafter.parse(TWO)
    request = Request(formulas=("early", "low", "both"), checkpoint=str(tmp_path / "folder"), reduction="none")
    first = model.check_all(request)
    again = model.check_all(request)
    assert searched == ["early", "low", "both", "both"]
    assert [each.verdict for each in first] == ["violated", "holds", "incomplete"]
    assert [each.verdict for each in again] == ["violated", "holds", "holds"]
    for one, other in zip(first[:2], again[:2], strict=True):
        assert replace(one, seconds=0.0) == replace(other, seconds=0.0)


@pytest.mark.parametrize("how", ["changed", "of another question", "cut off"])
def test_a_decision_that_is_damaged_is_refused(how: str, tmp_path: Path) -> None:
    path = tmp_path / "one.decided"
    run = Run((Choice(0, 1), Choice(1, 2, 0, 3)), (Choice(0, 4),), "cycle")
    outcome = Outcome(Ending.FOUND, Method("native", "tarjan"), run=run, reached=frozenset({(0, 1)}))
    write_decided(path, "key", outcome)
    assert read_decided(path, "key") == outcome
    text = path.read_text()
    if how != "of another question":
        path.write_text(text.replace("found", "completed") if how == "changed" else text[:-9])
    with pytest.raises(OptionError, match=r"one\.decided is damaged, or about another question; delete"):
        read_decided(path, "another" if how == "of another question" else "key")
