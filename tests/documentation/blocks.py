"""The code blocks of a page, and what it takes to run them.

A block says what it is by its language:

- `promela`: a model. With title="lamp.pml" it is written to that file; otherwise it must be readable as it stands.
- `python`: executed, all blocks of a page in one namespace. With title="box.py" it is also written there. A block
  `text` straight behind it is what it prints.
- `console`: lines after `$ ` are commands, and those behind them what they print, errors included.
- `sh`: commands that are not executed; their syntax is checked. `json`, `toml`, `yaml` and `ini` must be well-formed.
- `text`: a picture or an excerpt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r'title="([^"]+)"')
_FIGURES = (
    (re.compile(r"\b\d+\.\d+ s\b"), "0.00 s"),
    (re.compile(r"\b\d+\.\d+ (seconds?)\b"), r"0.00 \1"),
    (re.compile(r'("(?:\w*seconds)": )[0-9.e-]+'), r"\g<1>0.0"),
    (re.compile(r"\b[\d.,]+ (?:[kMG] )?states/s\b"), "1 states/s"),
)
"""What is different in every run: times."""


@dataclass(frozen=True, slots=True)
class Block:
    """A code block: where it stands in its page, what it is, and what it holds."""

    begin: int
    end: int
    language: str
    title: str | None
    text: str
    follows: str
    """What stands between this block and the one before it."""


def blocks(page: str) -> list[Block]:
    """The code blocks of a page, in order."""
    found: list[Block] = []
    before = 0
    for match in _FENCE.finditer(page):
        info = match["info"].strip()
        title = _TITLE.search(info)
        text = "".join(line.removeprefix(match["indent"]) for line in match["text"].splitlines(keepends=True))
        found.append(
            Block(
                match.start("text"),
                match.end("text"),
                info.split(" ")[0].split("{")[0],
                title[1] if title else None,
                text,
                page[before : match.start()],
            )
        )
        before = match.end()
    return found


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a `console` block, and what it prints."""

    line: str
    printed: str


def commands(text: str) -> list[Command]:
    """The commands of a `console` block. A line that ends in a backslash goes on."""
    found: list[Command] = []
    lines = text.splitlines(keepends=True)
    position = 0
    while position < len(lines):
        command = lines[position].removeprefix("$ ").rstrip("\n")
        if not lines[position].startswith("$ "):
            raise ValueError(f"a console block begins with a command: {lines[position]!r}")
        position += 1
        while command.endswith("\\"):
            command += "\n" + lines[position].rstrip("\n")
            position += 1
        begin = position
        while position < len(lines) and not lines[position].startswith("$ "):
            position += 1
        found.append(Command(command, "".join(lines[begin:position])))
    return found


def without_figures(text: str) -> str:
    """A text in which the times are all alike, and the spaces that align them."""
    for pattern, same in _FIGURES:
        text = pattern.sub(same, text)
    return re.sub(r" +\n", "\n", re.sub(r"  +", "  ", text))


def pages(root: Path) -> list[Path]:
    """Every page with blocks: the README and all of docs/."""
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]
