"""How formulas and automata show themselves in notebooks. The library's `__init__` says it, as it stands above both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar


class Displayed:
    """An object that a notebook shows as `as_html` of its class writes it."""

    __slots__ = ()
    as_html: ClassVar[Callable[[Any], str]] = repr

    def _repr_html_(self) -> str:
        return type(self).as_html(self)
