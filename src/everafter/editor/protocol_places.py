"""Places as the language server protocol says them."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlparse

from lsprotocol import types

from everafter.source import Place, Source


def path_of(address: str) -> str:
    """The path of a file by its address; the address itself of what is no file."""
    try:
        parts = urlparse(address)
    except ValueError:
        return address
    return unquote(parts.path) if parts.scheme == "file" else address


def address_of(path: str) -> str:
    """The address of a file by its path."""
    return Path(path).resolve().as_uri()


def range_of(source: Source, place: Place) -> types.Range:
    """Return `place` of `source` as the protocol says it: lines and columns from 0, in units of UTF-16."""
    line = source.line(place.line)
    start, end = place.column - 1, place.column - 1 + max(place.length, 1)
    return types.Range(
        types.Position(place.line - 1, _units(line[:start])), types.Position(place.line - 1, _units(line[:end]))
    )


def position_in(source: Source, position: types.Position) -> tuple[int, int]:
    """Return line and column, counted from 1, of `position` in `source`."""
    line = source.line(position.line + 1).encode("utf-16-le")[: 2 * position.character]
    return position.line + 1, len(line.decode("utf-16-le", errors="ignore")) + 1


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
