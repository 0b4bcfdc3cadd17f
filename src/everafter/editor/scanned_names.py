"""The variables that a text declares, found by its words alone, so that they are known while one types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from everafter.promela.cursor import KEYWORDS
from everafter.promela.declarations import BASIC_TYPES
from everafter.promela.tokens import Token, scan
from everafter.record import dataclass
from everafter.source import Diagnostic, Place, Source

_UNITS = {"proctype", "D_proctype", "init", "never", "trace", "notrace", "inline", "typedef", "ltl"}


@dataclass(frozen=True, slots=True)
class ScannedVariable:
    """A declared variable or field: its type, and from where to where its name can be seen."""

    name: str
    type: str
    place: Place
    owner: str | None
    """The unit, or the structure, in which it is declared; None for a variable of the model."""
    is_field: bool
    begin: tuple[int, int]
    end: tuple[int, int]


def code_words(source: Source) -> list[Token]:
    """The words of `source` without line ends and directives."""
    ignored: list[Diagnostic] = []
    line: list[Token] = []
    found: list[Token] = []
    for token in scan(source, ignored):
        if token.kind != "newline":
            line.append(token)
            continue
        if not line or line[0].text != "#":
            found += line
        line = []
    return found


def place_key(place: Place) -> tuple[int, int]:
    """Line and column of `place`, to be compared."""
    return place.line, place.column


_END = (1 << 30, 0)


def scanned_variables(source: Source) -> list[ScannedVariable]:
    """The variables and fields that `source` declares, in order."""
    words = code_words(source)
    types = {*BASIC_TYPES, *_structures(words)}
    found: list[ScannedVariable] = []
    for begin, end, unit, is_struct in _regions(words):
        last = place_key(words[end].place) if unit is not None and end < len(words) else _END
        for position in _declarations(words, begin, end, types, unit):
            closing = _end_of_scope(words, position, end)
            reach = min(last, place_key(words[closing].place)) if unit is not None and closing < len(words) else last
            for name in _names(words, position + 1, end):
                spot = place_key(name.place)
                found.append(ScannedVariable(name.text, words[position].text, name.place, unit, is_struct, spot, reach))
    return found


def _structures(words: Sequence[Token]) -> set[str]:
    return {name.text for word, name in pairwise(words) if word.text == "typedef"}


def _regions(words: Sequence[Token]) -> Iterator[tuple[int, int, str | None, bool]]:
    """The stretches of words in units, each with its name, and those between them."""
    position = begin = 0
    while position < len(words):
        word = words[position]
        if word.kind != "name" or word.text not in _UNITS:
            position += 1
            continue
        yield begin, position, None, False
        end = _closing(words, position)
        following = words[position + 1] if position + 1 < len(words) else word
        name = following.text if following.kind == "name" else word.text
        yield position + 1, end, name, word.text == "typedef"
        position = begin = end + 1
    yield begin, len(words), None, False


def _closing(words: Sequence[Token], position: int) -> int:
    """Where the braces that open next are closed; behind the last word if they never are."""
    depth = 0
    for number in range(position, len(words)):
        depth += (words[number].text == "{") - (words[number].text == "}")
        if words[number].text == "}" and depth <= 0:
            return number
        if number > position and words[number].line_start and words[number].text in _UNITS:
            return number - 1
    return len(words)


def _end_of_scope(words: Sequence[Token], position: int, end: int) -> int:
    """Where the block ends in which the word at `position` stands."""
    depth = 0
    for number in range(position, min(end, len(words))):
        depth += (words[number].text == "{") - (words[number].text == "}")
        if depth < 0:
            return number
    return end


def _declarations(words: Sequence[Token], begin: int, end: int, types: set[str], unit: str | None) -> Iterator[int]:
    """Where the types stand that begin a declaration."""
    for position in range(begin, min(end, len(words) - 1)):
        word, following = words[position], words[position + 1]
        is_type = word.kind == "name" and word.text in types
        if is_type and following.text == ":" and position + 3 < len(words):
            following = words[position + 3]
        if not is_type or following.kind != "name" or following.text in KEYWORDS or following.text == unit:
            continue
        yield position


def _names(words: Sequence[Token], position: int, end: int) -> Iterator[Token]:
    """The names of a declaration whose type stands before `position`."""
    if position < len(words) and words[position].text == ":":
        position += 2
    depth, expected = 0, True
    while position < min(end, len(words)):
        word = words[position]
        if depth == 0 and (word.text in (";", ")", "}", "->") or (word.line_start and not expected)):
            return
        depth += (word.text in ("[", "(", "{")) - (word.text in ("]", ")", "}"))
        if expected and word.kind == "name" and depth == 0:
            yield word
            expected = False
        elif depth == 0 and word.text == ",":
            expected = True
        position += 1
