"""`everafter graph` through the command line."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from everafter.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = str(EXAMPLES / "alternating_bit.pml")


@pytest.mark.parametrize(("of", "title"), [("control", "Sender()"), ("states", "States"), ("channels", "Channels")])
def test_pictures(of: str, title: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", MODEL, "--of", of]) == 0
    svg = capsys.readouterr().out
    assert title in [element.text for element in ElementTree.fromstring(svg).iter()]
    assert main(["graph", MODEL, "--of", of, "--format", "dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph everafter {")
    assert main(["graph", MODEL, "--of", of, "--format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")


def test_a_picture_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "picture.svg"
    assert main(["graph", MODEL, "-o", str(file)]) == 0
    assert capsys.readouterr().out == ""
    assert file.read_text(encoding="utf-8").startswith("<svg")
    assert main(["graph", MODEL, "-o", str(tmp_path / "no" / "picture.svg")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_states_by_an_expression(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["graph", MODEL, "--of", "states", "--by", "len(to_sender)", "--by", "delivered", "--states", "50"]) == 0
    )
    assert "50 states, the first ones; there are more; merged by len(to_sender), delivered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "lost"], "add --of states"),
        (["--states", "9"], "add --of states"),
        (["--of", "states", "--states", "0"], "one state at least"),
        (["--of", "states", "--by", "nothing"], "nothing"),
        (["--of", "states", "--by", "Sender@nowhere"], "nowhere"),
    ],
)
def test_what_has_no_meaning_is_refused(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", MODEL, *options]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert not told.out
