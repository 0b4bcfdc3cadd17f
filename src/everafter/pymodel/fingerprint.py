"""A digest of what a model means: the same for models that differ in spaces, comments and names of files only."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from everafter.promela.model import Variable, Within
from everafter.source import Place

_LEFT_OUT = ("place", "text")


def fingerprint(parts: Iterable[object]) -> str:
    """Return a digest of `parts` of a tree, without places, texts and names in errors; variables differ by place."""
    digest = hashlib.sha256()
    known: dict[Variable, int] = {}
    for word in _words(tuple(parts), known):
        digest.update(word.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _words(part: object, known: dict[Variable, int]) -> Iterator[str]:
    if isinstance(part, Variable):
        is_new = part not in known
        yield f"variable {known.setdefault(part, len(known))}"
        if not is_new:
            return
    if isinstance(part, tuple):
        yield f"{len(part)} of"
        for each in part:
            yield from _words(each, known)
    elif is_dataclass(part) and not isinstance(part, type | Place):
        yield type(part).__name__
        for each in fields(part):
            if each.name not in _LEFT_OUT and not (each.name == "name" and isinstance(part, Within)):
                yield from _words(getattr(part, each.name), known)
    else:
        yield repr(part) if isinstance(part, str | int | None) else str(part)
