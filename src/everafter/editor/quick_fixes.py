"""What a mistake's advice says to write instead, as a change of the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from everafter.record import dataclass
from everafter.source import Diagnostic, Place

_MEANT = re.compile(r"did you mean '(\w+)'\?")
_QUOTED = re.compile(r"'(\w+)'")


@dataclass(frozen=True, slots=True)
class QuickFix:
    """Write `new` at `place`, where the mistake `problem` is."""

    problem: Diagnostic
    place: Place
    new: str


def quick_fixes(problems: Iterable[Diagnostic]) -> Iterator[QuickFix]:
    """Yield what can be written instead, for those of `problems` that know it."""
    for problem in problems:
        meant = _MEANT.fullmatch(problem.advice or "")
        place = _misspelt(problem) if meant else None
        if meant and place is not None:
            yield QuickFix(problem, place, meant[1])


def _misspelt(problem: Diagnostic) -> Place | None:
    """Where the word is written that the message names, if it is written where the message points."""
    place = problem.place
    line = place.source.line(place.line)
    for quoted in _QUOTED.finditer(problem.message):
        for found in re.finditer(rf"\b{quoted[1]}\b", line):
            if place.column - 1 <= found.start() < place.column - 1 + max(place.length, 1):
                return Place(place.source, place.line, found.start() + 1, len(quoted[1]), place.through)
    return None
