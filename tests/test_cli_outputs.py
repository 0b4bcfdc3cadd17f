"""What a command writes is never what it reads."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import everafter
from everafter.cli import main

TEXT = '#include "head.h"\nactive proctype P() { x = LATER; assert(x == 0) }\n'
OPTIONS = ("--certificate", "--trace", "--html")
READ = ("m.pml", "./m.pml", "other.pml", "linked.pml", "head.h", "more.h", "never.pml", "f.prp")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "m.pml").write_text(TEXT)
    (tmp_path / "head.h").write_text('#include "more.h"\nbyte x;\n')
    (tmp_path / "more.h").write_text("#define LATER 3\n")
    (tmp_path / "never.pml").write_text("never { do :: true od }\n")
    (tmp_path / "f.prp").write_text("<> (x == 4)\n")
    (tmp_path / "other.pml").symlink_to("m.pml")
    os.link(tmp_path / "m.pml", tmp_path / "linked.pml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize(
    "output", ["m.pml", "./m.pml", "other.pml", "linked.pml", "head.h", "more.h", "never.pml", "f.prp"]
)
def test_a_check_does_not_overwrite_what_it_reads(
    option: str, output: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(folder)
    never = {"never.pml": ["--never", "never.pml"], "f.prp": ["-F", "f.prp"]}.get(output, [])
    assert main(["check", "m.pml", "--engine", "reference", option, output, *never]) == 2
    assert f"{output} is read, and would be overwritten" in capsys.readouterr().err
    assert contents(folder) == before


def test_nor_do_the_traces_that_follow_the_first(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "m2.pml").write_text("byte x; active proctype P() { if :: assert(false) :: assert(x == 1) fi }\n")
    before = contents(folder)
    options = ["--all-violations", "--engine", "reference", "--trace", "m.pml"]
    assert main(["check", "m2.pml", *options]) == 3
    told = capsys.readouterr()
    assert "m2.pml is read, and would be overwritten" in told.err
    assert "violated" in told.out
    assert contents(folder)["m2.pml"] == before["m2.pml"]


@pytest.mark.parametrize("output", ["m.pml", "head.h"])
def test_nor_does_a_picture(output: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(folder)
    assert main(["graph", "m.pml", "-o", output]) == 2
    assert main(["check", "m.pml", "-D", "LATER=2..3", "--plot", "m.pml"]) == 2
    assert capsys.readouterr().err.count("is read, and would be overwritten") == 2
    assert contents(folder) == before


def test_nor_does_python(folder: Path) -> None:
    before = contents(folder)
    model = everafter.load("m.pml")
    for output in ("m.pml", folder / "head.h"):
        with pytest.raises(everafter.OptionError, match="would be overwritten"):
            model.check(certificate=output)
    assert contents(folder) == before


@pytest.mark.parametrize("again", ["out", "./out", "linked"])
def test_nothing_is_written_over_something_else_that_is_written(
    again: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "linked").symlink_to("out")
    for options in (["--html", again, "--trace", "out"], ["--certificate", "out", "--html", again]):
        assert main(["check", "m.pml", "--engine", "reference", *options]) == 2
        assert "would be written twice" in capsys.readouterr().err
    assert not (folder / "out").exists()


def test_several_outputs_may_go_nowhere(folder: Path) -> None:
    (folder / "m3.pml").write_text("active proctype P() { skip }\n")
    options = ["--trace", os.devnull, "--html", os.devnull]
    assert main(["check", "m3.pml", "--engine", "reference", *options]) == 0
