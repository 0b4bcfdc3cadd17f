"""A process while its method is read: its variables, the loops around, and the mistakes found."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import count
from typing import Any, Final

from everafter.model.domains import AnyDomain, ArrayDomain, Domain
from everafter.promela.model import (
    Assign,
    ChoiceStatement,
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
from everafter.pymodel.typed_values import CellArray, Term, constant, scalar_of
from everafter.record import dataclass, field
from everafter.source import Diagnostic, Place

MOST_STATEMENTS: Final = 20_000
"""More statements than this are not written out of the loops of one process."""


@dataclass(eq=False)
class PythonFrame:
    """One process."""

    name: str
    problems: list[Diagnostic]
    variables: dict[tuple[str, ...], Variable] = field(default_factory=dict)
    domains: dict[tuple[str, ...], AnyDomain] = field(default_factory=dict)
    blocks: list[str] = field(default_factory=list)
    """What can be left from here, outermost first: each is a loop of the program."""
    statements: int = 0

    def __post_init__(self) -> None:
        self._labels = count()

    def counted(self, node: ast.AST) -> None:
        """Count a statement of `node`, and complain of too many."""
        self.statements += 1
        if self.statements > MOST_STATEMENTS:
            raise PythonProblem(node, f"loops and methods written out are more than {MOST_STATEMENTS:,} statements")

    def local(self, calls: Sequence[str], name: str, domain: AnyDomain, place: Place) -> Term | CellArray:
        """Return the variable called `name`, of these `calls`, made at `place` for values of `domain` if it is new."""
        key = (*calls, name)
        if key not in self.variables:
            array = isinstance(domain, ArrayDomain)
            element: Domain[Any] = domain.element if isinstance(domain, ArrayDomain) else domain
            length = domain.length if isinstance(domain, ArrayDomain) else None
            shown = ".".join((*calls[-1:], name)) if calls else name
            self.variables[key] = Variable(shown, scalar_of(element), length, place, proctype=self.name)
            self.domains[key] = domain
            assert array == (length is not None)
        return self.known(calls, name, place)

    def is_known(self, calls: Sequence[str], name: str) -> bool:
        """Whether there is a variable called `name` inside the `calls`."""
        return (*calls, name) in self.variables

    def known(self, calls: Sequence[str], name: str, place: Place) -> Term | CellArray:
        """Return the variable called `name` of these `calls`, read at `place`."""
        key = (*calls, name)
        variable, domain = self.variables[key], self.domains[key]
        if isinstance(domain, ArrayDomain):
            return CellArray(variable, domain)
        return Term(Reference(variable, None, (), place), domain)

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
        assigns = [Assign(target, value, place, text) for target, value in pairs]
        if len(assigns) == 1:
            return assigns[0]
        if not _depend(pairs):
            return Group("d_step", tuple(assigns), place, text)
        held = [self._holder(number, place) for number in range(len(pairs))]
        first = [Assign(holder, value, place, text) for holder, (_, value) in zip(held, pairs, strict=True)]
        then = [Assign(target, holder, place, text) for holder, (target, _) in zip(held, pairs, strict=True)]
        cleared = [Assign(holder, constant(0, place), place, text) for holder in held]
        return Group("d_step", (*first, *then, *cleared), place, text)

    def _holder(self, number: int, place: Place) -> Reference:
        """A variable for a value between being computed and stored; 0 between steps."""
        key = ("", str(number))
        if key not in self.variables:
            self.variables[key] = Variable(f"new {number}", Scalar(Kind.INT), None, place, proctype=self.name)
        return Reference(self.variables[key], None, (), place)


def _depend(pairs: Sequence[tuple[Reference, Expression]]) -> bool:
    """Whether a value is computed of a variable that is stored before it."""
    stored: set[Variable] = set()
    for target, value in pairs:
        if any(isinstance(part, Reference) and part.variable in stored for part in subexpressions(value)):
            return True
        stored.add(target.variable)
    return False


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
