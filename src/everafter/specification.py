"""A model that has been read and understood: its text, the program, and the formulas that it states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from everafter.model.vocabulary import PythonModel
from everafter.program.lint import lint
from everafter.program.program import Program, build
from everafter.promela.parser import parse as parse_promela
from everafter.promela.units import NO_NEEDS, together
from everafter.promela.units import ModelTree as Tree
from everafter.questions.property import (
    Understood,
    check_labels,
    understand,
)
from everafter.record import dataclass, field
from everafter.source import Diagnostic, InputError, Source

S = TypeVar("S", bound="Specification")


@dataclass(frozen=True, slots=True)
class Specification:
    """A model that has been read and understood. everafter.user_model.Model is one that can be checked."""

    name: str
    tree: Tree = field(repr=False)
    program: Program = field(repr=False)
    formulas: Mapping[str, Understood] = field(repr=False)
    warnings: tuple[Diagnostic, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, InputError] = field(default_factory=dict, repr=False)
    """The formulas that cannot be understood, by name, with what is wrong. The others can be checked."""


def files_of(model: Specification) -> set[str]:
    """Return the names of the files that `model` was read from, those that it includes among them."""
    tree, program = model.tree, model.program
    taken = (each.place for kind in program.processes for each in kind.graph.transitions())
    declared = [*(each.place for each in tree.all_variables()), *(each.place for each in tree.formulas)]
    defined = (each.body[0].place for each in tree.macros.values() if each.body)
    return {tree.source.name, *(place.source.name for place in (*taken, *declared, *defined))}


def understood(
    kind: type[S],
    source: Source,
    defines: Mapping[str, str],
    loses_messages: bool,
    appended: Sequence[Source] = (),
    folders: Sequence[Path] = (),
) -> S:
    """The model, of class `kind`, of the text `source` with the texts `appended`.

    It is read with `defines`, and files that it includes are looked for in `folders`; `loses_messages`: full channels
    lose them. Raises InputError with every mistake in the texts but those of formulas.
    """
    tree, warnings = parse_promela(source, defines, appended, folders)
    formulas: dict[str, Understood] = {}
    unread: dict[str, InputError] = {}
    for text in tree.formulas:
        try:
            formulas[text.name] = understand(tree, text)
        except InputError as error:
            unread[text.name] = error
    return _built(kind, source.name, tree, formulas, defines, loses_messages, warnings, unread)


def understood_class(kind: type[S], model: type[PythonModel], name: str, defines: Mapping[str, str]) -> S:
    """The model, of class `kind`, that the class `model` is, called `name` and defined with `defines`.

    Raises InputError with every mistake in it.
    """
    from everafter.pymodel.class_reader import read_class  # noqa: PLC0415 # most models are of Promela

    reading = read_class(model)
    formulas = {each.name: Understood(each.name, each.formula, each.expressions, NO_NEEDS) for each in reading.formulas}
    return _built(kind, name, reading.tree, formulas, defines)


def _built(
    kind: type[S],
    name: str,
    tree: Tree,
    formulas: Mapping[str, Understood],
    defines: Mapping[str, str],
    loses_messages: bool = False,
    warnings: Sequence[Diagnostic] = (),
    unread: Mapping[str, InputError] = MappingProxyType({}),
) -> S:
    """The model of a tree and its formulas."""
    program = build(tree, loses_messages, together(formula.needs for formula in formulas.values()))
    for formula in formulas.values():
        check_labels(program, formula.expressions.values())
    asked = [expression for formula in formulas.values() for expression in formula.expressions.values()]
    return kind(name, tree, program, formulas, (*warnings, *lint(program, asked)), dict(defines), unread)
