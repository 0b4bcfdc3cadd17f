"""A process while its method is read: its variables, the loops around, and the mistakes found."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

from everafter.model.domains import AnyDomain
from everafter.promela.model import (
    Assign,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Kind,
    Label,
    Labelled,
    Reference,
    Scalar,
    Statement,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import Structures, located
from everafter.pymodel.typed_values import Stored, Term, constant
from everafter.record import dataclass, field, fields, is_dataclass
from everafter.source import Diagnostic, Place

READ: Final = "_read"
"""How the names begin under which values are kept that are read in a step of their own."""
MOST_STATEMENTS: Final = 20_000
"""More statements than this are not written out of the loops of one process."""


@dataclass(eq=False)
class PythonFrame:
    """One process."""

    name: str
    problems: list[Diagnostic]
    structures: Structures = field(default_factory=Structures)
    variables: dict[tuple[str, ...], Variable] = field(default_factory=dict)
    domains: dict[tuple[str, ...], AnyDomain] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)
    """What can be left from here, outermost first: each is a loop of the program."""
    held: list[tuple[int, Callable[[ast.AST], list[Statement]]]] = field(default_factory=list)
    """What is held here: inside how many blocks it was taken, and the steps that release it."""
    is_split: bool = False
    """Whether each access to the shared state is a step."""
    atomic: int = 0
    """Inside how many atomic blocks this is."""
    index: int = 0
    """The number of the process."""
    statements: int = 0

    def __post_init__(self) -> None:
        self._labels = count()

    def counted(self, node: ast.AST) -> None:
        """Count a statement of `node`, and complain of too many."""
        self.statements += 1
        if self.statements > MOST_STATEMENTS:
            raise PythonProblem(node, f"loops and methods written out are more than {MOST_STATEMENTS:,} statements")

    def local(self, calls: Sequence[str], name: str, domain: AnyDomain, place: Place) -> Term | Stored:
        """Return the variable called `name`, of these `calls`, made at `place` for values of `domain` if it is new."""
        key = (*calls, name)
        if key not in self.variables:
            shown = ".".join((*calls[-1:], name)) if calls else name
            kind, length = self.structures.shape(domain, place)
            is_made = name.startswith(READ) or calls == ("",)  # by the reader of the model, not by its author
            self.variables[key] = Variable(shown, kind, length, place, proctype=self.name, is_shown=is_made)
            self.domains[key] = domain
        return self.known(calls, name, place)

    def is_known(self, calls: Sequence[str], name: str) -> bool:
        """Whether there is a variable called `name` inside the `calls`."""
        return (*calls, name) in self.variables

    def known(self, calls: Sequence[str], name: str, place: Place) -> Term | Stored:
        """Return the variable called `name` of these `calls`, read at `place`."""
        key = (*calls, name)
        return located(self.variables[key], None, (), self.domains[key], place)

    # Leaving blocks

    def levels_to(self, kind: str) -> int | None:
        """How many loops of the program are left by leaving the innermost block of that kind."""
        for levels, block in enumerate(reversed(self.blocks), 1):
            if block == kind:
                return levels
        return None

    def labelled(self, statement: Statement, place: Place) -> Statement:
        """`statement`, before which, at `place`, the process may stop for ever."""
        return Labelled(Label(f"end_{next(self._labels)}", (), 0), statement, place)

    # Several assignments in one step

    def together(self, pairs: Sequence[tuple[Reference, Expression]], place: Place, text: str) -> Statement:
        """Return the step at `place`, called `text`, that computes all values of `pairs` and then stores them."""
        changing = [pair for pair in pairs if not alike(*pair) or _is_stored_twice(pair[0], pairs)] or pairs[:1]
        assigns = self.assigns(changing, place, text)
        return assigns[0] if len(assigns) == 1 else Group("d_step", tuple(assigns), place, text)

    def assigns(self, pairs: Sequence[tuple[Reference, Expression]], place: Place, text: str) -> list[Statement]:
        """Return assignments at `place`, called `text`, that one by one compute the `pairs` as if all at once."""
        if not _depend(pairs):
            return [Assign(target, value, place, text) for target, value in pairs]
        held = [self.holder(number, place) for number in range(len(pairs))]
        first = [Assign(holder, value, place, text) for holder, (_, value) in zip(held, pairs, strict=True)]
        then = [Assign(target, holder, place, text) for holder, (target, _) in zip(held, pairs, strict=True)]
        cleared = [Assign(holder, constant(0, place), place, text) for holder in held]
        return [*first, *then, *cleared]

    def holder(self, number: int, place: Place) -> Reference:
        """Return variable `number`, at `place`, for a value between being computed and stored; 0 between steps."""
        key = ("", str(number))
        if key not in self.variables:
            self.variables[key] = Variable(f"new {number}", Scalar(Kind.INT), None, place, proctype=self.name)
        return Reference(self.variables[key], None, (), place)


def _is_stored_twice(target: Reference, pairs: Sequence[tuple[Reference, Expression]]) -> bool:
    """Whether several of `pairs` may store into `target`: then the last one counts, also if it changes nothing."""
    return sum(_may_be_same(target, other) for other, _ in pairs) > 1


def _depend(pairs: Sequence[tuple[Reference, Expression]]) -> bool:
    """Whether a value is computed of what is stored before it."""
    stored: list[Reference] = []
    for target, value in pairs:
        read = [part for part in subexpressions(value) if isinstance(part, Reference)]
        if any(_may_be_same(part, other) for part in read for other in stored):
            return True
        stored.append(target)
    return False


def _may_be_same(one: Reference, other: Reference) -> bool:
    """Whether two references may name the same cell."""
    if one.variable is not other.variable:
        return False
    pairs = [(one.index, other.index)]
    for mine, theirs in zip(one.selections, other.selections, strict=False):
        if mine.field is not theirs.field:
            return False
        pairs.append((mine.index, theirs.index))
    known = [(a.value, b.value) for a, b in pairs if isinstance(a, Constant) and isinstance(b, Constant)]
    return all(a == b for a, b in known)


def alike(one: object, other: object) -> bool:
    """Return whether `one` and `other` are the same expression, wherever they are written."""
    if isinstance(one, Variable) or not is_dataclass(one):
        if isinstance(one, tuple) and isinstance(other, tuple):
            return len(one) == len(other) and all(map(alike, one, other))
        return one is other or (not isinstance(one, Variable) and one == other)
    if type(one) is not type(other):
        return False
    named = (each.name for each in fields(one) if each.name != "place")
    return all(alike(getattr(one, name), getattr(other, name)) for name in named)


def endless(body: Sequence[Statement], place: Place) -> Statement:
    """Return `body` repeated for ever, at `place`."""
    return _outward(body, lambda inner: ChoiceStatement((inner,), True, place), place)


def undivided(body: Sequence[Statement], place: Place) -> Statement:
    """Return `body` as an atomic sequence at `place`."""
    return _outward(body, lambda inner: Group("atomic", inner, place), place)


def _outward(body: Sequence[Statement], build: Any, place: Place) -> Statement:
    """What `build` makes of `body`. Control does not rest at the first statement inside, so its label goes outside."""
    first, rest = body[0], tuple(body[1:])
    if isinstance(first, Labelled):
        return Labelled(first.label, build((first.statement, *rest)), place)
    made: Statement = build((first, *rest))
    return made
