"""How formulas and automata show themselves in notebooks. `logic` says it, as it stands above both."""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module


@singledispatch
def displayed(value: object) -> str:
    """Return the HTML for `value`: its `repr`, unless its class is registered."""
    return repr(value)


class Displayed:
    """An object that a notebook shows as `displayed` writes it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        import_module("everafter.ltl.logic")  # it registers the classes, and stands above them
        return displayed(self)
