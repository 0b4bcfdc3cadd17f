"""The messages of an editor: bytes in, texts of whole messages out.

A message is a heading, lines of `Name: value` and an empty one, and a body of as many bytes as the heading says.
What an editor announces is not believed: a body takes as much memory as has arrived of it, and no more than MOST.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from everafter.source import OptionError

MOST: Final = 1 << 26
"""Bytes of a body: a text that is open in an editor is far shorter."""
_MOST_HEADING: Final = 1 << 13
_PIECE: Final = 1 << 16
_LENGTH: Final = b"content-length"


class MessageError(OptionError):
    """What has arrived is no message, and where the next one begins cannot be known."""


class Messages:
    """The messages in a stream of bytes. `receive` returns at most as many bytes of it as wanted; none at its end."""

    def __init__(self, receive: Callable[[int], bytes]) -> None:
        self._receive = receive
        self._read = bytearray()

    def next(self) -> bytes | None:
        """The body of the next message; None at the end of the stream. Raises MessageError."""
        heading = self._heading()
        if heading is None:
            return None
        length = _length(heading)
        while len(self._read) < length:
            self._more(length - len(self._read))
        body = bytes(self._read[:length])
        del self._read[:length]
        return body

    def _heading(self) -> bytes | None:
        """The lines before a body; None at the end of the stream."""
        while (end := self._read.find(b"\r\n\r\n")) < 0:
            if len(self._read) > _MOST_HEADING:
                raise MessageError("the editor has sent a heading without an end")
            piece = self._receive(_PIECE)
            if not piece and not self._read.strip():
                return None
            self._take(piece)
        heading = bytes(self._read[:end])
        del self._read[: end + 4]
        return heading

    def _more(self, count: int) -> None:
        self._take(self._receive(min(count, _PIECE)))

    def _take(self, piece: bytes) -> None:
        if not piece:
            raise MessageError("the editor has gone in the middle of a message")
        self._read += piece


def _length(heading: bytes) -> int:
    """How long the body is that follows a heading."""
    for line in heading.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == _LENGTH:
            digits = value.strip()
            if not digits.isdigit():
                raise MessageError(f"the editor has announced a message of {_shown(digits)} bytes")
            if len(digits) > len(str(MOST)) or int(digits) > MOST:
                raise MessageError(f"the editor has announced a message of {_shown(digits)} bytes, above {MOST:,}")
            return int(digits)
    raise MessageError("the editor has sent a heading without Content-Length")


def _shown(value: bytes) -> str:
    text = value.decode("ascii", errors="replace")
    return repr(text if len(text) <= 40 else f"{text[:40]}…")
