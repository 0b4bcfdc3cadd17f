"""A whole Promela model: its processes, claims, formulas and declarations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Literal

from everafter.promela.macros import Macro
from everafter.promela.model import Expression, Reference, Sequence, Struct, Variable
from everafter.promela.tokens import Token
from everafter.record import dataclass
from everafter.source import Place, Source

Role = Literal["process", "init", "never", "trace", "notrace"]
Promise = Literal["xr", "xs"]


@dataclass(frozen=True, eq=False, slots=True)
class Proctype:
    """A `proctype`, `init`, `never` or `trace` body with its variables, parameters first."""

    name: str
    role: Role
    place: Place
    parameters: tuple[Variable, ...]
    variables: tuple[Variable, ...]
    body: Sequence
    instances: int
    priority: int
    provided: Expression | None
    deterministic: bool
    exclusive: tuple[tuple[Promise, Reference], ...]
    is_sole: bool = False
    """There is never a second process of it, and reports call its process as it is called, without a number."""


@dataclass(frozen=True, slots=True)
class Formula:
    """An `ltl name { … }` block, not yet read as a formula. `tokens` are its words with their places."""

    name: str
    text: str
    place: Place
    tokens: tuple[Token, ...]
    remote_labels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Needs:
    """What a state must tell, beyond what every state tells, so that expressions have a value in it."""

    uses_last: bool = False
    uses_priority: bool = False
    remote_labels: frozenset[tuple[str, str]] = frozenset()
    """The (proctype, label) pairs at which a process must be able to rest."""
    hidden: frozenset[Variable] = frozenset()
    """The hidden variables that are read from outside the processes."""

    def __or__(self, other: Needs) -> Needs:
        return Needs(
            self.uses_last or other.uses_last,
            self.uses_priority or other.uses_priority,
            self.remote_labels | other.remote_labels,
            self.hidden | other.hidden,
        )

    def cover(self, other: Needs) -> bool:
        """Whether a state that tells this tells the other too."""
        return self | other == self


NO_NEEDS = Needs()


def together(parts: Iterable[Needs]) -> Needs:
    """What all of these need."""
    return reduce(or_, parts, NO_NEEDS)


@dataclass(frozen=True, eq=False, slots=True)
class ModelTree:
    """A whole model. `needs` are those of its own text, the labels of its formulas included."""

    source: Source
    mtypes: Mapping[str, Mapping[str, int]]
    structs: Mapping[str, Struct]
    variables: tuple[Variable, ...]
    proctypes: tuple[Proctype, ...]
    formulas: tuple[Formula, ...]
    macros: Mapping[str, Macro]
    needs: Needs
    digest: str
    """Of its words, as the preprocessor leaves them: what is spaced or commented otherwise is the same model."""
    reader: Callable[[str, Place], Expression] | None = None
    """Reads the propositions of formulas, given their text and place, where the model is not written in Promela."""

    def proctype(self, name: str) -> Proctype | None:
        """The proctype of that name, if there is one."""
        return next((item for item in self.proctypes if item.name == name), None)

    def all_variables(self) -> Iterator[Variable]:
        """The variables of the model and of its processes, and the fields of its structures."""
        yield from self.variables
        for proctype in self.proctypes:
            yield from proctype.variables
        for struct in self.structs.values():
            yield from struct.fields
