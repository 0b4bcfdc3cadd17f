"""Who calls whom in the text of a model's code."""

from __future__ import annotations

import re

_HEAD = re.compile(r"^define [^@]*@(\w+)\(", re.MULTILINE)
_CALL = re.compile(r"\bcall [^@]*@([\w.]+)\(")


def calls_in(text: str) -> dict[str, set[str]]:
    """For every function those that it calls; none of those that LLVM has itself."""
    _, *found = _HEAD.split(text)
    bodies = dict(zip(found[::2], found[1::2], strict=True))
    calls = {name: set(_CALL.findall(body)) for name, body in bodies.items()}
    unknown = set().union(*calls.values()) - calls.keys()
    assert all(name.startswith("llvm.") for name in unknown), unknown
    return {name: called & calls.keys() for name, called in calls.items()}


def cyclic(calls: dict[str, set[str]]) -> set[str]:
    """The functions that are left when, again and again, those that call nobody are taken out."""
    left = dict(calls)
    while finished := {name for name, called in left.items() if not called & left.keys()}:
        left = {name: called for name, called in left.items() if name not in finished}
    return set(left)
