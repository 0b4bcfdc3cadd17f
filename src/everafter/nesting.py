"""Room for calls within calls: texts nest, and so do the functions that walk over what was read."""

from __future__ import annotations

import sys

DEEPEST = 10_000
"""How deep an expression may nest, by brackets or by operands: SPIN ends somewhere below."""
_ORDINARY = 20
_CALLS = 5000
_CALLS_FOR_A_LEVEL = 12


def make_room(levels: int) -> None:
    """Let functions call each other deeply enough for a text of `levels` levels.

    Ordinary texts need none. The room stays, as what was read does: every walk over it nests as deeply. That is for
    functions that call each other directly; what goes through the interpreter's own stack (generators within
    generators, `map`, `sum`) must not nest with the text.
    """
    needed = _CALLS + levels * _CALLS_FOR_A_LEVEL
    if levels > _ORDINARY and needed > sys.getrecursionlimit():
        sys.setrecursionlimit(needed)
