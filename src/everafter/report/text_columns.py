"""Tables: columns one beside the other, no wider than a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from everafter.characters import columns, visible_line
from everafter.report.encoding import unpainted

_WIDEST = 60
"""No column makes others wait for more characters than this; a longer text just goes on."""
_LEAST = 20
"""The least width of the last column, however narrow the terminal is; it has half of the room for the last two, too."""
_LEAST_STATEMENT = 10
"""The least width of the column before it, where the last one needs more than its half so as not to break a word."""
GLUE = "\u00a0"
"""Stands for a space at which no line is broken."""
_WORDS = re.compile("( *)([^ ]+)")
_MARGIN, _GAP = "  ", "  "


def aligned(rows: Iterable[tuple[str, ...]], width: int | None = None) -> list[str]:
    """Return `rows`, those of a table of five columns of which the first and the third are numbers, as aligned lines.

    Where lines may have at most `width` columns, the text of the last column goes on below itself, and the column
    before it is cut if too little room is left.
    """
    table = [tuple(map(visible_line, row)) for row in rows]
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*table, strict=True)]
    if width is not None:
        table, widths = _fitted(table, widths, width)
    cells = [f"{{:{'>' if column in (0, 2) else '<'}{each}}}" for column, each in enumerate(widths)]
    line = _MARGIN + _GAP.join(cells)
    if width is None:
        return [line.format(*row).rstrip() for row in table]
    indent = " " * (len(_MARGIN) + sum(widths[:-1]) + len(_GAP) * (len(widths) - 1))
    return ["\n".join(_wrapped(line, row, widths[-1], indent)) for row in table]


def _fitted(table: Sequence[tuple[str, ...]], widths: list[int], width: int) -> tuple[list[tuple[str, ...]], list[int]]:
    """The rows with the last but one column cut, and the widths of the columns, so that lines are not too wide."""
    fixed = len(_MARGIN) + sum(widths[:-2]) + len(_GAP) * (len(widths) - 1)
    whole = max((len(part) + 1 for *_, text in table for part in text.split(", ")), default=0)
    last = min(widths[-1], max(_LEAST, (width - fixed) // 2, min(whole, width - fixed - _LEAST_STATEMENT)))
    statement = max(min(widths[-2], width - fixed - last), 1)
    rows = [(*row[:-2], cut(row[-2], statement), row[-1]) for row in table]
    return rows, [*widths[:-2], statement, max(width - fixed - statement, last)]


def _wrapped(line: str, row: tuple[str, ...], room: int, indent: str) -> Iterator[str]:
    first, *more = _lines(row[-1], room)
    yield line.format(*row[:-1], first).rstrip()
    for text in more:
        yield indent + text


def _lines(text: str, room: int) -> list[str]:
    """The text in lines that fit, each broken behind a comma if it has one, or else at a space."""
    if len(text) <= room:
        return [text]
    lines = [""]
    for part in text.split(", "):
        joined = f"{lines[-1]}, {part}" if lines[-1] else part
        if len(joined) < room:  # a comma may follow
            lines[-1] = joined
        else:
            lines[-1:] = [f"{lines[-1]},"] if lines[-1] else []
            lines += broken(part, room - 1)
    return lines


def cut(text: str, width: int) -> str:
    """Return `text`, or its beginning and … if it has more than `width` characters; a word is left out as a whole."""
    if len(text) <= width:
        return text
    return (re.sub(r"(?<=\W)\w+$", "", text[:width]) or text)[: max(width - 1, 0)] + "…"


def note(text: str, indent: int, width: int | None) -> list[str]:
    """Return `text`, `indent` columns from the left, on lines no wider than `width`, if that is given."""
    margin = " " * indent
    return [margin + line for line in broken(text, None if width is None else max(width - indent, _LEAST))]


def broken(text: str, width: int | None, margin: str = "") -> list[str]:
    """Return the one line `text` as lines no wider than `width`, if that is given, unless a single word is wider.

    Those behind the first begin with `margin`. Names and values, as in `x = 1`, stay together, and so does what GLUE
    joins.
    """
    if width is None or _columns(text) <= width:
        return [text.replace(GLUE, " ")]
    lines = [""]
    for space, word in _WORDS.findall(text.replace(" = ", f"{GLUE}={GLUE}")):
        if lines[-1].strip() and _columns(lines[-1] + space + word) > width:
            lines.append(margin + word)
        else:
            lines[-1] += space + word
    return [line.replace(GLUE, " ") for line in lines]


def _columns(text: str) -> int:
    """How many columns a text takes, in whatever colours it is."""
    return columns(unpainted(text))
