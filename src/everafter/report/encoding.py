"""Output that any terminal can take, and that no text of a user can make it obey.

Where a character cannot be written, its nearest in ASCII is; where it would be obeyed, its picture is. That is done at
the boundary: all that a command prints goes through here. Colours of our own are marked in a way that is known only
within this process.
"""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from everafter.characters import visible

_NEAREST = {"→": "->", "←": "<-", "…": "...", "–": "-", "—": "-", "×": "x", "≤": "<=", "≥": ">="}
_HANDLER = "everafter.nearest"
_MARK = f"\ud800{os.urandom(8).hex()}"
"""Stands for the beginning of an escape sequence; no text can have it."""
_MARKED = re.compile(_MARK + r"(\d+m)")


def painted(text: str, colour: str) -> str:
    """Return `text` in `colour`, to be printed by a command."""
    return f"{_MARK}{colour}m{text}{_MARK}0m"


def unpainted(text: str) -> str:
    """Return `text` without its colours."""
    return _MARKED.sub("", text) if _MARK in text else text


class Output:
    """A stream of a command: what is written to it is made visible, and then goes to the stream behind it."""

    def __init__(self, stream: TextIO) -> None:
        self.behind = stream

    def write(self, text: str) -> int:
        """Write a text; returns its length."""
        first, *rest = _MARKED.split(text)
        self.behind.write(visible(first) if not rest else visible(first) + "".join(_parts(rest)))
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        """Write several texts."""
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)


def _parts(split: list[str]) -> Iterator[str]:
    """Colours and texts in turn, as they are written."""
    for colour, text in zip(split[::2], split[1::2], strict=True):
        yield f"\x1b[{colour}"
        yield visible(text)


def behind(stream: TextIO) -> TextIO:
    """The stream to which a command writes what moves the cursor: the text in it must be visible."""
    return stream.behind if isinstance(stream, Output) else stream


@contextmanager
def safe_output() -> Iterator[None]:
    """Let all that is printed meanwhile be such that terminals can take it, and obey none of it."""
    before = sys.stdout, sys.stderr
    for stream in before:
        make_safe(stream)
    sys.stdout, sys.stderr = (cast(TextIO, Output(behind(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def make_safe(stream: TextIO) -> None:
    """Let a stream write what its encoding lacks as the nearest in ASCII, instead of failing."""
    codecs.register_error(_HANDLER, _nearest)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors=_HANDLER)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_NEAREST.get(character, "?") for character in lacking), error.end
