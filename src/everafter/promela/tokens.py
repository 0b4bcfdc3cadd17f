"""The words of a Promela text, each with its place."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from everafter.source import Diagnostic, MacroExpansion, Place, Source

TokenKind = Literal["name", "number", "char", "string", "op", "newline", "other", "end"]


class Token(NamedTuple):
    """One word. `line_start`: the first of its line; `spaced`: white space stands before it."""

    kind: TokenKind
    text: str
    place: Place
    line_start: bool = False
    spaced: bool = False
    hidden_macros: frozenset[str] = frozenset()

    def through(self, expansion: MacroExpansion) -> Token:
        """This token as it appears when `expansion` put it where it is."""
        place = _wrap(self.place, expansion)
        return Token(self.kind, self.text, place, self.line_start, self.spaced, self.hidden_macros)

    def moved(self, line_start: bool, spaced: bool, hidden_macros: frozenset[str]) -> Token:
        """Return this token as the text around it places it, after the macros `hidden_macros` have been replaced.

        `line_start` says that it is the first of its line, `spaced` that white space stands before it.
        """
        return Token(self.kind, self.text, self.place, line_start, spaced, hidden_macros)


def _wrap(place: Place, expansion: MacroExpansion) -> Place:
    """`place`, with `expansion` added at the outer end of its chain."""
    through = expansion
    if place.through is not None:
        step = place.through
        through = MacroExpansion(step.kind, step.name, _wrap(step.place, expansion))
    return Place(place.source, place.line, place.column, place.length, through)


_WORD = re.compile(
    r"""
    (?P<space>[ \t\f\v\r]+|\\\r?\n|\A\ufeff)
  | (?P<newline>\n)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<unclosed>/\*.*)
  | (?P<stray>\*/(?![/*]))
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>'(?:\\.|[^'\\\n])')
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<number>[0-9]+)
  | (?P<op>
        -->|<=<|>=>|!!=
      | <->|\.\.\.|::|->|--|\+\+|<<|<=|>>|>=|==|!=|!!|\?\?|&&|\|\||\.\.|\#\#
      | [-+*/%&|^~!?<>=:;,.(){}\[\]@\#]
    )
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)

# SPIN's scanner looks for the longer operator behind the shorter one, and so knows these spellings too.
_SPELLINGS = {"-->": "->", "<=<": "<<", ">=>": ">>", "!!=": "!="}

_KINDS: dict[str, TokenKind] = {
    "newline": "newline",
    "string": "string",
    "char": "char",
    "name": "name",
    "number": "number",
    "op": "op",
    "other": "other",
}


def scan(source: Source, problems: list[Diagnostic]) -> Iterator[Token]:
    """Yield the tokens of `source`, newlines among them (directives end there), comments left out.

    What cannot be read is added to `problems`.
    """
    line, line_begin = 1, 0
    line_start, spaced, continued = True, False, False
    for match in _WORD.finditer(source.text):
        group = match.lastgroup
        text = match.group()
        column = match.start() - line_begin + 1
        if group == "unclosed":
            place = Place(source, line, column, 2)
            problems.append(Diagnostic(place, "comment is not closed", "end it with '*/'"))
            break
        if group == "stray":
            place = Place(source, line, column, 2)
            problems.append(Diagnostic(place, "this '*/' closes no comment", "it is passed over", "warning"))
        kind = _KINDS.get(group or "")
        if text.startswith("\\") and group == "space":
            continued = True
        elif kind is None:
            spaced = True
        elif kind == "newline":
            yield Token(kind, text, Place(source, line, column), line_start)
            line_start, spaced, continued = True, False, False
        else:
            place = Place(source, line, column, len(text))
            # gcc breaks a line that goes on behind a backslash all the same, if there is white space to break it at.
            line_start = line_start or (continued and spaced)
            yield Token(kind, _SPELLINGS.get(text, text), place, line_start, spaced or continued)
            line_start, spaced, continued = False, False, False
        newlines = text.count("\n")
        if newlines:
            line += newlines
            line_begin = match.start() + text.rindex("\n") + 1
            # A comment over several lines ends the line for whatever follows it, as it does in the text
            # that a C preprocessor hands on.
            line_start = line_start or group == "comment"
    yield Token("newline", "\n", Place(source, line, len(source.text) - line_begin + 1), line_start)


def text_of(tokens: Sequence[Token]) -> str:
    """The tokens written out again, with single spaces where there was white space."""
    return "".join(
        (" " if position and (token.spaced or token.line_start) else "") + token.text
        for position, token in enumerate(tokens)
    )


def digest_of(tokens: Iterable[Token]) -> str:
    """A digest of the words, whatever stands between them. No word has a character 0."""
    return hashlib.sha256("\0".join(token.text for token in tokens).encode("utf-8", "surrogatepass")).hexdigest()
