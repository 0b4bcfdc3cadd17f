"""How formulas and automata show themselves in notebooks. The library's `__init__` says it, as it stands above both."""

from __future__ import annotations

from functools import singledispatch


@singledispatch
def displayed(value: object) -> str:
    """Return the HTML for `value`: its `repr`, unless its class is registered."""
    return repr(value)


class Displayed:
    """An object that a notebook shows as `displayed` writes it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return displayed(self)
