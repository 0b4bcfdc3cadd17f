"""Reports for people, in a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice, pairwise

from everafter.ltl import Atom, text_of
from everafter.report.insight import fairness_hint, remarks
from everafter.report.waiting import waiting
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.rows import Row

_MOST_ROWS, _ROWS_KEPT = 100, 40
"""Of more steps than these, only so many at each end are shown."""
_MOST_COLUMNS, _COLUMNS_KEPT = 25, 6
"""A truth table of more columns would not fit a line: only so many at each end, and on each side of the loop, are."""
COLOURS = {"holds": "32", "violated": "31", "incomplete": "33"}


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
        lines += remarks(result, full=False)
        return "\n".join(lines)


def summary(result: Result, width: int, style: Style) -> str:
    """One line: the property, the verdict, and the size of the search."""
    verdict = style.paint(f"{result.verdict:<10}", COLOURS[result.verdict])
    depth = f", depth {result.depth:,}" if result.depth else ""
    size = f"{result.states:,} states, {result.transitions:,} transitions{depth}"
    lines = [f"{result.property:<{width}}  {verdict}  {size}, {result.seconds:.2f} s"]
    if result.verdict != "holds":
        lines.append(f"{'':<{width}}  {result.reason}")
    if result.violated and result.kind == "safety":
        lines.append(f"{'':<{width}}  {_shortness(result)}")
    if (hint := fairness_hint(result)) is not None:
        lines.append(f"{'':<{width}}  {hint}")
    if result.unreduced:
        lines.append(f"{'':<{width}}  without reduction: {result.unreduced}")
    return "\n".join(lines)


def _shortness(result: Result) -> str:
    """Whether there is a shorter counterexample, as far as that is known."""
    if not result.is_shortest:
        return "there may be shorter counterexamples"
    left = " among the steps that reduction leaves" if result.reduction != "none" else ""
    return f"no counterexample is shorter{left}"


def counterexample(run: Counterexample, style: Style, full: bool = False) -> str:
    """The run step by step: who moved, where, what the statement was and what it changed.

    Unless it is shown in full, the middle of a long prefix, a long cycle and a long truth table is folded.
    """
    lines = []
    if run.problem is not None and run.problem.kind != "claim":
        lines.append(f"{run.problem.place}: {style.paint(run.problem.message, COLOURS['violated'])}")
    lines += steps(run, full)
    if run.stutters:
        lines.append("  and here everything stops, for ever")
    elif run.problem is not None and run.problem.kind == "claim":
        lines.append(f"  {run.problem.message}")
    return "\n".join([*lines, *waiting(run.waits), *_truth(run, full)])


def steps(run: Counterexample, full: bool) -> list[str]:
    """The table of the steps, with the cycle marked and, unless all are wanted, the middle folded."""
    prefix, total = len(run.prefix), len(run)
    shown = [*_folded(range(prefix), full), *_folded(range(prefix, total), full)]
    heading, *lines = table(row for part in shown for row in run.rows_between(part.start, part.stop))
    rest = iter(lines)
    text = [heading]
    at = 0
    for part in shown:
        if part.start > at:
            text.append(_omission(part.start - at))
        if run.cycle and part.start == prefix:
            text.append("  again and again, for ever:")
        text += islice(rest, len(part))
        at = part.stop
    return text


def _omission(steps: int) -> str:
    return f"  … {steps:,} steps, --full shows them all …"


def _folded(rows: range, full: bool) -> list[range]:
    """The parts that are shown of some rows: all, or the first and the last of many."""
    if full or len(rows) <= _MOST_ROWS:
        return [rows] if rows else []
    return [rows[:_ROWS_KEPT], rows[-_ROWS_KEPT:]]


def _truth(run: Counterexample, full: bool) -> list[str]:
    """What the formula and its propositions are before each step: + true, - false."""
    rows = [row for row in run.truth() if row[0] == run.formula or isinstance(row[0], Atom)]
    if not rows:
        return []
    columns = _columns(run, full)
    heading = "before step"
    width = max(len(heading), *(len(text_of(part)) for part, _ in rows))
    digits = max(3, len(str(run.positions[-1] + 1)))
    numbers = ["…" if column is None else f"{run.positions[column] + 1:>{digits}}" for column in columns]
    lines = ["", f"  {heading:<{width}}  " + " ".join(numbers)]
    for part, values in rows:
        signs = ["…" if column is None else f"{'+' if values[column] else '-':>{digits}}" for column in columns]
        lines.append(f"  {text_of(part):<{width}}  " + " ".join(signs))
    return lines


def _columns(run: Counterexample, full: bool) -> list[int | None]:
    """The letters to show, None where some are left out: the first, those around the start of the cycle, the last."""
    count = len(run.letters)
    if full or count <= _MOST_COLUMNS:
        return list(range(count))
    near, loop = _COLUMNS_KEPT, run.loop
    kept = {*range(near), *range(max(loop - near, 0), min(loop + near, count)), *range(count - near, count)}
    columns: list[int | None] = [0]
    for before, column in pairwise(sorted(kept)):
        columns += [column] if column == before + 1 else [None, column]
    return columns


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
    widths = [min(max(map(len, column)), 60) for column in zip(*table_rows, strict=True)]
    cells = [f"{{:{'>' if column in (0, 2) else '<'}{width}}}" for column, width in enumerate(widths)]
    line = "  " + "  ".join(cells)
    return [line.format(*row).rstrip() for row in table_rows]
