"""Where each process waits, for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everafter.verdict.waiting import Wait


def waiting(waits: Sequence[Wait]) -> list[str]:
    """A line for each statement that a process waits for, and why; below it advice, if there is some."""
    if not waits:
        return []
    rows = [row for wait in waits for row in _rows(wait)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = iter([_aligned(row, widths) for row in rows])
    text = ["", "  nobody can move:"]
    for wait in waits:
        text += [next(lines) for _ in wait.obstacles]
        if wait.advice is not None:
            text.append(f"    help: {wait.advice}")
    return text


def _rows(wait: Wait) -> list[tuple[str, str, str, str]]:
    """The process on its first line, and for each way on its place, its statement and why it is barred."""
    may_stop = " (it may stop here)" if wait.may_stop else ""
    return [
        (
            "" if number else wait.process,
            f"{obstacle.spot.file}:{obstacle.spot.line}",
            obstacle.statement,
            obstacle.reason + may_stop,
        )
        for number, obstacle in enumerate(wait.obstacles)
    ]


def _aligned(row: Iterable[str], widths: Sequence[int]) -> str:
    *cells, reason = row
    return "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)) + f"  {reason}"
