"""Which models the command line reads, and how: standard input, several at once, macros, folders, formulas in files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.test_cli import run

HOLDS = "byte x; active proctype P() { x = 1 }"
VIOLATED = "byte x; active proctype P() { assert(false) }"
WRONG = "byte x; active proctype P() { x = y }"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Some models, and a folder of files to include."""
    for name, text in (("holds", HOLDS), ("violated", VIOLATED), ("wrong", WRONG)):
        (tmp_path / f"{name}.pml").write_text(text)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "three.h").write_text("#define THREE 3\n")
    (tmp_path / "macros.pml").write_text(
        '#include "three.h"\n#ifndef N\n#define N 0\n#endif\n#define p (x < 3)\n'
        "byte x; active proctype P() { x = THREE; assert(N == 0) }"
    )
    return tmp_path


@pytest.mark.parametrize("option", [("-I", "parts"), ("-Iparts",), ("-E-Iparts",)])
def test_included_files_are_looked_for_in_folders(option: tuple[str, ...], folder: Path) -> None:
    assert run("check", "macros.pml", cwd=folder).returncode == 2
    assert run("check", "macros.pml", *option, cwd=folder).returncode == 0


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("-D", "N=1"), 1),
        (("-E-DN=1",), 1),
        (("-DN=1", "-UN"), 0),
        (("-UN", "-DN=1"), 1),
        (("-DN=1", "-E-UN"), 0),
        (("-E-x",), 2),
        (("-U", "N=1"), 2),
    ],
)
def test_the_last_word_on_a_macro_counts(options: tuple[str, ...], status: int, folder: Path) -> None:
    assert run("check", "macros.pml", "-I", "parts", *options, cwd=folder).returncode == status


def test_a_model_from_the_standard_input() -> None:
    assert run("check", "-", stdin=HOLDS).returncode == 0
    assert run("check", "-", stdin=VIOLATED).returncode == 1
    refused = run("check", "-", stdin=WRONG)
    assert refused.returncode == 2
    assert "<standard input>:1:35: error: unknown variable 'y'" in refused.stderr
    assert run("simulate", "-", "--interactive", stdin=HOLDS).returncode == 2


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (("holds", "holds"), 0),
        (("violated", "holds"), 1),
        (("wrong", "violated", "holds"), 2),
        (("violated", "wrong"), 2),
    ],
)
def test_several_models_end_in_the_worst_status(names: tuple[str, ...], status: int, folder: Path) -> None:
    done = run("check", *(f"{name}.pml" for name in names), cwd=folder)
    assert done.returncode == status
    for name in names:
        assert f"{name}.pml" in (done.stderr if name == "wrong" else done.stdout)


def test_several_models_as_json(folder: Path) -> None:
    done = run("check", "wrong.pml", "holds.pml", "violated.pml", "--format", "json", cwd=folder)
    wrong, holds, violated = json.loads(done.stdout)
    assert wrong["results"] == []
    assert "unknown variable 'y'" in wrong["error"]
    assert [holds["results"][0]["verdict"], violated["results"][0]["verdict"]] == ["holds", "violated"]
    alone = json.loads(run("check", "holds.pml", "--format", "json", cwd=folder).stdout)
    assert alone.keys() == holds.keys()


def test_one_trace_is_not_written_for_several_models(folder: Path) -> None:
    assert run("check", "holds.pml", "violated.pml", "--trace", "t", cwd=folder).returncode == 2


def test_a_macro_may_be_the_whole_formula(folder: Path) -> None:
    assert run("check", "macros.pml", "-Iparts", "--ltl", "p", cwd=folder).returncode == 0
    assert run("check", "macros.pml", "-Iparts", "--ltl", "nothing", cwd=folder).returncode == 2


@pytest.mark.parametrize(("text", "status"), [("<> p\nnotes (", 1), ("[] !p", 0), ("<> nope", 2), ("\np", 2)])
def test_a_file_says_what_must_not_be(text: str, status: int, folder: Path) -> None:
    (folder / "formula.prp").write_text(text)
    assert run("check", "macros.pml", "-Iparts", "-F", "formula.prp", cwd=folder).returncode == status


@pytest.mark.parametrize("receive", ["c?_pid, _", "c?_pid, eval(2)", "c??_pid(2)"])
def test_a_receive_into_pid_takes_any_value(receive: str, folder: Path) -> None:
    text = "chan c = [1] of { byte, byte }; active proctype P() { c!7, 2; RECEIVE; assert(_pid == 0 && empty(c)) }"
    (folder / "pid.pml").write_text(text.replace("RECEIVE", receive))
    done = run("check", "pid.pml", cwd=folder)
    assert done.returncode == 0
    assert "warning: any value is received here" in done.stderr
