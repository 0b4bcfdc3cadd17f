"""The words and signs of a formula, each with its place.

SPIN's and Spot's spellings share one alphabet. Which words are operators is decided by where they stand (see
`syntax`), so a proposition may be called `X1`, `Until` or even `M`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from everafter.record import dataclass
from everafter.source import Diagnostic, InputError, Place, Source

Kind: TypeAlias = Literal["word", "number", "quoted", "sign", "end"]
PlaceOf: TypeAlias = Callable[[int, int], Place]
"""The place of a stretch of the text, given where it starts and how long it is."""

_SIGNS = (
    "<->", "<=>", "[]", "<>", "->", "=>", "&&", "||", "/\\", "\\/", "==", "!=", "<=", ">=", "<<", ">>", "??",
    *"!~()[]{}<>&|^+-*/%.,:;@?=",
)  # fmt: skip
_PATTERN = re.compile(
    r"(?P<space>\s+|/\*.*?\*/)"
    r"|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<number>\d+|'(?:\\.|[^'\\\n])')"
    r'|(?P<quoted>"(?:\\.|[^"\\\n])*")'
    rf"|(?P<sign>{'|'.join(map(re.escape, _SIGNS))})",
    re.DOTALL | re.ASCII,
)
_GLUED = re.compile(r"([GFX]+)([a-z]\d*)?")


@dataclass(frozen=True, slots=True)
class FormulaToken:
    """A word, number, quoted proposition or sign, and the stretch of text it covers."""

    kind: Kind
    text: str
    start: int
    end: int

    def is_sign(self, *signs: str) -> bool:
        """Whether this is one of the given signs."""
        return self.kind == "sign" and self.text in signs


def places_in(source: Source) -> PlaceOf:
    """Places counted in a source text of its own."""

    def place(start: int, length: int) -> Place:
        before = source.text[:start]
        line = before.count("\n") + 1
        return Place(source, line, start - (before.rfind("\n") + 1) + 1, max(1, length))

    return place


def failure(place: Place, message: str, advice: str | None = None) -> InputError:
    """Return the error for one mistake in the text: its `place`, `message` and, if given, `advice`."""
    return InputError([Diagnostic(place, message, advice)])


def tokenize(text: str, place_of: PlaceOf, glued: bool = False) -> list[FormulaToken]:
    """Return the tokens of `text`, ended by one of kind `end`; `place_of` gives the place of each stretch.

    With `glued`, `GFp0` is read as `G F p0`, as Spot does. `GF(p)` is always read as `G F (p)`: no function of Promela
    has such a name.
    """
    tokens = [*_tokens(text, place_of), FormulaToken("end", "", len(text.rstrip()), len(text))]
    pieces: list[FormulaToken] = []
    for token, after in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        pieces += _unglue(token) if glued or after.is_sign("(") else (token,)
    return pieces


def _tokens(text: str, place_of: PlaceOf) -> Iterator[FormulaToken]:
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            raise _unreadable(text, position, place_of)
        match match.lastgroup:
            case "word" | "number" | "quoted" | "sign" as kind:
                yield FormulaToken(kind, match.group(), position, match.end())
            case _:
                pass
        position = match.end()


def _unreadable(text: str, position: int, place_of: PlaceOf) -> InputError:
    character = text[position]
    advice = None
    if character == '"':
        advice = 'a quoted proposition ends with a second " on the same line'
    elif character in "□◇◯∧∨¬→↔":
        advice = "write the operators in ASCII: [] <> X && || ! -> <->"
    return failure(place_of(position, 1), f"unexpected character {character!r}", advice)


def _unglue(token: FormulaToken) -> Iterator[FormulaToken]:
    match = _GLUED.fullmatch(token.text) if token.kind == "word" and len(token.text) > 1 else None
    if match is None:
        yield token
        return
    name = token.start + match.end(1)
    for offset, letter in enumerate(match[1]):
        yield FormulaToken("word", letter, token.start + offset, token.start + offset + 1)
    if match[2]:
        yield FormulaToken("word", match[2], name, token.end)
