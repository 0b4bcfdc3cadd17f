"""Laying a text out anew: indentation, and spaces between words. Line ends, comments and directives stay as they are.

A line end may be a semicolon, so none is added or taken away; spaces that align columns are the author's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from everafter.promela.cursor import KEYWORDS
from everafter.promela.preprocess import preprocess_keeping_macros
from everafter.promela.tokens import Token, scan
from everafter.record import dataclass, field
from everafter.source import Diagnostic, Source

_CLOSING = {"{": "}", "(": ")", "[": "]", "if": "fi", "do": "od"}
_BINARY = {"=", "==", "!=", "<=", ">=", "&&", "||", "->", "<->"}
_GOES_ON = _BINARY - {"->"} | {"+", "*", "/", "%", "|", "^", "<<", ">>", "<", ">"}
_OPTION = 3
"""How far the statements of an option stand behind its `::`."""


@dataclass(frozen=True, slots=True)
class Margins:
    """How far blocks are indented, by spaces or tabs of that width."""

    width: int = 4
    by_spaces: bool = True

    def margin(self, columns: int) -> str:
        """White space that is `columns` wide."""
        if self.by_spaces:
            return " " * columns
        return "\t" * (columns // self.width) + " " * (columns % self.width)

    def columns(self, line: str) -> int:
        """How wide the white space is that begins `line`."""
        blank = line[: len(line) - len(line.lstrip(" \t"))]
        return len(blank.expandtabs(self.width))


@dataclass(slots=True)
class _Open:
    """A bracket, a choice or a loop that is not closed yet, and the columns of what is in it."""

    opening: str
    column: int
    inner: int
    is_formula: bool = False


@dataclass(slots=True)
class _Line:
    """A line of the text with its words; a line of comments has none."""

    text: str
    words: list[Token] = field(default_factory=list)
    is_fixed: bool = False
    """Whether it belongs to a directive."""
    is_inside: bool = False
    """Whether it begins inside a comment."""


def formatted(source: Source, style: Margins, defines: Mapping[str, str], folders: Sequence[Path] = ()) -> str:
    """Return the text of `source` laid out in this `style`.

    It is read with the macros `defines` and files in `folders`, to make sure that it means the same: where spaces
    have a meaning, as among what a macro makes text of, only the margins change, or nothing does.
    """
    wanted = _reading(source, defines, folders)
    for is_spaced in (True, False):
        text = _laid_out(source, style, is_spaced)
        if _reading(Source(source.name, text), defines, folders) == wanted:
            return text
    return source.text


def _reading(source: Source, defines: Mapping[str, str], folders: Sequence[Path]) -> list[tuple[str, bool]]:
    """The words as they are written, and as the preprocessor leaves them, each with whether it begins a line."""
    ignored: list[Diagnostic] = []
    expanded, _ = preprocess_keeping_macros(source, defines, ignored, (), folders)
    written = (word for word in scan(source, ignored) if word.kind != "newline")
    return [(word.text, word.line_start) for word in (*written, *expanded)]


def _laid_out(source: Source, style: Margins, is_spaced: bool) -> str:
    lines = _lines(source)
    columns = _columns(lines, style)
    result = []
    shift = 0
    for line, column in zip(lines, columns, strict=True):
        ending = "\r" if line.text.endswith("\r") else ""
        text = line.text.removesuffix("\r")
        if line.is_fixed:
            result.append(line.text)
            continue
        if line.is_inside:
            column = max(style.columns(text) + shift, 0)  # noqa: PLW2901 # a comment moves as a whole
        else:
            shift = column - style.columns(text)
        body = (_spaced(line) if is_spaced else text).strip(" \t")
        result.append((style.margin(column) + body if body else "") + ending)
    text = "\n".join(result)
    return text if not text or text.endswith("\n") else text + "\n"


def _lines(source: Source) -> list[_Line]:
    """The lines, each with the words that begin in it."""
    lines = [_Line(text) for text in source.lines]
    ignored: list[Diagnostic] = []
    first: Token | None = None
    for token in scan(source, ignored):
        if token.kind == "newline":
            begin = first.place.line if first is not None else token.place.line
            if first is not None and first.text == "#":
                for number in range(begin, token.place.line + 1):
                    lines[number - 1].is_fixed = True
            first = None
            continue
        lines[token.place.line - 1].words.append(token)
        first = first or token
    for number in _continued(source):
        lines[number - 1].is_fixed = True
    for number in _inside_comments(source):
        lines[number - 1].is_inside = True
    return lines


def _continued(source: Source) -> Iterator[int]:
    """The lines that a backslash ends, and those behind them."""
    for number, line in enumerate(source.lines, 1):
        if line.rstrip("\r").endswith("\\"):
            yield number
            if number < len(source.lines):
                yield number + 1


def _inside_comments(source: Source) -> Iterator[int]:
    """The lines that begin inside a comment."""
    inside = False
    for number, line in enumerate(source.lines, 1):
        if inside:
            yield number
        position = 0
        while position < len(line):
            if inside:
                end = line.find("*/", position)
                inside, position = end < 0, (len(line) if end < 0 else end + 2)
            elif line.startswith("//", position):
                break
            elif line.startswith("/*", position):
                inside, position = True, position + 2
            elif line[position] in "\"'":
                position = _behind_quote(line, position)
            else:
                position += 1


def _behind_quote(line: str, position: int) -> int:
    """Where a string or a character ends that begins at `position`; one that is not closed is a sign of its own."""
    quote, end = line[position], position + 1
    while end < len(line) and line[end] != quote:
        end += 2 if line[end] == "\\" else 1
    is_character = quote == '"' or end - position == 2 + (line[position + 1 : position + 2] == "\\")
    return end + 1 if end < len(line) and is_character else position + 1


# Margins


def _columns(lines: Sequence[_Line], style: Margins) -> list[int]:
    """Where each line begins."""
    opened: list[_Open] = []
    found: list[int] = []
    comments: list[int] = []
    last: Token | None = None
    shift = 0
    for number, line in enumerate(lines):
        found.append(style.columns(line.text))
        if line.is_fixed or line.is_inside:
            last = line.words[-1] if line.words and not line.is_fixed else last
            _follow(opened, line.words if not line.is_fixed else [], found[-1], style)
            continue
        if not line.words:
            if line.text.strip():
                comments.append(number)
            continue
        column = _column(opened, line, last, found[-1] + shift)
        shift = column - found[-1]
        found[-1] = column
        inner = opened[-1].inner if opened else 0
        for comment in comments:
            found[comment] = max(column, inner) if line.words[0].text in _CLOSING.values() else column
        comments = []
        is_option = line.words[0].text == "::"
        base = inner if _is_label(line) else column
        _follow(opened, line.words, base + (_OPTION if is_option else 0), style)
        last = line.words[-1]
    return found


def _column(opened: list[_Open], line: _Line, last: Token | None, moved: int) -> int:
    """Where a line begins: as its block says, or, if it goes on with the line before, `moved` as that was."""
    first = line.words[0]
    block = opened[-1] if opened else None
    if block is not None and first.text == _CLOSING[block.opening] and block.opening not in ("(", "["):
        return block.column
    goes_on = last is not None and last.text in _GOES_ON and last.kind == "op"
    starts_on = first.kind == "op" and first.text in _GOES_ON | {"->"}
    if block is not None and (block.opening in ("(", "[") or block.is_formula):
        return max(moved, 0)
    if block is not None and first.text == "::" and block.opening in ("if", "do"):
        return block.column
    if goes_on or starts_on:
        return max(moved, 0)
    if _is_label(line):
        return next((each.column for each in opened if each.opening == "{"), 0)
    return block.inner if block is not None else 0


def _is_label(line: _Line) -> bool:
    words = line.words
    return len(words) > 1 and words[0].kind == "name" and words[0].text not in KEYWORDS and words[1].text == ":"


def _follow(opened: list[_Open], words: Sequence[Token], column: int, style: Margins) -> None:
    """Open and close what the words of a line do, whose statements begin at `column`."""
    for position, word in enumerate(words):
        if word.kind not in ("name", "op"):
            continue
        if word.text in _CLOSING:
            inner = column + (_OPTION if word.text in ("if", "do") else style.width)
            is_formula = words[0].text == "ltl" and word.text == "{" and position < 3
            outer = opened[-1].is_formula if opened else False
            opened.append(_Open(word.text, column, inner, is_formula or outer))
        elif any(word.text == _CLOSING[each.opening] for each in opened):
            while _CLOSING[opened.pop().opening] != word.text:
                pass


# Spaces


def _spaced(line: _Line) -> str:
    """The line with spaces where they belong: none is taken away but before `;` and `,`."""
    text = line.text.removesuffix("\r")
    pieces: list[str] = []
    position = 0
    for before, word in zip([None, *line.words], line.words, strict=False):
        begin = word.place.column - 1
        gap = text[position:begin]
        if before is not None and not gap.strip(" \t"):
            gap = _gap(before, word, gap)
        pieces += [gap, text[begin : begin + word.place.length]]
        position = begin + word.place.length
    return "".join(pieces) + text[position:]


def _gap(before: Token, word: Token, gap: str) -> str:
    """What stands between two words with only `gap` between them now."""
    if word.text in (";", ",") and word.kind == "op":
        return "" if before.text not in (";", ",", "{", "->", "::") else gap
    if gap or "string" in (before.kind, word.kind):
        return gap or (" " if before.text in (",", ";") else "")
    texts = {before.text, word.text}
    if before.text in (",", ";", "::", "{") or texts & _BINARY or word.text == "}":
        return "" if {"{", "}"} == texts else " "
    return " " if word.text == "{" and (before.kind == "name" or before.text == ")") else ""
