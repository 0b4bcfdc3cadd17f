"""Output that any terminal can take: where a character cannot be written, its nearest in ASCII is."""

from __future__ import annotations

import codecs
import io
from typing import TextIO

_NEAREST = {"→": "->", "←": "<-", "…": "...", "–": "-", "—": "-", "×": "x", "≤": "<=", "≥": ">="}
_HANDLER = "everafter.nearest"


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
