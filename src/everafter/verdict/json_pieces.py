"""JSON piece by piece, so that a run of any length is written as it comes, and quickly.

A mapping or a list has one line for each entry, and so has an iterator, whose items are on one line each and may be
Encoded already. Anything else is on one line. Python's own encoder is slow where it indents, and has the whole text
in memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


class Encoded(str):
    """A text that is JSON already."""

    __slots__ = ()


def pieces(value: Any, margin: str = "\n") -> Iterator[str]:
    """Yield the text of `value` in pieces that follow one another; `margin` stands before each line."""
    match value:
        case Mapping():
            entries = ((f"{json.dumps(key)}: ", item) for key, item in value.items())
            yield from _enclosed("{}", entries, margin)
        case list():
            yield from _enclosed("[]", (("", item) for item in value), margin)
        case Iterator():
            yield from _lines(value, margin)
        case _:
            yield json.dumps(value)


def _enclosed(brackets: str, entries: Iterable[tuple[str, Any]], margin: str) -> Iterator[str]:
    comma, end = "", ""
    yield brackets[0]
    for name, item in entries:
        yield f"{comma}{margin}  {name}"
        yield from pieces(item, margin + "  ")
        comma, end = ",", margin
    yield end + brackets[1]


def _lines(items: Iterator[Any], margin: str) -> Iterator[str]:
    encode = json.JSONEncoder().encode
    comma, end = "", ""
    yield "["
    for item in items:
        yield f"{comma}{margin}  {item if isinstance(item, Encoded) else encode(item)}"
        comma, end = ",", margin
    yield end + "]"
