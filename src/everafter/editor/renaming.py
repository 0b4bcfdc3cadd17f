"""Giving a thing another name everywhere, or saying why not: the text is read again, and must mean the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from everafter.editor.name_index import NameIndex, Sense, WrittenName, canonical, index_of, spot_of
from everafter.editor.shared_names import Reading, Reread, by_path, same_everywhere
from everafter.ltl.formula import Atom, Formula
from everafter.ltl.formula_parser import parse_at
from everafter.ltl.formula_text import text_of
from everafter.promela.cursor import KEYWORDS
from everafter.promela.mentions import Mention
from everafter.promela.propositions import place_in
from everafter.promela.references import PREDEFINED
from everafter.promela.units import Formula as FormulaText
from everafter.record import dataclass, replace
from everafter.source import InputError, OptionError, Place, Source, Spot

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_MEANING = ("end", "accept", "progress")
"""What labels begin with that mean something."""


_WITH_ARTICLE = {"label": "a label", "macro": "a macro", "mtype": "an mtype name", "subtype": "an mtype of its own"}


class RenameRefused(OptionError):
    """A name cannot be changed to another without a change of meaning."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """Words to be replaced by another, `new`."""

    old: str
    new: str
    senses: frozenset[Sense]
    places: tuple[Place, ...]

    def applied(self) -> dict[str, str]:
        """The texts that it changes, by their files."""
        texts: dict[str, list[str]] = {}
        for place in sorted(self.places, key=spot_of, reverse=True):
            lines = texts.setdefault(place.source.name, list(place.source.lines))
            line = lines[place.line - 1]
            lines[place.line - 1] = line[: place.column - 1] + self.new + line[place.column - 1 + len(self.old) :]
        return {name: "\n".join(lines) for name, lines in texts.items()}

    def moved(self) -> Callable[[Spot], Spot]:
        """Where the words of the text before stand in the text behind."""
        longer = len(self.new) - len(self.old)
        columns: dict[tuple[str, int], list[int]] = {}
        for place in self.places:
            columns.setdefault((place.source.name, place.line), []).append(place.column)

        def move(spot: Spot) -> Spot:
            before = sum(column < spot.column for column in columns.get((spot.file, spot.line), ()))
            return Spot(spot.file, spot.line, spot.column + longer * before)

        return move


def word_to_rename(index: NameIndex, file: str, line: int, column: int) -> WrittenName:
    """Return the word of `file` at `line` and `column` of `index`, or raise RenameRefused."""
    if index.tree is None:
        problem = index.problem
        raise RenameRefused("a text with mistakes cannot be renamed in", str(problem) if problem else None)
    word = index.at(file, line, column)
    if word is None:
        raise RenameRefused("no name stands here")
    if not word.senses and len(senses := index.senses_named(word.text)) == 1:
        return word._replace(senses=frozenset(senses))
    if not word.senses:
        raise RenameRefused(f"'{word.text}' is not read here", "no condition, macro or inline that is used leads here")
    return word


def renamed(index: NameIndex, word: WrittenName, new: str, reread: Reread, others: Sequence[Reading] = ()) -> Renaming:
    """Return the renaming of all that `word` of `index` names to `new`; `reread` shows that it means the same.

    It changes all files of the model and of the `others`, and no other name in any of them. Raises RenameRefused.
    """
    _check_name(word.text)
    _check_name(new)
    readings = [Reading("", index, reread), *others]
    parts = [
        (reading, _part(reading, senses, spots, word.text, new))
        for reading, (senses, spots) in zip(readings, same_everywhere(readings, word), strict=True)
        if spots
    ]
    every = {by_path(spot_of(place)): place for _, part in reversed(parts) for place in part.places}
    whole = replace(parts[0][1], places=tuple(sorted(every.values(), key=spot_of)))
    texts = whole.applied() if new != word.text else {}
    for reading, part in parts:
        here = [reading.word_at(spot) for spot in every]
        seen = replace(part, places=tuple(each.place for each in here if each is not None))
        with _within(reading):
            for sense in seen.senses:
                _check_sense(reading.index, sense, new)
            if texts:
                _check_meaning(reading.index, reading.reread(texts), seen)
    return whole


def _part(reading: Reading, senses: frozenset[Sense], spots: frozenset[Spot], old: str, new: str) -> Renaming:
    """What is renamed in the files of one model."""
    index = reading.index
    with _within(reading):
        if index.tree is None:
            raise RenameRefused("there are mistakes in it, and it reads what would change")
        written = [_written(index, reading.local(spot) or spot, old) for spot in spots]
        known = {spot_of(each.place) for each in written}
        places = [*(each.place for each in written), *_unread(index, old, senses, new, known)]
    return Renaming(old, new, senses, tuple(sorted(places, key=spot_of)))


@contextmanager
def _within(reading: Reading) -> Iterator[None]:
    """Tells of a refusal in which other model its reason is."""
    try:
        yield
    except RenameRefused as refused:
        if not reading.path:
            raise
        raise RenameRefused(f"in {Path(reading.path).name}: {refused.message}", refused.advice) from refused


def _check_name(new: str) -> None:
    if not _NAME.fullmatch(new):
        raise RenameRefused(f"'{new}' is no name", "letters, digits and '_', the first one no digit")
    if new in KEYWORDS or new in PREDEFINED or new in ("defined", "__LINE__", "__FILE__", "__VA_ARGS__"):
        raise RenameRefused(f"'{new}' means something else in Promela", "choose another name")


def _check_sense(index: NameIndex, sense: Sense, new: str) -> None:
    whose = sense.whose if isinstance(sense.whose, str) else ""
    if new != sense.name and Sense(sense.kind, new, whose) in index.senses_named(new):
        raise RenameRefused(f"there is {_WITH_ARTICLE.get(sense.kind, 'such a thing')} '{new}' already")
    if sense.kind == "label" and _prefix(sense.name) != _prefix(new):
        prefix = _prefix(new) or _prefix(sense.name)
        raise RenameRefused(f"labels that begin with '{prefix}' have a meaning of their own, which would change")
    if sense.kind == "variable" and "STDIN" in (sense.name, new):
        raise RenameRefused("'STDIN' is a channel of its own")
    if sense.kind == "macro" and index.tree is not None and sense.name not in _defined(index):
        raise RenameRefused(f"'{sense.name}' is defined outside of the text")


def _defined(index: NameIndex) -> set[str]:
    return {word.text for word in index.words.values() if word.is_declaration}


def _prefix(label: str) -> str:
    return next((prefix for prefix in _MEANING if label.startswith(prefix)), "")


def _written(index: NameIndex, spot: Spot, name: str) -> WrittenName:
    """The word at a spot, which must be written there."""
    word = index.words.get(spot)
    if word is None or word.text != name:
        where = f"line {spot.line} of {spot.file}" if spot.file else "a macro"
        raise RenameRefused(f"'{name}' is made by a macro at {where}", "rename what the macro makes it of")
    return word


def _unread(index: NameIndex, old: str, senses: frozenset[Sense], new: str, known: Collection[Spot]) -> list[Place]:
    """The words of this name that were not read, which are renamed as well if they can mean nothing else.

    Those that are `known` mean it in another model.
    """
    other = index.unread(new)
    if other and new != old:
        raise RenameRefused(f"'{new}' stands in line {other[0].place.line}, which is not read, and may mean it")
    unread = [each for each in index.unread(old) if spot_of(each.place) not in known]
    if unread and index.senses_named(old) != set(senses):
        line = unread[0].place.line
        raise RenameRefused(f"'{old}' in line {line} is not read, and may mean this or another '{old}'")
    return [each.place for each in unread]


# That it means the same


def _check_meaning(before: NameIndex, after: NameIndex, renaming: Renaming) -> None:
    """Raise RenameRefused unless the texts differ in nothing but the name."""
    if after.tree is None or before.tree is None:
        problem = after.problem
        raise RenameRefused(f"this name does not fit: {problem.message if problem else 'it is taken'}")
    move = renaming.moved()
    spots = {spot_of(place) for place in renaming.places}
    one, other = before.record, after.record
    if len(one.tokens) != len(other.tokens) or len(one.mentions) != len(other.mentions):
        _refuse(renaming)
    for token, now in zip(one.tokens, other.tokens, strict=True):
        spot = spot_of(token.place)
        is_renamed = spot in spots and token.text == renaming.old
        wanted = renaming.new if is_renamed else token.text
        if now.text != wanted or (spot.file and spot_of(now.place) != move(spot)):
            _refuse(renaming, token.place)
    for mention, now_meant in zip(one.mentions, other.mentions, strict=True):
        if _expected(mention, renaming, move, spots) != _found(now_meant):
            _refuse(renaming, mention.place)
    _check_formulas(before, after, renaming)


_Meant = tuple[str, str, Spot | str, Spot]


def _expected(mention: Mention, renaming: Renaming, move: Callable[[Spot], Spot], spots: set[Spot]) -> _Meant:
    """What a mention must be behind the renaming."""
    spot, whose = spot_of(mention.place), mention.whose
    name = renaming.new if spot in spots and mention.name == renaming.old else mention.name
    if isinstance(whose, Place):
        return name, mention.kind, move(spot_of(whose)), move(spot)
    kind = "inline" if mention.kind == "argument" else "proctype"
    is_renamed = whose == renaming.old and any(sense.kind == kind for sense in renaming.senses)
    return name, mention.kind, renaming.new if is_renamed else whose, move(spot)


def _found(mention: Mention) -> _Meant:
    whose = mention.whose
    return mention.name, mention.kind, whose if isinstance(whose, str) else spot_of(whose), spot_of(mention.place)


def _check_formulas(before: NameIndex, after: NameIndex, renaming: Renaming) -> None:
    """Words of formulas may be operators, as it depends on where they stand."""
    if _shapes(before) != _shapes(after):
        raise RenameRefused(f"'{renaming.new}' would change how a formula is read")


def _shapes(index: NameIndex) -> list[str]:
    """The formulas, with numbers in place of their propositions."""
    return [_shape(formula) for formula in index.tree.formulas] if index.tree is not None else []


def _shape(formula: FormulaText) -> str:
    known: dict[str, int] = {}

    def numbered(words: str, _place: Place) -> Formula:
        return Atom(f"p{known.setdefault(words, len(known))}")

    try:
        return text_of(parse_at(formula.text, lambda start, length: place_in(formula, start, length), atom=numbered))
    except InputError as error:
        return f"{len(error.diagnostics)} mistakes"


def _refuse(renaming: Renaming, place: Place | None = None) -> NoReturn:
    where = f" in line {place.seen_at().line}" if place is not None else ""
    raise RenameRefused(f"with this name{where} something else would be meant than '{renaming.old}'")


def rereading(
    source: Source, defines: Mapping[str, str], folders: Sequence[Path], unsaved: Mapping[str, str]
) -> Reread:
    """Return how `source` is read again, with the macros `defines`, the `folders` and the `unsaved` texts."""

    def reread(texts: Mapping[str, str]) -> NameIndex:
        newer = {canonical(name): text for name, text in texts.items()}
        text = newer.get(canonical(source.name), source.text)
        return index_of(Source(source.name, text), defines, folders, {**unsaved, **newer})

    return reread
