"""Steps as lines of a table, which are made in blocks: columns become wider, and never narrower again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TextIO

from everafter.characters import visible_line
from everafter.execution.step import initial_state
from everafter.program.program import Program
from everafter.promela.model import Receive, Send
from everafter.report.text import HEADING, described, met
from everafter.report.text_columns import aligned
from everafter.source import Spot
from everafter.verdict.run_rows import Row

_AT_ONCE = 100
"""Steps that are printed together."""
_MOST_KNOWN = 1 << 14
"""No more lines are known at a time."""
_END = "."
"""Stands at the end of a line in place of spaces."""
_MARGIN = 2
"""The columns to the left of all."""

Columns = tuple[str, str, str, str]
"""Who takes a step, on which line, by which statement, and what that changes."""
NOTHING: Columns = ("", "", "", "")
"""The columns of a step of which only the output is shown."""


class ShownStep(NamedTuple):
    """A step as it is shown: its number, its columns, and what it prints."""

    number: int
    columns: Columns
    output: tuple[str, ...]


def shown(rows: Iterable[Row]) -> Iterator[ShownStep]:
    """Yield `rows` as they are shown."""
    return (ShownStep(row.number, described(row), row.output) for row in rows)


def print_steps(
    program: Program, steps: Iterable[ShownStep], out: TextIO, last: int = 0, width: int | None = None
) -> None:
    """Print to `out` these `steps` of `program` in columns, `width` wide, and below each what it prints.

    No step has a higher number than `last`, if that is given.
    """
    following, table, heading = iter(steps), _StepTable(program, last, width), True
    while block := list(islice(following, _AT_ONCE)):
        lines = table.lines(block)
        out.write(table.heading + lines if heading else lines)
        heading = False


def below(output: Iterable[str]) -> str:
    """Return what a step prints as lines to stand below it."""
    return "".join("       " + text.rstrip("\n").replace("\n", "\n       ") + "\n" for text in output)


def widest(program: Program) -> tuple[str, str, str, str, str]:
    """Return a row that is about as wide as any of the steps of `program`, so that all blocks are aligned alike."""
    taken = [each for kind in program.processes for each in kind.graph.transitions()]
    most = len(initial_state(program).processes)
    who = "x" * (max((len(kind.name.strip(":")) for kind in program.processes), default=0) + len(f"({most - 1})"))
    line = str(max((Spot.of(each.place).line for each in taken), default=0))
    what = max((each.text for each in taken), key=len, default="")
    if any(not kind.capacity for kind in program.channels):
        sends, receives = (
            max((each.text for each in taken if isinstance(each.effect, kind)), key=len, default="")
            for kind in (Send, Receive)
        )
        who, line, both = met((who, line, sends), (who, line, receives))
        what = max(what, both, key=len)
    return "99999", who, line, what, ""


class _StepTable:
    """Lines of the steps of `program`, `width` wide, of which `last` is the greatest number, if that is known."""

    def __init__(self, program: Program, last: int, width: int | None) -> None:
        self._width = width
        self._ruler = _wider(widest(program), [HEADING, (str(last), "", "", "", "")])
        """A row as wide as the columns."""
        self._known: dict[Columns, str] = {}
        """Lines behind their numbers."""
        self._beginnings: dict[tuple[str, str, str], str] = {}
        """The same up to what changes, if lines may be as wide as they are."""

    @property
    def heading(self) -> str:
        """The line above all."""
        return f"{aligned([self._ruler, HEADING], self._width)[-1]}\n"

    def lines(self, block: Sequence[ShownStep]) -> str:
        """The lines of the steps of a block, between which the columns do not change."""
        new = {step.columns for step in block}.difference(self._known)
        ruler = _wider(self._ruler, [(str(block[-1].number), *each) for each in new])
        if [*map(len, ruler)] != [*map(len, self._ruler)] or len(self._known) > _MOST_KNOWN:
            self._known, self._beginnings, new = {}, {}, {step.columns for step in block}
        self._ruler, width, known = ruler, len(ruler[0]), self._known
        if self._width is None:
            for columns in new:
                known[columns] = (self._beginning(columns[:3]) + visible_line(columns[3])).rstrip()
        else:
            made = aligned([ruler, *(("", *each) for each in new)], self._width)[1:]
            known.update(zip(new, (line[_MARGIN + width :] for line in made), strict=True))
        return "".join(
            f"  {number:>{width}}{known[columns]}\n{below(output) if output else ''}"
            for number, columns, output in block
        )

    def _beginning(self, columns: tuple[str, str, str]) -> str:
        known = self._beginnings.get(columns)
        if known is None:
            line = aligned([self._ruler, ("", *columns, _END)])[1]
            known = self._beginnings[columns] = line[_MARGIN + len(self._ruler[0]) : -len(_END)]
        return known


def _wider(ruler: Sequence[str], rows: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The longest texts of `ruler` and `rows` in each column."""
    return tuple(max(column, key=len) for column in zip(ruler, *rows, strict=True))
