"""Reports for people, in a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from everafter.ltl import Atom, text_of
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.rows import Row

_WIDEST_TRUTH = 25
"""Longer runs would not fit a line; JSON has all of it."""
_COLOURS = {"holds": "32", "violated": "31", "incomplete": "33"}


@dataclass(frozen=True, slots=True)
class Style:
    """Whether colours may be used: yes in a terminal, no in a pipe."""

    colours: bool = False

    def paint(self, text: str, colour: str) -> str:
        """The text in a colour, where colours may be used."""
        return f"\x1b[{colour}m{text}\x1b[0m" if self.colours else text


PLAIN = Style()


class Presenter:
    """Shows a result as the command line does."""

    def text(self, result: Result, /) -> str:
        """The summary, and the counterexample if there is one."""
        lines = [summary(result, len(result.property), PLAIN)]
        if result.counterexample is not None:
            lines += ["", counterexample(result.counterexample, PLAIN)]
        return "\n".join(lines)


def summary(result: Result, width: int, style: Style) -> str:
    """One line: the property, the verdict, and the size of the search."""
    verdict = style.paint(f"{result.verdict:<10}", _COLOURS[result.verdict])
    depth = f", depth {result.depth:,}" if result.depth else ""
    size = f"{result.states:,} states, {result.transitions:,} transitions{depth}"
    lines = [f"{result.property:<{width}}  {verdict}  {size}, {result.seconds:.2f} s"]
    if result.verdict != "holds":
        lines.append(f"{'':<{width}}  {result.reason}")
    if result.unreduced:
        lines.append(f"{'':<{width}}  without reduction: {result.unreduced}")
    return "\n".join(lines)


def counterexample(run: Counterexample, style: Style) -> str:
    """The run step by step: who moved, where, what the statement was and what it changed."""
    lines = []
    if run.problem is not None and run.problem.kind != "claim":
        lines.append(f"{run.problem.place}: {style.paint(run.problem.message, _COLOURS['violated'])}")
    for number, line in enumerate(table(run.rows)):
        if run.cycle and number == len(run.prefix) + 1:
            lines.append("  again and again, for ever:")
        lines.append(line)
    if run.stutters:
        lines.append("  and here everything stops, for ever")
    elif run.problem is not None and run.problem.kind == "claim":
        lines.append(f"  {run.problem.message}")
    return "\n".join([*lines, *_truth(run)])


def _truth(run: Counterexample) -> list[str]:
    """What the formula and its propositions are before each step: + true, - false."""
    if len(run.letters) > _WIDEST_TRUTH:
        return []
    rows = [row for row in run.truth() if row[0] == run.formula or isinstance(row[0], Atom)]
    if not rows:
        return []
    heading = "before step"
    width = max(len(heading), *(len(text_of(part)) for part, _ in rows))
    numbers = " ".join(f"{position + 1:>3}" for position in run.positions)
    lines = ["", f"  {heading:<{width}}  {numbers}"]
    for part, values in rows:
        lines.append(f"  {text_of(part):<{width}}  " + " ".join(f"{'+' if value else '-':>3}" for value in values))
    return lines


def table(rows: Iterable[Row]) -> list[str]:
    """A header and one line for each step."""
    heading = ("step", "process", "line", "statement", "what changed")
    return _aligned([heading, *((str(row.number), *described(row)) for row in rows)])


def described(row: Row) -> tuple[str, str, str, str]:
    """A step as four columns: process, line, statement, what changed."""
    who, line, what = row.process, str(row.spot.line), row.statement
    if row.partner is not None and row.partner_spot is not None:
        who += f" → {row.partner}"
        line += f" → {row.partner_spot.line}"
        what += f"  →  {row.partner_statement}"
    effects = [*row.changes, *([f"← {row.problem}"] if row.problem is not None else [])]
    return who, line, what, ", ".join(effects)


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    table_rows = list(rows)
    widths = [min(max(len(row[column]) for row in table_rows), 60) for column in range(len(table_rows[0]))]
    lines = []
    for row in table_rows:
        cells = [
            f"{cell:>{width}}" if column in (0, 2) else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines
