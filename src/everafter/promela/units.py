"""A whole Promela model: its processes, claims, formulas and declarations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from everafter.promela.model import Expression, Reference, Sequence, Struct, Variable
from everafter.promela.preprocess import Macro
from everafter.promela.tokens import Token
from everafter.source import Place, Source


@dataclass(eq=False, slots=True)
class Proctype:
    """A `proctype`, `init`, `never` or `trace` body with its variables, parameters first."""

    name: str
    role: Literal["process", "init", "never", "trace", "notrace"]
    place: Place
    parameters: tuple[Variable, ...] = ()
    variables: list[Variable] = field(default_factory=list)
    body: Sequence = ()
    instances: int = 0
    priority: int = 1
    provided: Expression | None = None
    deterministic: bool = False
    exclusive: list[tuple[Literal["xr", "xs"], Reference]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Formula:
    """An `ltl name { … }` block, not yet read as a formula. `tokens` are its words with their places."""

    name: str
    text: str
    place: Place
    tokens: tuple[Token, ...]
    remote_labels: tuple[tuple[str, str], ...] = ()


@dataclass(eq=False, slots=True)
class Model:
    """A whole model. `remote_labels` are the (proctype, label) pairs some expression refers to."""

    source: Source
    mtypes: dict[str, dict[str, int]] = field(default_factory=dict)
    structs: dict[str, Struct] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    proctypes: list[Proctype] = field(default_factory=list)
    formulas: list[Formula] = field(default_factory=list)
    remote_labels: set[tuple[str, str]] = field(default_factory=set)
    macros: Mapping[str, Macro] = field(default_factory=dict)
    uses_last: bool = False
    uses_priority: bool = False

    def proctype(self, name: str) -> Proctype | None:
        """The proctype of that name, if there is one."""
        return next((item for item in self.proctypes if item.name == name), None)

    def claims(self) -> Iterator[Proctype]:
        """The never claims, in order."""
        return (item for item in self.proctypes if item.role == "never")
