"""Labels that ask for something, and nobody asks: told where everything is checked."""

import json
from pathlib import Path

import pytest

from everafter.cli import main
from everafter.hints.unasked_labels import unasked_labels
from everafter.questions.request import Request
from everafter.user_model import parse

ACCEPT = "active proctype P() {\naccept_it: do :: skip od }"
PROGRESS = "active proctype P() { do ::\nprogress: skip od }"


def told(text: str, request: Request | None = None) -> list[tuple[int, str | None]]:
    return [(each.place.line, each.advice) for each in unasked_labels(parse(text).program, request or Request())]


def test_labels_that_nobody_asks_for() -> None:
    assert told(ACCEPT) == [(2, "check with --acceptance")]
    assert told(PROGRESS) == [(2, "check with --progress")]


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        (ACCEPT, Request(acceptance=True)),
        (ACCEPT, Request(safety=True)),  # one who names a property knows
        (ACCEPT + "\nnever { do :: true od }", Request()),  # with a claim the model's labels count
        (PROGRESS, Request(progress=True)),
        (PROGRESS + "\nnever { do :: np_ od }", Request()),
        ("active proctype P() { end_it: skip }", Request()),
        ("never { accept_it: do :: true od } active proctype P() { skip }", Request()),
    ],
)
def test_otherwise_nothing_is_said(text: str, request_: Request) -> None:
    assert told(text, request_) == []


def test_the_command_line_tells_warnings_or_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text("byte x;\n" + ACCEPT)
    assert main(["check", str(path), "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert "the variable 'x' is never used" in printed.err
    assert "help: check with --acceptance" in printed.err
    assert len(json.loads(printed.out)["diagnostics"]) == 2
    assert main(["check", str(path), "--warnings", "none", "--format", "json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert json.loads(printed.out)["diagnostics"] == []
