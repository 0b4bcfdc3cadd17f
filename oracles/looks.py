"""Checks by engines that expand whole levels, without the look of the native engine that comes before."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

from everafter.questions import plan


def without_look() -> AbstractContextManager[Any]:
    """Let plans begin with no look for what lies deep: then it is the engine itself that finds a violation."""
    return patch.object(plan, "QUICK_LOOK", 0)
