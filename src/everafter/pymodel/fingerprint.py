"""A digest of what a model means: the same for models that differ in spaces, comments and names of files only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Any

from everafter.promela.model import Variable, Within
from everafter.record import fields, is_dataclass
from everafter.source import Place

_LEFT_OUT = ("place", "text")


def fingerprint(parts: Iterable[object]) -> str:
    """Return a digest of `parts` of a tree, without places, texts and names in errors; variables differ by place."""
    words: list[str] = []
    _add_words(tuple(parts), {}, words)
    return hashlib.sha256("".join(f"{word}\0" for word in words).encode("utf-8", "surrogatepass")).hexdigest()


def _add_words(part: object, known: dict[Variable, int], words: list[str]) -> None:
    if isinstance(part, Variable):
        is_new = part not in known
        words.append(f"variable {known.setdefault(part, len(known))}")
        if not is_new:
            return
    if isinstance(part, tuple):
        words.append(f"{len(part)} of")
        for each in part:
            _add_words(each, known, words)
    elif not isinstance(part, type | Place) and (names := _fields(type(part))) is not None:  # type: ignore[arg-type] # classes can be keys
        words.append(type(part).__name__)
        for name in names:
            _add_words(getattr(part, name), known, words)
    else:
        words.append(repr(part) if isinstance(part, str | int | None) else str(part))


@cache
def _fields(kind: Any) -> tuple[str, ...] | None:
    """The names of what distinguishes values of a class of the tree; None of another class."""
    left_out = (*_LEFT_OUT, "name") if kind is Within else _LEFT_OUT
    return tuple(each.name for each in fields(kind) if each.name not in left_out) if is_dataclass(kind) else None
