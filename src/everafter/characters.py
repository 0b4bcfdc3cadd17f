"""Characters that a terminal obeys instead of showing them, and what is shown in their place.

A model, a formula or the name of a file may hold any character: those that move the cursor, change colours, ring the
bell, turn the direction of what follows or have no width could make a report say what it does not say. Each of them
is shown as one character of one column, so that carets still stand under what they point at.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_PICTURES: Final = 0x2400
"""From here on Unicode has a picture for each of the first 32 characters."""
_DELETE, _ITS_PICTURE = 0x7F, "␡"
_OTHER: Final = "�"
_FORMATS: Final = (
    "\x80-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_OBEYED: Final = f"[\x00-\x08\x0b-\x1f\x7f{_FORMATS}]"
_OBEYED_IN_A_LINE: Final = f"[\x00-\x1f\x7f{_FORMATS}]"
"""Patterns, compiled when they are needed: most texts are plain."""


def visible(text: str) -> str:
    """`text` with nothing in it that a terminal obeys, apart from line ends and tabs; its length is the same."""
    return text if _is_plain(text.replace("\n", "").replace("\t", "")) else re.sub(_OBEYED, _sign, text)


def visible_line(text: str) -> str:
    """`text` with nothing in it that a terminal obeys, on one line; its length is the same."""
    return text if _is_plain(text) else re.sub(_OBEYED_IN_A_LINE, _sign, text)


def _is_plain(text: str) -> bool:
    """Whether `text` is of printable ASCII characters alone."""
    return text.isascii() and text.isprintable()


def _sign(found: re.Match[str]) -> str:
    """What is shown in place of a character."""
    code = ord(found[0])
    if code == _DELETE:
        return _ITS_PICTURE
    return chr(_PICTURES + code) if code < ord(" ") else _OTHER


def columns(text: str) -> int:
    """How many columns of a terminal a visible text without tabs takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
