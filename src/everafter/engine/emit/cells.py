"""Numbers in rows: cells of as many bits as their type has, in whole bytes."""

from __future__ import annotations

from everafter.engine.emit.writer import Writer
from everafter.program.layout import bytes_of
from everafter.program.storage import Width


def load(w: Writer, place: str, width: Width) -> str:
    """Return the number of `width` at the address `place`, by code of `w`."""
    return w.load(place, bytes_of(width), width.signed)


def keep(w: Writer, place: str, width: Width, value: str) -> None:
    """Store `value`, cut to `width`, at the address `place`, by code of `w`."""
    if width.bits not in (8, 16, 32):
        value = w.get(f"and i64 {value}, {(1 << width.bits) - 1}")
    w.store(place, value, bytes_of(width))


def cut(w: Writer, width: Width, value: str) -> str:
    """Return what is left of `value` in a cell of `width`, by code of `w`."""
    if not width.signed:
        return w.get(f"and i64 {value}, {(1 << width.bits) - 1}")
    low = w.get(f"trunc i64 {value} to i{width.bits}")
    return w.get(f"sext i{width.bits} {low} to i64")
