"""Make a failing Promela program smaller while it keeps failing: delta debugging over lines and blocks.

Zeller and Hildebrandt, IEEE TSE 28(2), 2002, with one addition: besides runs of lines, whole blocks are removed or
lose only their brackets. Blocks are found by indentation, so the text should be laid out as random_author does.
"""

from collections.abc import Callable, Iterator

from oracles.spin import accepts

Lines = list[str]


def shrink(text: str, still_fails: Callable[[str], bool]) -> str:
    """A program, no larger, that SPIN accepts and that still fails; removing any one part of it more would not do."""

    def good(lines: Lines) -> bool:
        candidate = "\n".join(lines) + "\n"
        return accepts(candidate) and still_fails(candidate)

    lines = text.splitlines()
    while (smaller := _first(good, _smaller(lines))) is not None:
        lines = smaller
    return "\n".join(lines) + "\n"


def _first(good: Callable[[Lines], bool], candidates: Iterator[Lines]) -> Lines | None:
    return next((lines for lines in candidates if good(lines)), None)


def _smaller(lines: Lines) -> Iterator[Lines]:
    """Every program with a part less, the large parts first."""
    yield from _without_blocks(lines)
    size = len(lines) // 2
    while size:
        for start in range(0, len(lines) - size + 1, size):
            yield lines[:start] + lines[start + size :]
        size //= 2
    yield from _without_brackets(lines)


def _without_blocks(lines: Lines) -> Iterator[Lines]:
    """Remove a line together with everything indented below it, and its closing line."""
    spans = sorted(_blocks(lines), key=lambda span: span[0] - span[1])
    for start, end in spans:
        yield lines[:start] + lines[end + 1 :]


def _without_brackets(lines: Lines) -> Iterator[Lines]:
    """Remove only the first and the last line of a block."""
    for start, end in _blocks(lines):
        yield lines[:start] + lines[start + 1 : end] + lines[end + 1 :]


def _blocks(lines: Lines) -> Iterator[tuple[int, int]]:
    """First and last line of each block: the last is the next line with the same indentation that closes it."""
    for start, line in enumerate(lines):
        for end in range(start + 1, len(lines)):
            if _indent(lines[end]) < _indent(line):
                break
            if _indent(lines[end]) == _indent(line):
                if lines[end].strip().startswith(("}", "fi", "od")) and not lines[end].strip().endswith("{"):
                    yield start, end
                    break
                if not lines[end].strip().startswith((":", "}")):
                    break


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
