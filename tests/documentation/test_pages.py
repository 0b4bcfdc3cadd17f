"""Every code block of the documentation does what its page says. EVERAFTER_UPDATE=1 rewrites what is printed."""

from __future__ import annotations

import configparser
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.documentation.blocks import Block, Command, blocks, commands, pages, without_figures

import everafter

ROOT = Path(__file__).parents[2]
UPDATE = os.environ.get("EVERAFTER_UPDATE") == "1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like the root of a checkout: the examples are there, and `everafter` is a command."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, arguments in (("everafter", "-m everafter"), ("python", ""), ("pytest", "-m pytest")):
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    work = tmp_path / "work"
    work.mkdir()
    shutil.copytree(ROOT / "examples", work / "examples")
    monkeypatch.chdir(work)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "120")
    for variable in ("EVERAFTER_UPDATE", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "GITHUB_ACTIONS", "CI"):
        monkeypatch.delenv(variable, raising=False)
    return work


@pytest.mark.parametrize("page", pages(ROOT), ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_does_what_the_page_says(page: Path, folder: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    replaced: list[tuple[Block, str]] = []
    for block in blocks(text):
        if block.language == "text" and printed and not block.follows.strip():
            replaced.append((block, printed))
            printed = None
            continue
        assert not printed, f"{page.name}: a block prints what the page does not show: {printed}"
        printed = None
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text, encoding="utf-8")
        match block.language:
            case "python":
                printed = executed(block, names, page, folder)
            case "console":
                replaced.append((block, "".join(map(answered, commands(block.text)))))
            case _:
                understood(block, page)
    assert not printed, f"{page.name}: the last block prints what the page does not show: {printed}"
    if UPDATE:
        page.write_text(updated(text, replaced), encoding="utf-8")
        return
    for block, now in replaced:
        assert without_figures(now) == without_figures(block.text), page.name


def executed(block: Block, names: dict[str, object], page: Path, folder: Path) -> str:
    """What the block prints. Its text is in a file of its own, as that of a class must be for its source to be read."""
    output, written = io.StringIO(), folder / f"{page.stem}.py"
    written.write_text(block.text, encoding="utf-8")
    with contextlib.redirect_stdout(output):
        exec(compile(block.text, str(written), "exec"), names)
    return output.getvalue()


def answered(command: Command) -> str:
    """The command and what it prints now."""
    done = subprocess.run(
        ["bash", "-c", command.line],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert "Traceback" not in done.stdout, done.stdout
    return f"$ {command.line}\n{done.stdout}"


def understood(block: Block, page: Path) -> None:
    """That a block which is not run is what it says it is."""
    match block.language:
        case "promela":
            if block.title is None:
                everafter.parse(block.text)
        case "sh":
            subprocess.run(["bash", "-n", "-c", block.text], check=True, timeout=60)
        case "json":
            json.loads(block.text)
        case "toml":
            tomllib.loads(block.text)
        case "yaml":
            yaml.safe_load(block.text)
        case "ini":
            configparser.ConfigParser().read_string(block.text)
        case "text":
            pass
        case other:
            raise AssertionError(f"{page.name}: what is a block of {other!r}? {block.text}")


def updated(text: str, replaced: list[tuple[Block, str]]) -> str:
    for block, now in reversed(replaced):
        if without_figures(now) != without_figures(block.text):
            text = text[: block.begin] + now + text[block.end :]
    return text


def test_a_block_that_lies_is_noticed(folder: Path) -> None:
    model = '```promela title="one.pml"\nactive proctype P() { assert(false) }\n```\n'
    page = model + "```console\n$ everafter check one.pml\nholds\n```\n"
    first, second = blocks(page)
    assert (first.language, first.title, second.language) == ("promela", "one.pml", "console")
    (folder / "one.pml").write_text(first.text, encoding="utf-8")
    (command,) = commands(second.text)
    assert command == Command("everafter check one.pml", "holds\n")
    assert "violated" in answered(command)
    assert without_figures(answered(command)) != without_figures(second.text)


def test_times_are_no_difference_but_states_are() -> None:
    assert without_figures("holds       8 states, 0.04 s") == without_figures("holds  8 states, 11.30 s")
    assert without_figures("8 states, 0.04 s") != without_figures("9 states, 0.04 s")
