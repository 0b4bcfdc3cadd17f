"""How much work something is, counted and not timed: no other work on the machine disturbs the count."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def effort(action: Callable[[], object]) -> int:
    """The number of calls that an action makes, of functions in Python and in C, generators taken up again included."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        action()
    finally:
        sys.setprofile(before)
    return calls
