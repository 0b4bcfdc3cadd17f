"""What an editor may fold: blocks, choices and loops, long comments, conditional parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from everafter.promela.tokens import scan
from everafter.record import dataclass
from everafter.source import Diagnostic, Source

_OPENING = {"{": "}", "if": "fi", "do": "od"}
_COMMENT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FoldedLines:
    """Lines that can be shown as one, counted from 1."""

    first: int
    last: int
    is_comment: bool = False


def folds(source: Source) -> list[FoldedLines]:
    """What can be folded in `source`, in order."""
    found = [*_blocks(source), *_comments(source), *_conditions(source)]
    return sorted({fold for fold in found if fold.last > fold.first}, key=lambda fold: (fold.first, -fold.last))


def _blocks(source: Source) -> Iterator[FoldedLines]:
    """From an opening word to the line before its closing one, which stays in sight."""
    ignored: list[Diagnostic] = []
    opened: list[tuple[str, int]] = []
    directive = False
    for word in scan(source, ignored):
        directive = word.text == "#" if word.line_start else directive
        if directive or word.kind not in ("name", "op"):
            continue
        if word.text in _OPENING:
            opened.append((_OPENING[word.text], word.place.line))
        elif any(closing == word.text for closing, _ in opened):
            while opened:
                closing, first = opened.pop()
                if closing == word.text:
                    yield FoldedLines(first, word.place.line - 1)
                    break


def _comments(source: Source) -> Iterator[FoldedLines]:
    for match in _COMMENT.finditer(source.text):
        if match[0].startswith("/*"):
            first = source.text.count("\n", 0, match.start()) + 1
            yield FoldedLines(first, first + match[0].count("\n"), is_comment=True)


def _conditions(source: Source) -> Iterator[FoldedLines]:
    opened: list[int] = []
    for number, line in enumerate(source.lines, 1):
        words = line.strip().removeprefix("#").split() if line.lstrip().startswith("#") else []
        word = re.match(r"\w*", words[0])[0] if words else ""  # type: ignore[index] # it matches every text
        if word in ("else", "elif", "endif") and opened:
            yield FoldedLines(opened.pop(), number - 1)
        if word.startswith("if") or word in ("else", "elif"):
            opened.append(number)
