"""What every word of a text and of the files it includes names, by its place: references, and what may be renamed."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from everafter.promela.cursor import KEYWORDS
from everafter.promela.mentions import Mention, MentionKind, ReadingRecord
from everafter.promela.parser import parse
from everafter.promela.references import PREDEFINED
from everafter.promela.tokens import Token, scan
from everafter.promela.units import ModelTree
from everafter.record import dataclass
from everafter.source import Diagnostic, InputError, Place, Source, Spot

WordKind = MentionKind | Literal["macro", "parameter"]
_RESERVED = KEYWORDS | {*PREDEFINED, "defined", "__LINE__", "__FILE__", "__VA_ARGS__"}
_DIRECTIVES = {
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "pragma", "line",
    "ident", "warning",
}  # fmt: skip


class Sense(NamedTuple):
    """What a word names. Words of the same sense name the same thing."""

    kind: WordKind
    name: str
    whose: Spot | str


class WrittenName(NamedTuple):
    """A word as it is written, the senses it has, and whether one of them is declared by it."""

    place: Place
    text: str
    senses: frozenset[Sense]
    is_declaration: bool = False


def spot_of(place: Place) -> Spot:
    """Where the words at `place` are written, whatever they stand for."""
    return Spot(place.source.name, place.line, place.column)


@dataclass(frozen=True)
class NameIndex:
    """The words of a text as it was read. `tree` is None if it has mistakes, of which `problem` is the first."""

    record: ReadingRecord
    tree: ModelTree | None
    problem: Diagnostic | None = None

    @cached_property
    def sources(self) -> dict[str, Source]:
        """The texts that were read, by the names of their files."""
        return {source.name: source for source in reversed(self.record.sources)}

    @cached_property
    def words(self) -> dict[Spot, WrittenName]:
        """All names that are written in the texts, by where they stand."""
        found: dict[Spot, WrittenName] = {}
        mentioned = self._mentioned()
        lines = [line for source in self.sources.values() for line in _lines(source)]
        macros = {line[2].text for line in lines if _is_definition(line)}
        for line in lines:
            for word, senses, is_declaration in _senses(line, macros):
                spot = spot_of(word.place)
                known = mentioned.get(spot, [])
                all_senses = frozenset(_sense(each) for each in known) or senses
                is_declared = is_declaration or any(each.is_declaration for each in known)
                found[spot] = WrittenName(word.place, word.text, all_senses, is_declared)
        return found

    def _mentioned(self) -> dict[Spot, list[Mention]]:
        found: dict[Spot, list[Mention]] = {}
        for mention in self.record.mentions:
            found.setdefault(spot_of(mention.place), []).append(mention)
        return found

    @cached_property
    def _by_sense(self) -> dict[Sense, list[Spot]]:
        found: dict[Sense, list[Spot]] = {}
        for mention in self.record.mentions:
            found.setdefault(_sense(mention), []).append(spot_of(mention.place))
        for spot, word in self.words.items():
            for sense in word.senses:
                found.setdefault(sense, []).append(spot)
        return found

    def at(self, file: str, line: int, column: int) -> WrittenName | None:
        """Return the word of `file` that covers `column` of `line`, or ends there."""
        best = None
        for spot, word in self.words.items():
            if spot.file == file and spot.line == line and spot.column <= column <= spot.column + len(word.text):
                best = word
        return best

    def same(self, word: WrittenName) -> tuple[frozenset[Sense], frozenset[Spot]]:
        """Return all senses that hang together with those of `word`, and everywhere that a word has one of them.

        A word in an inline or a macro may name one thing here and another there: these hang together.
        """
        senses, spots = set(word.senses), {spot_of(word.place)}
        pending = list(senses)
        while pending:
            for spot in self._by_sense.get(pending.pop(), ()):
                spots.add(spot)
                known = self.words.get(spot)
                new = (known.senses if known is not None else frozenset()) - senses
                senses |= new
                pending += new
        return frozenset(senses), frozenset(spots)

    def unread(self, name: str) -> list[WrittenName]:
        """The words `name` that were not read: behind a condition, in a macro or an inline that is not used."""
        return [word for word in self.words.values() if word.text == name and not word.senses]

    def senses_named(self, name: str) -> set[Sense]:
        """All that is called `name`."""
        return {sense for sense in self._by_sense if sense.name == name}


def index_of(
    source: Source,
    defines: Mapping[str, str],
    folders: Sequence[Path],
    unsaved: Mapping[str, str],
) -> NameIndex:
    """Read `source` with the macros `defines` and the files in `folders`, of which `unsaved` has newer texts."""
    record = ReadingRecord(unsaved)
    try:
        tree, _ = parse(source, defines, (), folders, record)
    except InputError as error:
        return NameIndex(record, None, error.diagnostics[0])
    return NameIndex(record, tree)


def canonical(path: str) -> str:
    """The path of a file without detours, by which its unsaved text is known."""
    return os.path.realpath(path)


def _sense(mention: Mention) -> Sense:
    whose = mention.whose
    return Sense(mention.kind, mention.name, whose if isinstance(whose, str) else spot_of(whose))


def _lines(source: Source) -> Iterator[list[Token]]:
    ignored: list[Diagnostic] = []
    line: list[Token] = []
    for token in scan(source, ignored):
        if token.kind == "newline":
            yield line
            line = []
        else:
            line.append(token)


def _is_directive(line: Sequence[Token]) -> bool:
    return len(line) > 1 and line[0].text == "#" and line[0].line_start


def _is_definition(line: Sequence[Token]) -> bool:
    return len(line) > 2 and _is_directive(line) and line[1].text == "define" and line[2].kind == "name"


def _parameters(line: Sequence[Token]) -> frozenset[str]:
    """The parameters of the macro that a line defines."""
    if not _is_definition(line) or len(line) < 4 or line[3].text != "(" or line[3].spaced:
        return frozenset()
    closing = next((number for number, word in enumerate(line) if word.text == ")"), len(line))
    return frozenset(word.text for word in line[4:closing] if word.kind == "name")


def _senses(line: Sequence[Token], macros: Iterable[str]) -> Iterator[tuple[Token, frozenset[Sense], bool]]:
    """The names in a line, each with what its spelling alone says that it is, and whether it is declared there."""
    parameters = _parameters(line)
    is_definition = _is_definition(line)
    skipped = 2 if _is_directive(line) and line[1].text in _DIRECTIVES else 0
    if skipped and line[1].text in ("include", "error", "pragma", "line", "ident", "warning"):
        return
    for position, word in enumerate(line[skipped:], skipped):
        if word.kind != "name":
            continue
        if is_definition and position > 2 and word.text in parameters:
            sense = Sense("parameter", word.text, spot_of(line[2].place))
            yield word, frozenset((sense,)), position < line.index(_closing(line))
        elif word.text in macros:
            yield word, frozenset((Sense("macro", word.text, ""),)), is_definition and position == 2
        elif word.text not in _RESERVED:
            yield word, frozenset(), False


def _closing(line: Sequence[Token]) -> Token:
    return next((word for word in line if word.text == ")"), line[-1])
