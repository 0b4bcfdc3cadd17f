"""Formulas of linear temporal logic: immutable values, equal exactly when they are the same object.

Every constructor looks its arguments up in a table first (hash-consing), so comparing and hashing a formula
costs one pointer, and a memo keyed by formulas never compares trees. Nothing here rewrites: a formula is what
was written. `conjunction`, `disjunction` and `negation` are the constructors that tidy as they build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self, TypeAlias, cast
from weakref import WeakValueDictionary

from everafter.ltl.display import Displayed
from everafter.record import dataclass, fields

_known: WeakValueDictionary[tuple[object, ...], _Interned] = WeakValueDictionary()


class _Interned(Displayed):
    """One object for each distinct tuple of constructor and arguments."""

    __slots__ = ("__weakref__", "_order")

    _order: tuple[int, str]

    def __new__(cls, *arguments: object) -> Self:
        key = (cls, *arguments)
        try:
            known = _known.get(key)
        except TypeError:  # an argument cannot be hashed, and so is of a wrong type, which __init__ will say
            return object.__new__(cls)
        if known is None:
            known = _known[key] = object.__new__(cls)
        return cast(Self, known)

    def __reduce__(self) -> tuple[object, ...]:
        # A copy or an unpickled formula is the known object again.
        constructor: Any = type(self)
        return constructor, tuple(getattr(self, field.name) for field in fields(constructor))


@dataclass(frozen=True, slots=True, eq=False)
class Constant(_Interned):
    """True of every word, or of none."""

    value: bool


@dataclass(frozen=True, slots=True, eq=False)
class Atom(_Interned):
    """A proposition, known by its text: a name, or an expression that a later layer understands."""

    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Not(_Interned):
    """The operand does not hold."""

    operand: Formula


@dataclass(frozen=True, slots=True, eq=False)
class And(_Interned):
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Or(_Interned):
    """Some part holds."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Implies(_Interned):
    """If the left side holds, so does the right."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Equivalent(_Interned):
    """Both sides hold or neither."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Xor(_Interned):
    """Exactly one side holds."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Next(_Interned):
    """The operand holds one step later."""

    operand: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Eventually(_Interned):
    """The operand holds now or later."""

    operand: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Always(_Interned):
    """The operand holds now and at every later step."""

    operand: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Until(_Interned):
    """The right side comes to hold, and the left side holds at every step before that."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, eq=False)
class WeakUntil(_Interned):
    """The left side holds until the right side does, or for ever."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, eq=False)
class Release(_Interned):
    """The right side holds up to and including the step where the left side does, or for ever."""

    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True, eq=False)
class StrongRelease(_Interned):
    """The right side holds up to and including the step where the left side does, and that step comes."""

    left: Formula
    right: Formula


Unary: TypeAlias = Not | Next | Eventually | Always
TemporalPair: TypeAlias = Until | WeakUntil | Release | StrongRelease
Pair: TypeAlias = Implies | Equivalent | Xor | TemporalPair
Junction: TypeAlias = And | Or
Formula: TypeAlias = Constant | Atom | Unary | Pair | Junction

TRUE = Constant(True)
FALSE = Constant(False)


def operands(formula: Formula) -> tuple[Formula, ...]:
    """The immediate subformulas, left to right."""
    match formula:
        case Constant() | Atom():
            return ()
        case Not(operand) | Next(operand) | Eventually(operand) | Always(operand):
            return (operand,)
        case And(parts) | Or(parts):
            return parts
        case _:
            return (formula.left, formula.right)


def rebuild(formula: Formula, parts: tuple[Formula, ...]) -> Formula:
    """Return the operator of `formula` over the operands `parts`."""
    match formula:
        case Constant() | Atom():
            return formula
        case Not() | Next() | Eventually() | Always():
            return type(formula)(parts[0])
        case And() | Or():
            return type(formula)(parts)
        case _:
            return type(formula)(parts[0], parts[1])


def subformulas(formula: Formula) -> Iterator[Formula]:
    """Every subformula once, the formula itself first."""
    seen = {formula}
    waiting = [formula]
    while waiting:
        current = waiting.pop()
        yield current
        for part in reversed(operands(current)):
            if part not in seen:
                seen.add(part)
                waiting.append(part)


def atoms(formula: Formula) -> tuple[str, ...]:
    """The texts of the propositions, in order of appearance."""
    return tuple(dict.fromkeys(part.text for part in subformulas(formula) if isinstance(part, Atom)))


def size(formula: Formula) -> int:
    """How many operators the formula is written with; a conjunction of n parts counts n - 1."""
    own = len(operands(formula))
    counted = max(1, own - 1) if own else 0
    return counted + sum(map(size, operands(formula)))


def substitute(formula: Formula, values: Callable[[Atom], Formula]) -> Formula:
    """Return `formula` with every proposition replaced by what `values` gives for it."""
    if isinstance(formula, Atom):
        return values(formula)
    return rebuild(formula, tuple(substitute(part, values) for part in operands(formula)))


def order(formula: Formula) -> tuple[int, str]:
    """A sort key that depends on nothing but the formula: the same run after run."""
    try:
        return formula._order
    except AttributeError:
        shape = _shape(formula)
        object.__setattr__(formula, "_order", (len(shape), shape))
        return formula._order


def _shape(formula: Formula) -> str:
    if isinstance(formula, Constant):
        return str(int(formula.value))
    if isinstance(formula, Atom):
        return formula.text
    inside = ",".join(order(part)[1] for part in operands(formula))
    return f"{type(formula).__name__[:2]}({inside})"


def negation(formula: Formula) -> Formula:
    """Not, without doubling it and without negating a constant."""
    match formula:
        case Constant(value):
            return Constant(not value)
        case Not(operand):
            return operand
        case _:
            return Not(formula)


def conjunction(parts: Iterable[Formula]) -> Formula:
    """All of the parts: flattened, sorted, without repetition, constants and plain contradictions resolved."""
    return _junction(And, parts, TRUE, FALSE)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """One of the parts: flattened, sorted, without repetition, constants and plain tautologies resolved."""
    return _junction(Or, parts, FALSE, TRUE)


def _junction(constructor: type[And] | type[Or], parts: Iterable[Formula], neutral: Formula, zero: Formula) -> Formula:
    kept: set[Formula] = set()
    for part in parts:
        kept.update(part.parts if isinstance(part, constructor) else (part,))
    kept.discard(neutral)
    if zero in kept or any(isinstance(part, Not) and part.operand in kept for part in kept):
        return zero
    if len(kept) <= 1:
        return next(iter(kept), neutral)
    return constructor(tuple(sorted(kept, key=order)))
