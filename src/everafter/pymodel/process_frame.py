"""A process while its method is read: its variables, the loops around, and the mistakes found."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Final

from everafter.model.domains import AnyDomain
from everafter.promela.model import (
    SWITCH,
    Assign,
    Block,
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
from everafter.record import dataclass, field, fields, is_dataclass, replace
from everafter.source import Diagnostic, Place

READ: Final = "_read"
"""How the names begin under which values are kept that are read in a step of their own."""
NOT_CANCELLED, CANCELLING, ENDED = range(3)
"""Whether a task is being cancelled, or has ended."""
MOST_STATEMENTS: Final = 20_000
"""More statements than this are not written out of the loops of one process."""


@dataclass(frozen=True, eq=False)
class Cleanup:
    """What is done on the way out of a block: a lock is released, `finally` is done, an exception is caught."""

    depth: int
    """Inside how many blocks it begins to matter."""
    steps: Callable[[ast.AST], tuple[list[Statement], bool]]
    """Its steps where a node leaves, and whether the way out goes on behind them."""
    catches: bool = False


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
    held: list[Cleanup] = field(default_factory=list)
    """What is to be done on the way out from here, outermost first."""
    is_split: bool = False
    """Whether each access to the shared state is a step."""
    atomic: int = 0
    """Inside how many atomic blocks this is."""
    index: int = 0
    """The number of the process."""
    is_task: bool = False
    """Whether this is a task of asyncio."""
    is_coarse: bool = False
    """Whether others move only where an atomic block begins, or this process has to wait."""
    cancelled: Term | None = None
    """Whether the task is `NOT_CANCELLED` or `CANCELLING`, or has `ENDED`; None if it never is cancelled."""
    handling: int = 0
    """Inside how many handlers of exceptions this is."""
    stays: Place | None = None
    """Where it is said of the statement being read that the process may wait there for ever."""
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

    def switch(self, statement: Statement, place: Place) -> Statement:
        """`statement`, before which, at `place`, control is given up, also inside an atomic sequence."""
        return self.resting(Labelled(Label(f"{SWITCH}{next(self._labels)}", (), 0), statement, place))

    def resting(self, statement: Statement) -> Statement:
        """`statement`, before which the process may stay for ever if that is said of what is being read."""
        return statement if self.stays is None else self.labelled(statement, self.stays)

    def through(self, cleanup: Cleanup, node: ast.AST) -> tuple[list[Statement], bool]:
        """Return the steps of `cleanup` where `node` leaves, and whether the way out goes on."""
        blocks, held = self.blocks, self.held
        self.blocks = [*blocks[: cleanup.depth], *[""] * (len(blocks) - cleanup.depth)]
        self.held = held[: held.index(cleanup)]
        try:
            return cleanup.steps(node)
        finally:
            self.blocks, self.held = blocks, held

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
    """What `build` makes of `body`. Control does not rest at the first statement inside, so its labels go outside."""
    labels, first = _bare(body[0])
    made: Statement = build((first, *body[1:]))
    for label in reversed(labels):
        made = Labelled(label, made, place)
    return made


def _bare(statement: Statement) -> tuple[list[Label], Statement]:
    """The labels at which control rests before a statement, outermost first, and it without them."""
    match statement:
        case Labelled(label=label, statement=inner):
            labels, found = _bare(inner)
            return [label, *labels], found
        case Block(body=[first, *rest]):
            labels, found = _bare(first)
            return labels, replace(statement, body=(found, *rest)) if labels else statement
    return [], statement
