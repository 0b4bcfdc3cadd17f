"""Public names of a package that are loaded when the first of them is used.

What is inside everafter imports the modules themselves: a command loads what it needs, and no guard of arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any


def names_from(module: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose public names are those of `module`."""

    def loaded(name: str) -> Any:
        return getattr(import_module(module), name)

    return loaded, lambda: list(loaded("__all__"))
