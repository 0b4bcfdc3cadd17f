"""Room for calls within calls: texts nest, and so do the functions that read them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_CALLS = 5000
"""Enough for the deepest nesting that the reader accepts, wherever it is called from."""


@contextmanager
def deep_calls() -> Iterator[None]:
    """Let functions call each other deeply enough for a nested text."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
