"""Numbers as C computes them: kept in 32 bits, and divided towards zero."""

from __future__ import annotations


def wrap(value: int) -> int:
    """A number as a C int keeps it."""
    return ((value + 0x80000000) & 0xFFFFFFFF) - 0x80000000


def quotient(left: int, right: int) -> int:
    """Return `left` divided by `right`, cut towards zero."""
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


def remainder(left: int, right: int) -> int:
    """Return what is left over of `left` divided by `right`; it has the sign of `left`."""
    return left - right * quotient(left, right)
