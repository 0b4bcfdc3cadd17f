"""Places in a text, and errors that point at them.

Every message about a user's input is a `Diagnostic`: a place (file, line, column, reached through which
includes, macros and inlines), a sentence, and advice where there is any. Nothing here knows Promela or LTL.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple

from everafter.characters import columns, visible, visible_line
from everafter.record import dataclass, field


@dataclass(frozen=True, eq=False)
class Source:
    """A named text: a file, or a string given on the command line."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines of the text, without their line ends."""
        return tuple(self.text.split("\n"))

    def line(self, number: int) -> str:
        """Line `number`, counted from 1; empty when there is none."""
        return self.lines[number - 1].rstrip("\r") if 0 < number <= len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class MacroExpansion:
    """How a text came to stand where it is: included, or put in place of a macro's or an inline's name."""

    kind: Literal["include", "macro", "inline"]
    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece of text is written, and through which expansion it got there."""

    source: Source
    line: int
    column: int
    length: int = 1
    through: MacroExpansion | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{visible_line(self.source.name)}:{self.line}:{self.column}"

    def chain(self) -> Iterator[MacroExpansion]:
        """The expansions that lead here, innermost first."""
        step = self.through
        while step is not None:
            yield step
            step = step.place.through

    def seen_at(self) -> Place:
        """The place in the text the user sees: where the outermost macro or inline was called."""
        seen = self
        for step in self.chain():
            if step.kind != "include":
                seen = step.place
        return seen


class Spot(NamedTuple):
    """Where a statement stands in the text that the user sees."""

    file: str
    line: int
    column: int

    @staticmethod
    def of(place: Place) -> Spot:
        """The spot of a place: where the outermost macro or inline was called."""
        seen = place.seen_at()
        return Spot(seen.source.name, seen.line, seen.column)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing wrong with the input, said at its place."""

    place: Place
    message: str
    advice: str | None = None
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {visible_line(self.message)}"

    def render(self) -> str:
        """The message with the source line, a caret under the place, the way there, and advice."""
        parts = [str(self), *_excerpt(self.place)]
        for step in self.place.chain():
            said = "included from" if step.kind == "include" else f"in {step.kind} '{visible_line(step.name)}' used at"
            parts.append(f"  {said} {step.place}")
            parts += _excerpt(step.place)
        if self.advice:
            parts.append(f"  help: {visible_line(self.advice)}")
        return "\n".join(parts)


def _excerpt(place: Place) -> list[str]:
    """The source line of a place with carets under it."""
    line = visible(place.source.line(place.line))
    if not line.strip():
        return []
    start = min(place.column - 1, len(line))
    width = max(1, min(place.length, len(line) - start))
    # Tabs are kept in the margin so that the carets stand under the text whatever a tab's width is.
    margin = "".join(character if character == "\t" else " " * columns(character) for character in line[:start])
    carets = "^" * max(1, columns(line[start : start + width]))
    number = f"{place.line:>5} | "
    return [f"{number}{line}", f"{' ' * (len(number) - 2)}| {margin}{carets}"]


class EverafterError(Exception):
    """Everything that everafter raises on purpose. docs/api.md draws the whole tree."""


class InputError(EverafterError):
    """The user's input is wrong. Carries every diagnostic found, not only the first."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(map(str, self.diagnostics)))

    def render(self) -> str:
        """All messages, in the order of the text."""
        return "\n".join(diagnostic.render() for diagnostic in self.diagnostics)


class OptionError(EverafterError, ValueError):
    """An option, or an argument from Python, that has no meaning. `advice` says what has."""

    def __init__(self, message: str, advice: str | None = None) -> None:
        super().__init__(message if advice is None else f"{message}; {advice}")
        self.message = message
        self.advice = advice


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the advice "did you mean …?" for a misspelt `name`, if one of `candidates` is near enough."""
    import difflib  # noqa: PLC0415 # few commands have mistakes

    matches = difflib.get_close_matches(name, list(candidates), n=3, cutoff=0.6)
    swapped = (each for each in matches if sorted(each) == sorted(name))  # two letters in the wrong order
    return f"did you mean '{next(swapped, matches[0])}'?" if matches else None


def check_output(path: str | Path, inputs: Iterable[str | Path | None]) -> None:
    """Raise OptionError if the file at `path`, which is to be written, is one of `inputs`, which are read."""
    if any(each is not None and _is_same(path, each) for each in inputs):
        raise OptionError(f"{path} is read, and would be overwritten", "name another file for what is written")


def check_apart(paths: Iterable[str | Path | None]) -> None:
    """Raise OptionError if two of `paths`, which are to be written, mean one file; None is no path."""
    named = [each for each in paths if each is not None and (os.path.isfile(each) or not os.path.exists(each))]
    for one, other in combinations(named, 2):
        if _is_same(one, other) or os.path.realpath(one) == os.path.realpath(other):
            raise OptionError(f"{other} would be written twice, and only the last of it be kept", "name two files")


def _is_same(one: str | Path, other: str | Path) -> bool:
    """Whether two names mean one file, which is there."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # the latter of names that no file can have
        return False


def read_source(path: str | Path) -> Source:
    """The text of a file, or of the standard input if that is `-`. Raises InputError if it cannot be read."""
    name = str(path)
    if name == "-":
        return Source("<standard input>", sys.stdin.buffer.read().decode("utf-8", errors="replace"))
    try:
        return Source(name, Path(path).read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError) as error:  # the latter of names that no file can have
        why = getattr(error, "strerror", None) or error
        raise InputError([Diagnostic(Place(Source(name, ""), 1, 1), f"cannot read this file: {why}")]) from error
