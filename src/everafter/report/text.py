"""Reports for people, in a terminal or a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise

from everafter.characters import visible_line
from everafter.hints.sentences import fairness_hint, remarks
from everafter.ltl.formula import Atom
from everafter.ltl.formula_text import text_of
from everafter.record import dataclass
from everafter.report.encoding import painted
from everafter.report.text_columns import GLUE, aligned, broken, note
from everafter.report.waiting_text import waiting
from everafter.system import without_collecting
from everafter.verdict.result import Counterexample, Result
from everafter.verdict.run_rows import Row

_MOST_ROWS, _ROWS_KEPT = 100, 40
"""Of more steps than `_MOST_ROWS`, only `_ROWS_KEPT` at each end are shown."""
_MOST_COLUMNS = 25
"""A truth table of more columns would not fit a line: some at each end, and on each side of the loop, are shown."""
COLOURS = {"holds": "32", "violated": "31", "incomplete": "33"}


@dataclass(frozen=True, slots=True)
class Style:
    """Whether colours may be used, and how wide a line may be: as wide as a terminal is, and in a pipe as it needs."""

    colours: bool = False
    width: int | None = None

    def paint(self, text: str, colour: str) -> str:
        """Return `text` in `colour`, where colours may be used."""
        return painted(text, colour) if self.colours else text


PLAIN = Style()
HEADING = ("step", "process", "line", "statement", "what changed")


def shown(result: Result) -> str:
    """A result as the command line prints it: the summary, and the counterexample if there is one."""
    lines = [summary(result, len(result.property), PLAIN)]
    if result.counterexample is not None:
        lines += ["", counterexample(result.counterexample, PLAIN)]
    lines += remarks(result, full=False)
    return "\n".join(lines)


def summary(result: Result, width: int, style: Style) -> str:
    """Return one line on `result`: the property, in `width` columns, the verdict, and the size of the search.

    Below it is what else there is to say. `style` says whether colours may be used, and how wide a line may be.
    """
    verdict = style.paint(f"{result.verdict:<10}", COLOURS[result.verdict])
    depth = f", depth{GLUE}{result.depth:,}" if result.depth else ""
    size = f"{result.states:,}{GLUE}states, {result.transitions:,}{GLUE}transitions{depth}"
    room = None if style.width is None else style.width - 2  # the whole is set in by two
    margin = " " * (width + 14)
    first, *more = broken(f"{margin}{size}, {result.seconds:.2f}{GLUE}s", room, margin)
    lines = [f"{visible_line(result.property):<{width}}  {verdict}  {first.lstrip()}", *more]
    for text in _notes(result):
        lines += note(text, width + 2, room)
    return "\n".join(lines)


def _notes(result: Result) -> Iterator[str]:
    if result.verdict != "holds":
        yield result.reason
    if result.checkpoint is not None:
        yield f"go on with: everafter resume {shlex.quote(result.checkpoint)}"
    if result.violated and (result.kind == "safety" or result.is_shortest):
        yield _shortness(result)
    if (hint := fairness_hint(result)) is not None:
        yield hint
    if result.unreduced:
        yield f"without reduction: {result.unreduced}"
    if result.symmetry:
        yield f"with symmetry: {result.symmetry} were exchanged"
    if result.asymmetric:
        yield f"without {'more ' if result.symmetry else ''}symmetry: {result.asymmetric}"
    if result.whole:
        yield f"with whole states and single steps: {result.whole}"
    if result.certified:
        yield f"certified: {result.certified}"


def _shortness(result: Result) -> str:
    """Whether there is a shorter counterexample, as far as that is known."""
    if not result.is_shortest:
        return "there may be shorter counterexamples"
    left = (
        " among the steps that reduction leaves"
        if result.reduction != "none" or result.merged or result.symmetry
        else ""
    )
    return f"no counterexample is shorter{left}"


def fitted(text: str, style: Style) -> str:
    """Return `text` with its lines broken between words, where they are wider than `style` allows."""
    lines = text.split("\n")
    return "\n".join(
        part for line in lines for part in broken(line, style.width, " " * (len(line) - len(line.lstrip()) + 2))
    )


def counterexample(run: Counterexample, style: Style, full: bool = False) -> str:
    """Return `run` step by step: which process moved, where, what the statement was and what it changed.

    `style` says whether colours may be used, and how wide a line may be. Unless `full`, the middle of a long prefix, a
    long cycle and a long truth table is folded.
    """
    lines = []
    if run.problem is not None and run.problem.kind != "claim":
        lines.append(f"{run.problem.place}: {style.paint(run.problem.message, COLOURS['violated'])}")
    lines += steps(run, full, style)
    if run.stutters:
        lines.append("  and here everything stops, for ever")
    elif run.problem is not None and run.problem.kind == "claim":
        lines.append(f"  {run.problem.message}")
    return "\n".join([*lines, *waiting(run.waits), *_truth(run, full, style)])


def steps(run: Counterexample, full: bool, style: Style = PLAIN) -> list[str]:
    """Return the table of the steps of `run`, in `style`, with the cycle marked.

    Unless `full`, the middle of many is folded, and so are jumps, which change nothing; the numbers are those of the
    run.
    """
    prefix, total = len(run.prefix), len(run)
    shown = [*folded(range(prefix), full), *folded(range(prefix, total), full)]
    with without_collecting():
        parts = [_worth_telling(run.rows_between(part.start, part.stop), full) for part in shown]
        heading, *entries = table((row for rows in parts for row in rows), style)
    rest = iter(entries)
    text = [heading]
    at = 0
    for part, rows in zip(shown, parts, strict=True):
        if part.start > at:
            text.append(_omission(part.start - at))
        if run.cycle and part.start == prefix:
            text.append("  again and again, for ever:")
        text += islice(rest, len(rows))
        at = part.stop
    jumps = sum(map(len, shown)) - sum(map(len, parts))
    if jumps:
        text.append(f"  ({jumps} {'jumps' if jumps > 1 else 'jump'} left out: --full shows every step)")
    return text


def _worth_telling(rows: Iterable[Row], full: bool) -> list[Row]:
    """The rows without jumps; all, if all are wanted or there is nothing else."""
    every = list(rows)
    return every if full else [row for row in every if not _only_jumps(row)] or every


def _only_jumps(row: Row) -> bool:
    return row.is_jump and not row.change_texts and row.problem is None


def _omission(steps: int) -> str:
    return f"  … {steps:,} steps, --full shows them all …"


def folded(rows: range, full: bool) -> list[range]:
    """Return the parts of `rows` that are shown: all if `full` or if they are few, else the first and the last."""
    if full or len(rows) <= _MOST_ROWS:
        return [rows] if rows else []
    return [rows[:_ROWS_KEPT], rows[-_ROWS_KEPT:]]


def _truth(run: Counterexample, full: bool, style: Style) -> list[str]:
    """What the formula and its propositions are before each step: + true, - false."""
    rows = [row for row in run.truth() if row[0] == run.formula or isinstance(row[0], Atom)]
    if not rows:
        return []
    heading = "before step"
    width = max(len(heading), *(len(text_of(part)) for part, _ in rows))
    digits = max(3, len(str(run.positions[-1] + 1)))
    room = _MOST_COLUMNS if style.width is None else (style.width - width - 4) // (digits + 1)
    columns = _columns(run, len(run.letters) if full else min(room, _MOST_COLUMNS))
    numbers = ["…" if column is None else f"{run.positions[column] + 1:>{digits}}" for column in columns]
    lines = ["", f"  {heading:<{width}}  " + " ".join(numbers)]
    for part, values in rows:
        signs = ["…" if column is None else f"{'+' if values[column] else '-':>{digits}}" for column in columns]
        lines.append(f"  {text_of(part):<{width}}  " + " ".join(signs))
    return lines


def _columns(run: Counterexample, most: int) -> list[int | None]:
    """The letters to show, None where some are left out: the first, those around the start of the cycle, the last."""
    count = len(run.letters)
    if count <= most:
        return list(range(count))
    near, loop = max(most // 4, 1), run.loop
    kept = {*range(near), *range(max(loop - near, 0), min(loop + near, count)), *range(count - near, count)}
    columns: list[int | None] = [0]
    for before, column in pairwise(sorted(kept)):
        columns += [column] if column == before + 1 else [None, column]
    return columns


def table(rows: Iterable[Row], style: Style = PLAIN) -> list[str]:
    """Return a header and an entry for each of `rows`: one line, or more where a line would be too wide for `style`."""
    return aligned([HEADING, *((str(row.number), *described(row)) for row in rows)], style.width)


def described(row: Row) -> tuple[str, str, str, str]:
    """A step as four columns: process, line, statement, what changed."""
    who, line, what = row.process, str(row.spot.line), row.statement
    if row.partner is not None and row.partner_spot is not None:
        who, line, what = met((who, line, what), (row.partner, str(row.partner_spot.line), row.partner_statement or ""))
    effects = [*row.change_texts, *([f"← {row.problem}"] if row.problem is not None else [])]
    return who, line, what, ", ".join(effects)


def met(sender: tuple[str, str, str], receiver: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return who meets in a rendezvous, where, and by which statements, of the same of `sender` and `receiver`."""
    return f"{sender[0]} → {receiver[0]}", f"{sender[1]} → {receiver[1]}", f"{sender[2]}  →  {receiver[2]}"
