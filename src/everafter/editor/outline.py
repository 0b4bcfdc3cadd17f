"""The names that a text declares, found by its words alone, so that there is an outline while one types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from everafter.promela.tokens import Token, scan
from everafter.record import dataclass
from everafter.source import Diagnostic, Place, Source

NameKind = Literal["macro", "proctype", "init", "never", "trace", "inline", "typedef", "ltl", "mtype", "label"]
_UNITS: dict[str, NameKind] = {
    "proctype": "proctype",
    "D_proctype": "proctype",
    "init": "init",
    "never": "never",
    "trace": "trace",
    "notrace": "trace",
    "inline": "inline",
    "typedef": "typedef",
    "ltl": "ltl",
}
_BEFORE_LABEL = {";", "{", "}", "::", "->", ":"}


@dataclass(frozen=True, slots=True)
class DeclaredName:
    """A declared name: what it names, where, in which unit, and where the text of its unit ends."""

    name: str
    kind: NameKind
    place: Place
    end: Place
    unit: str | None = None
    """The unit that a label belongs to."""

    @property
    def begins_unit(self) -> bool:
        """Whether it is the name of a part of the model with a body of its own."""
        return self.kind not in ("macro", "mtype", "label")


def outline(source: Source) -> list[DeclaredName]:
    """The names that the text declares, in order. Variables are not among them: what they are takes a parser."""
    ignored: list[Diagnostic] = []
    words = list(scan(source, ignored))
    return [*_macros(words), *_declared([word for word in words if word.kind != "newline"])]


def assertion_lines(source: Source) -> list[int]:
    """The lines in which an assertion begins."""
    ignored: list[Diagnostic] = []
    return sorted({word.place.line for word in scan(source, ignored) if word.text == "assert"})


def _macros(words: Sequence[Token]) -> Iterator[DeclaredName]:
    for position, word in enumerate(words[:-2]):
        if word.text == "#" and word.line_start and words[position + 1].text == "define":
            name = words[position + 2]
            last = position + 2
            while last + 1 < len(words) and words[last + 1].kind != "newline":
                last += 1
            yield DeclaredName(name.text, "macro", name.place, words[last].place)


def _declared(words: Sequence[Token]) -> Iterator[DeclaredName]:
    """Units, the labels in them, and the names of mtype declarations."""
    position = 0
    while position < len(words):
        word = words[position]
        if word.kind == "name" and word.text in _UNITS:
            end = _end_of_block(words, position)
            unit = _unit(words, position, words[end].place)
            yield unit
            if unit.kind in ("proctype", "init", "never", "inline"):
                yield from _labels(words[position : end + 1], unit.name)
            position = end
        elif word.text == "mtype":
            yield from _mtypes(words, position)
        position += 1


def _unit(words: Sequence[Token], position: int, end: Place) -> DeclaredName:
    """The unit that begins at a position; one without a name has that of its keyword."""
    word = words[position]
    following = words[position + 1] if position + 1 < len(words) else word
    named = following if following.kind == "name" else word
    return DeclaredName(named.text, _UNITS[word.text], named.place, end)


def _end_of_block(words: Sequence[Token], position: int) -> int:
    """Where the braces that open next are closed; the last word if they never are."""
    depth = 0
    for number in range(position, len(words)):
        if words[number].text == "{":
            depth += 1
        elif words[number].text == "}":
            depth -= 1
            if depth <= 0:
                return number
    return len(words) - 1


def _labels(words: Sequence[Token], unit: str) -> Iterator[DeclaredName]:
    for before, word, behind in zip(words, words[1:], words[2:], strict=False):
        if word.kind == "name" and behind.text == ":" and (before.text in _BEFORE_LABEL or word.line_start):
            yield DeclaredName(word.text, "label", word.place, word.place, unit)


def _mtypes(words: Sequence[Token], position: int) -> Iterator[DeclaredName]:
    """The names in `mtype = { … }` or `mtype:kind = { … }`."""
    opening = next((n for n in range(position, min(position + 5, len(words))) if words[n].text == "{"), None)
    if opening is None or words[opening - 1].text != "=":
        return
    for word in words[opening + 1 : _end_of_block(words, opening)]:
        if word.kind == "name":
            yield DeclaredName(word.text, "mtype", word.place, word.place)
