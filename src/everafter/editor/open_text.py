"""One text in an editor: what is wrong with it, what its names mean, and what can be checked in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import assert_never

from everafter.editor.outline import DeclaredName, assertion_lines, outline
from everafter.promela.model import ChannelShape, Kind, Scalar, Struct, Type, Variable
from everafter.promela.tokens import text_of
from everafter.record import dataclass, field
from everafter.source import Diagnostic, InputError, Place, Source
from everafter.specification import understood
from everafter.user_model import Model

_WORD = re.compile(r"[A-Za-z_]\w*")
_RANGES = {
    Kind.BIT: "0 … 1",
    Kind.BYTE: "0 … 255",
    Kind.SHORT: "-32768 … 32767",
    Kind.INT: "-2147483648 … 2147483647",
}


@dataclass(frozen=True, slots=True)
class Check:
    """Something that can be checked: a formula, or safety, shown at a line."""

    line: int
    property: str | None
    """The name of the formula, or None for safety."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text that has been read as far as it can be."""

    source: Source
    names: tuple[DeclaredName, ...]
    problems: tuple[Diagnostic, ...]
    model: Model | None = field(repr=False)
    """The model, if the text can be understood; else that of the last text that could be."""
    is_current: bool = True
    """Whether the model is that of this text."""

    # What is wrong

    def seen(self, place: Place) -> Place:
        """Where in this text to show a place: where its macro or inline was used, or its file included."""
        seen = place.seen_at()
        if seen.source is self.source:
            return seen
        outer = [step.place for step in place.chain() if step.place.source is self.source]
        return outer[-1] if outer else Place(self.source, 1, 1)

    # What names mean

    def word_at(self, line: int, column: int) -> Place | None:
        """Return the name at `line` and `column`, counted from 1."""
        for match in _WORD.finditer(self.source.line(line)):
            if match.start() < column <= match.end() + 1:
                return Place(self.source, line, match.start() + 1, len(match[0]))
        return None

    def unit_at(self, line: int) -> DeclaredName | None:
        """The unit in which a line is."""
        return next(
            (name for name in self.names if name.begins_unit and name.place.line <= line <= name.end.line), None
        )

    def definition(self, line: int, column: int) -> Place | None:
        """Return where the name at `line` and `column` is declared."""
        found = self._meaning(line, column)
        return found.place if found is not None else None

    def hover(self, line: int, column: int) -> str | None:
        """Return what the name at `line` and `column` is: its declaration, its type and the values it may have."""
        match self._meaning(line, column):
            case Variable() as variable:
                return described(variable)
            case DeclaredName() as name:
                return self._described(name)
            case None:
                return None

    def _meaning(self, line: int, column: int) -> Variable | DeclaredName | None:
        word = self.word_at(line, column)
        if word is None:
            return None
        text = self.source.line(line)[word.column - 1 : word.column - 1 + word.length]
        unit = self.unit_at(line)
        return self._variable(text, unit.name if unit else None, line) or self._name(text, unit)

    def _variable(self, text: str, unit: str | None, line: int) -> Variable | None:
        """The variable of that name that can be seen there: the process's own goes before the model's."""
        if self.model is None:
            return None
        known = [variable for variable in self.model.tree.all_variables() if variable.name == text]
        own = [variable for variable in known if variable.proctype is not None and _unit_name(variable) == unit]
        before = [variable for variable in own if self.seen(variable.place).line <= line]
        globals_ = [variable for variable in known if variable.proctype is None]
        return next(iter((*before[-1:], *own, *globals_)), None)

    def _name(self, text: str, unit: DeclaredName | None) -> DeclaredName | None:
        same = [name for name in self.names if name.name == text and name.name not in _KEYWORDS]
        near = [name for name in same if unit is not None and name.unit == unit.name]
        return next(iter((*near, *same)), None)

    def _described(self, name: DeclaredName) -> str:
        match name.kind:
            case "macro":
                return f"```promela\n{self.source.line(name.place.line).strip()}\n```{self._expansion(name.name)}"
            case "mtype":
                numbers = (
                    {}
                    if self.model is None
                    else {
                        word: (kind, number)
                        for kind, words in self.model.tree.mtypes.items()
                        for word, number in words.items()
                    }
                )
                kind, number = numbers.get(name.name, ("mtype", None))
                value = f", whose value is {number}" if number is not None else ""
                return f"`{name.name}`: a name of `{kind}`{value}"
            case "label":
                return f"`{name.name}`: a label of `{name.unit}`{_label_meaning(name.name)}"
            case "ltl":
                return f"```promela\n{self._text(name)}\n```"
            case "proctype" | "init" | "never" | "trace" | "inline" | "typedef":
                return f"```promela\n{self.source.line(name.place.line).strip()}\n```"
            case _:
                assert_never(name.kind)

    def _expansion(self, name: str) -> str:
        macro = None if self.model is None else self.model.tree.macros.get(name)
        if macro is None or not macro.body:
            return ""
        return f"\n\nstands for `{text_of(macro.body)}`"

    def _text(self, name: DeclaredName) -> str:
        """The text of a unit, from its first line to its last."""
        return "\n".join(self.source.line(line) for line in range(name.place.line, name.end.line + 1))

    # What can be checked

    def checks(self) -> Iterator[Check]:
        """What can be checked, where it is written: formulas; safety at each assertion, or else at the first unit."""
        if self.model is None or not self.is_current:
            return
        for formula in self.model.tree.formulas:
            yield Check(self.seen(formula.place).line, formula.name)
        lines = assertion_lines(self.source)
        first = next((name.place.line for name in self.names if name.kind in ("proctype", "init")), None)
        for line in lines or ([first] if first is not None else []):
            yield Check(line, None)


_KEYWORDS = {"init", "never", "trace", "notrace", "ltl"}


def read(source: Source, before: Document | None = None, defines: Mapping[str, str] | None = None) -> Document:
    """Read a text as far as it can be; `before` is what was read of an earlier version of it."""
    names = tuple(outline(source))
    try:
        folders = [Path(source.name).parent]
        model = understood(Model, source, defines or {}, loses_messages=False, folders=folders)
    except InputError as error:
        known = before.model if before is not None else None
        return Document(source, names, tuple(error.diagnostics), known, is_current=False)
    wrong = [diagnostic for error in model.unread.values() for diagnostic in error.diagnostics]
    return Document(source, names, (*model.warnings, *wrong), model)


def described(variable: Variable) -> str:
    """A variable as it was declared, and the values it may have."""
    length = f"[{variable.length}]" if variable.length is not None else ""
    initial = variable.initial
    shape = f" = [{initial.capacity}] of {{ {_fields(initial)} }}" if isinstance(initial, ChannelShape) else ""
    if variable.is_parameter:
        whose = f"parameter of {variable.proctype}"
    else:
        whose = f"local to {_unit_name(variable)}" if variable.proctype else "global"
    values = _values(variable.type)
    return f"```promela\n{type_name(variable.type)} {variable.name}{length}{shape}\n```\n\n{whose}{values}"


def _unit_name(variable: Variable) -> str:
    """The unit of a local variable, by the word that begins it if it has no name of its own."""
    return (variable.proctype or "").strip(":")


def type_name(kind: Type) -> str:
    """A type as one writes it."""
    match kind:
        case Struct(name=name):
            return name
        case Scalar(kind=scalar, mtype=mtype):
            return f"mtype:{mtype}" if mtype else scalar.value


def _fields(shape: ChannelShape) -> str:
    return ", ".join(type_name(scalar) for scalar in shape.fields)


def _values(kind: Type) -> str:
    if isinstance(kind, Struct):
        return ""
    if kind.kind is Kind.UNSIGNED:
        return f", values 0 … {2**kind.bits - 1}"
    return f", values {_RANGES[kind.kind]}" if kind.kind in _RANGES else ""


def _label_meaning(label: str) -> str:
    for prefix, meaning in (
        ("end", ": a run may stop here"),
        ("accept", ": `--acceptance` looks for runs that are here again and again"),
        ("progress", ": `--progress` asks that endless runs are here again and again"),
    ):
        if label.startswith(prefix):
            return meaning
    return ""
