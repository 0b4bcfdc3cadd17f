"""What may be written next: names that can be seen here, labels, fields, keywords, also in a text with mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from everafter.editor.outline import DeclaredName, outline
from everafter.editor.scanned_names import ScannedVariable, place_key, scanned_variables
from everafter.promela.cursor import KEYWORDS
from everafter.promela.model import Scalar, Struct, Variable
from everafter.promela.references import PREDEFINED
from everafter.promela.tokens import Token, scan
from everafter.promela.units import ModelTree
from everafter.record import dataclass
from everafter.source import Diagnostic, Source

SuggestionKind = Literal[
    "variable", "field", "label", "proctype", "inline", "typedef", "mtype", "macro", "keyword", "operator"
]
_DIRECTIVES = ("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error")
_OPERATORS = ("always", "eventually", "until", "weakuntil", "release", "implies", "equivalent", "next")
_UNIT_WORDS = {
    "active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl", "inline", "typedef", "mtype",
    "hidden", "show", "local", "bit", "bool", "byte", "short", "int", "pid", "chan", "unsigned", "provided", "priority",
    "c_code", "c_decl", "c_state", "c_track", "of", "true", "false",
}  # fmt: skip
_FORMULA_WORDS = {"true", "false", "len", "empty", "full", "nempty", "nfull", "enabled"}
_C_WORDS = {"c_code", "c_decl", "c_expr", "c_state", "c_track"}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A word that may be written, and what it is."""

    word: str
    kind: SuggestionKind
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The words before a place, and everything that is known of the names."""

    source: Source
    line: int
    column: int
    before: Sequence[Token]
    unit: DeclaredName | None
    names: Sequence[DeclaredName]
    variables: Sequence[ScannedVariable]
    tree: ModelTree | None


def suggestions(
    source: Source, line: int, column: int, others: Iterable[Source], tree: ModelTree | None
) -> list[Suggestion]:
    """Return what may be written at `line` and `column` of `source`.

    `others` are the texts that it includes, and `tree` is what was understood last.
    """
    surroundings = _surroundings(source, line, column, others, tree)
    if surroundings is None:
        return []
    unique: dict[str, Suggestion] = {}
    for suggestion in _suggestions(surroundings):
        unique.setdefault(suggestion.word, suggestion)
    return list(unique.values())


def _surroundings(
    source: Source, line: int, column: int, others: Iterable[Source], tree: ModelTree | None
) -> _Surroundings | None:
    """None inside comments and strings."""
    if _is_in_text(source, line, column):
        return None
    ignored: list[Diagnostic] = []
    here = line, column
    words = [word for word in scan(source, ignored) if word.kind != "newline"]
    before = [word for word in words if _is_before(word, here)]
    names = outline(source)
    units = [name for name in names if name.begins_unit and place_key(name.place) <= here <= _end(source, name)]
    unit = units[-1] if units else None
    texts = [text for text in others if text.name != source.name]
    variables = scanned_variables(source)
    outer = [each for text in texts for each in scanned_variables(text) if each.owner is None or each.is_field]
    more = [name for text in texts for name in outline(text)]
    return _Surroundings(source, line, column, before, unit, [*names, *more], [*variables, *outer], tree)


def _is_before(word: Token, here: tuple[int, int]) -> bool:
    """Whether a word stands before a place. A name that ends there is the one that is being written."""
    end = word.place.line, word.place.column + len(word.text)
    return end < here or (end == here and word.kind == "op")


def _end(source: Source, name: DeclaredName) -> tuple[int, int]:
    """Where a unit ends; nowhere if its braces are not closed."""
    is_closed = source.line(name.end.line)[name.end.column - 1 : name.end.column] == "}"
    return place_key(name.end) if is_closed else (1 << 30, 0)


def _is_in_text(source: Source, line: int, column: int) -> bool:
    """Whether a place is in a comment or a string: a word put there would not be one."""
    probe = "\N{PRIME}"
    lines = list(source.lines[:line])
    lines += [""] * (line - len(lines))
    lines[-1] = lines[-1][: column - 1] + probe
    ignored: list[Diagnostic] = []
    written = [word for word in scan(Source("", "\n".join(lines)), ignored) if word.kind != "newline"]
    if not written or probe not in written[-1].text or written[-1].kind == "string":
        return True
    return any(word.kind == "other" and word.text == '"' and word.place.line == line for word in written)


def _suggestions(at: _Surroundings) -> Iterator[Suggestion]:
    last = at.before[-1].text if at.before else ""
    earlier = at.before[-2].text if len(at.before) > 1 else ""
    first = next((word for word in reversed(at.before) if word.line_start), None)
    if last == "#" and at.before[-1].place.line == at.line:
        yield from (Suggestion(word, "keyword") for word in _DIRECTIVES)
    elif first is not None and first.text == "#" and first.place.line == at.line and earlier == "#":
        yield from _named(at, ("macro",))
    elif last == "goto":
        yield from _labels(at, at.unit.name if at.unit is not None else None)
    elif last == "@":
        yield from _labels(at, _owner(at.before[:-1]))
    elif last == "run":
        yield from _named(at, ("proctype",))
    elif last == ".":
        yield from _fields(at)
    elif last == ":" and (remote := _owner(at.before[:-1])) in {name.name for name in at.names}:
        yield from _variables(at, remote)
    else:
        yield from _anything(at)


def _anything(at: _Surroundings) -> Iterator[Suggestion]:
    unit = at.unit
    if unit is None:
        yield from (Suggestion(word, "keyword") for word in sorted(_UNIT_WORDS - _C_WORDS))
        yield from _named(at, ("typedef", "macro", "mtype"))
        return
    in_formula = unit.kind == "ltl"
    yield from _variables(at, None if in_formula else unit.name)
    yield from _variables(at, None)
    yield from _named(at, ("mtype", "macro", "proctype"))
    if in_formula:
        yield from (Suggestion(word, "operator") for word in _OPERATORS)
        yield from (Suggestion(word, "keyword") for word in sorted(_FORMULA_WORDS))
        return
    yield from _named(at, ("inline", "typedef"))
    yield from _arguments(at, unit)
    yield from (Suggestion(word, "variable", "predefined") for word in PREDEFINED if word != "_")
    outside = {"active", "proctype", "D_proctype", "init", "never", "trace", "notrace", "ltl", "inline", "typedef"}
    yield from (Suggestion(word, "keyword") for word in sorted(KEYWORDS - outside - _C_WORDS))


def _variables(at: _Surroundings, unit: str | None) -> Iterator[Suggestion]:
    """The variables of a unit, or of the model, by the words of the text and by what was understood last."""
    for each in at.variables:
        is_remote = unit is not None and (at.unit is None or at.unit.name != unit)
        is_seen = each.begin <= (at.line, at.column) <= each.end or each.place.source is not at.source
        if each.owner == unit and not each.is_field and (is_seen or is_remote):
            yield Suggestion(each.name, "variable", each.type)
    for variable in at.tree.all_variables() if at.tree is not None else ():
        is_own = (variable.proctype or "").strip(":") == (unit or "")
        if is_own and not _is_scanned(at, variable) and not _is_field(at.tree, variable):
            yield Suggestion(variable.name, "variable", _type(variable))


def _is_scanned(at: _Surroundings, variable: Variable) -> bool:
    """Whether a variable stands in the text itself, where its words say better whether it can be seen."""
    return variable.place.through is None and variable.proctype is not None


def _is_field(tree: ModelTree | None, variable: Variable) -> bool:
    return tree is not None and any(variable in struct.fields for struct in tree.structs.values())


def _type(variable: Variable) -> str:
    return variable.type.name if isinstance(variable.type, Struct) else variable.type.kind.value


def _named(at: _Surroundings, kinds: tuple[SuggestionKind, ...]) -> Iterator[Suggestion]:
    for name in at.names:
        for kind in kinds:
            if name.kind == kind:
                yield Suggestion(name.name, kind, kind)


def _labels(at: _Surroundings, unit: str | None) -> Iterator[Suggestion]:
    for name in at.names:
        if name.kind == "label" and name.unit == unit:
            yield Suggestion(name.name, "label", f"label of {unit}")


def _arguments(at: _Surroundings, unit: DeclaredName) -> Iterator[Suggestion]:
    """The parameters of an inline, which have no types."""
    if unit.kind != "inline":
        return
    words = [word for word in at.before if place_key(word.place) > place_key(unit.place)]
    for word in words[: next((number for number, word in enumerate(words) if word.text == ")"), 0)]:
        if word.kind == "name":
            yield Suggestion(word.text, "variable", f"parameter of {unit.name}")


def _owner(before: Sequence[Token]) -> str | None:
    """The name before an `@` or a dot, with its index, if it has one, passed over."""
    depth = 0
    for word in reversed(before):
        depth += (word.text in ("]", ")")) - (word.text in ("[", "("))
        if depth == 0 and word.text not in ("[", "("):
            return word.text if word.kind == "name" else None
    return None


def _fields(at: _Surroundings) -> Iterator[Suggestion]:
    """The fields of the structure before the dot."""
    struct = _structure(at, _path(at.before[:-1]))
    for each in at.variables:
        if each.is_field and each.owner == struct:
            yield Suggestion(each.name, "field", each.type)
    known = at.tree.structs.get(struct or "") if at.tree is not None else None
    for item in known.fields if known is not None else ():
        yield Suggestion(item.name, "field", item.type.kind.value if isinstance(item.type, Scalar) else item.type.name)


def _path(before: Sequence[Token]) -> list[str]:
    """The names of `a[i].b` before a dot, the outermost first."""
    path: list[str] = []
    depth, expected = 0, True
    for word in reversed(before):
        depth += (word.text == "]") - (word.text == "[")
        if depth or word.text == "[":
            continue
        if expected and word.kind == "name":
            path.append(word.text)
            expected = False
        elif not expected and word.text == ".":
            expected = True
        else:
            break
    return path[::-1]


def _structure(at: _Surroundings, path: Sequence[str]) -> str | None:
    """The name of the structure that a path of names leads to."""
    kind: str | None = None
    for position, name in enumerate(path):
        known = [each for each in at.variables if each.name == name and each.is_field == bool(position)]
        fitting = [each for each in known if not position or each.owner == kind]
        local = [each for each in fitting if at.unit is not None and each.owner == at.unit.name]
        chosen = next(iter((*(local if not position else ()), *fitting)), None)
        kind = chosen.type if chosen is not None else _known_type(at.tree, name)
    return kind


def _known_type(tree: ModelTree | None, name: str) -> str | None:
    for variable in tree.all_variables() if tree is not None else ():
        if variable.name == name:
            return _type(variable)
    return None
