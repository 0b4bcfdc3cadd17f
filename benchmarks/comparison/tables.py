"""The tables of the comparison, as Markdown that also reads well as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.comparison.checkers import COLLAPSE, COMPACT, LTSMIN, NOCOMP, OURS, PANS, TREE
from benchmarks.comparison.memory import random_read
from benchmarks.comparison.rows import Row, geometric_mean

_O2, _O3 = list(PANS)[:2]


def safety_table(rows: Sequence[Row]) -> str:
    """Time and memory for the same states."""
    header = ["model", "states", "-O2 s", "-O3 s", "nocomp s", "ours s", "ratio"]
    header += ["bytes SPIN", "(pan)", "bytes ours", "verdict"]
    return table(header, [_safety_row(row) for row in rows]) + _summary(rows, [row.ratio for row in rows], "ratio")


def _safety_row(row: Row) -> list[str]:
    return [
        row.case.name,
        f"{row.states(_O2):,}",
        *_times(row, (_O2, _O3, NOCOMP, OURS)),
        _ratio(row, row.ratio),
        *_memory(row),
        _verdict(row),
    ]


def formula_table(rows: Sequence[Row]) -> str:
    """The same for formulas, where the products differ in size."""
    header = ["model and formula", "SPIN states", "our states", "-O2 s", "-O3 s", "ours s", "ratio", "per state"]
    header += ["bytes SPIN", "(pan)", "bytes ours", "verdict"]
    content = [
        [
            row.case.name,
            f"{row.states(_O2):,}",
            f"{row.states(OURS):,}",
            *_times(row, (_O2, _O3, OURS)),
            _ratio(row, row.ratio),
            _ratio(row, row.ratio_per_state),
            *_memory(row),
            _verdict(row),
        ]
        for row in rows
    ]
    whole = _summary(rows, [row.ratio for row in rows], "ratio")
    return table(header, content) + whole + _summary(rows, [row.ratio_per_state for row in rows], "ratio per state")


def process_table(rows: Sequence[Row]) -> str:
    """What a user waits for: the whole process of everafter, and what other checkers took where given."""
    header = ["model", "search s", "compile s", "process s", "wall s", "pan wall s", "slowest/fastest pan, ours"]
    checkers = [name for name in (LTSMIN,) if any(name in row.runs for row in rows)]
    header += [part for name in checkers for part in (f"{name} s", f"{name} states", f"{name} verdict")]
    content = []
    for row in rows:
        line = [row.case.name, f"{row.seconds(OURS):.2f}", f"{row.compile_seconds(OURS):.2f}"]
        line += [f"{row.process_seconds(OURS):.2f}", f"{row.wall_seconds(OURS):.2f}", f"{row.wall_seconds(_O2):.2f}"]
        line.append(f"{row.spread(row.best):.2f}, {row.spread(OURS):.2f}")
        for name in checkers:
            if name in row.runs:
                first = row.runs[name][0]
                line += [f"{row.seconds(name):.2f}", f"{first.states:,}", first.verdict]
            else:
                line += ["-"] * 3
        content.append(line)
    return table(header, content)


def store_table(rows: Sequence[Row]) -> str:
    """What compressing stores save, and what they cost: bytes for each state, and seconds."""
    checkers = (_O2, COLLAPSE, COMPACT, OURS, TREE)
    header = ["model", "states", *(f"{name} bytes" for name in checkers), *(f"{name} s" for name in checkers[1:])]
    header += ["tree/plain s", "verdict"]
    content = []
    for row in rows:
        sizes = [f"{row.bytes_per_state(name):.1f}" for name in checkers]
        seconds = _times(row, checkers[1:])
        content.append(
            [row.case.name, f"{row.states(OURS):,}", *sizes, *seconds, _ratio(row, _slowdown(row)), _verdict(row)]
        )
    right = [row for row in rows if not row.trouble]
    if not right:
        return table(header, content)
    sizes = [f"{name} {geometric_mean([row.bytes_per_state(name) for row in right]):.1f}" for name in checkers]
    times = [_slowdown(row) for row in right]
    return table(header, content) + (
        f"\nbytes for each state, geometric means: {', '.join(sizes)}\n"
        f"\ntime of the tree store by that of the plain one: geometric mean {geometric_mean(times):.2f}, "
        f"worst {max(times):.2f}\n"
    )


def _slowdown(row: Row) -> float:
    """How many times longer the tree store takes than the plain one, by the fastest run of each."""
    tree, plain = (min(run.search for run in row.runs[name]) for name in (TREE, OURS))
    return tree / max(plain, 1e-9)


def size_table(rows: Sequence[Row]) -> str:
    """Cost per state as a model grows, in numbers and as a picture, beside what one read of so much memory costs."""
    header = ["states", "SPIN ns/state", "ours ns/state", "ratio", "bytes SPIN", "bytes ours", "read ns", "verdict"]
    content, lines = [], []
    costs = [(_nanoseconds(row, row.best), _nanoseconds(row, OURS)) for row in rows]
    longest = max((max(pair) for pair in costs), default=1.0)
    for row, (theirs, ours) in zip(rows, costs, strict=True):
        states = f"{row.states(_O2):,}"
        size = row.bytes_per_state(OURS)
        read = random_read(int(size * row.states(OURS)))
        memory = [f"{row.spin_bytes:.0f}", f"{size:.0f}", f"{read:.1f}"]
        content.append(
            [states, f"{theirs:,.0f}", f"{ours:,.0f}", _ratio(row, row.ratio), *memory, _verdict(row)],
        )
        lines.append(f"{states:>11}  SPIN {bar(theirs, longest)} {theirs:,.0f}")
        lines.append(f"{'':>11}  ours {bar(ours, longest)} {ours:,.0f}")
    return table(header, content) + "\n```\nnanoseconds for each state\n" + "\n".join(lines) + "\n```\n"


def bar(value: float, longest: float, width: int = 60) -> str:
    """A line as long as the value."""
    return "#" * max(1, round(width * value / longest))


def table(header: Sequence[str], content: Sequence[Sequence[str]]) -> str:
    """A Markdown table with columns of even width: the first to the left, the others to the right."""
    rows = [list(header), *(list(line) for line in content)]
    widths = [max(len(line[column]) for line in rows) for column in range(len(header))]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return "".join(
        "| "
        + " | ".join(
            _padded(cell, width, column == 0) for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        + " |\n"
        for line in (rows[0], rule, *rows[1:])
    )


def _padded(cell: str, width: int, left: bool) -> str:
    return cell.ljust(width) if left else cell.rjust(width)


def _times(row: Row, checkers: Sequence[str]) -> list[str]:
    return [f"{row.seconds(name):.2f}" for name in checkers]


def _memory(row: Row) -> list[str]:
    own = row.own_bytes(_O2)
    return [
        f"{row.spin_bytes:.0f}",
        "-" if own is None else f"{own:.0f}",
        f"{row.bytes_per_state(OURS):.0f}",
    ]


def _ratio(row: Row, value: float) -> str:
    return "-" if row.trouble else f"{value:.3g}"


def _verdict(row: Row) -> str:
    return f"WRONG ({row.trouble})" if row.trouble else "holds, both"


def _nanoseconds(row: Row, checker: str) -> float:
    return row.seconds(checker) / max(1, row.states(checker)) * 1e9


def _summary(rows: Sequence[Row], values: Sequence[float], what: str) -> str:
    """Geometric mean and worst of the rows that are right."""
    right = [(value, row.case.name) for value, row in zip(values, rows, strict=True) if not row.trouble]
    if not right:
        return ""
    worst, name = min(right)
    mean = geometric_mean([value for value, _ in right])
    return f"\n{what}: geometric mean {mean:.3g}, worst {worst:.3g} ({name})\n"
