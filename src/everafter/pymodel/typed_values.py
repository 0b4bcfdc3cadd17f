"""What an expression of a Python model is: a value known before the run, a value of a state, or several of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Literal

from everafter.model.domains import (
    MOST_MEMBERS,
    WIDEST,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    OptionalDomain,
    RecordDomain,
    domain_of,
    field_names,
)
from everafter.model.synchronization import ChannelDomain, OwnerDomain
from everafter.promela.model import Binary, Conditional, Constant, Expression, Kind, Scalar, Selection, Variable
from everafter.record import dataclass
from everafter.source import Place

BOOL = BoolDomain()
TRUTH = "bool"
"""The name under which the program knows the names of truth values."""


@dataclass(frozen=True, eq=False)
class Fixed:
    """A value that is known before the run."""

    value: Any


@dataclass(frozen=True, eq=False)
class Term:
    """A value that depends on the state: its expression, and the domain that it is in."""

    expression: Expression
    domain: Domain[Any]


@dataclass(frozen=True, eq=False)
class Stored:
    """A part of the state with several cells: an array, a record, a list, a set, a dict."""

    variable: Variable
    index: Expression | None
    selections: tuple[Selection, ...]
    domain: Domain[Any]


@dataclass(frozen=True, eq=False)
class Compound:
    """A value with several cells that is computed: what each of them is."""

    domain: Domain[Any]
    cells: tuple[Term, ...]


@dataclass(frozen=True, eq=False)
class ValueTuple:
    """Some values side by side: a list or tuple of which some depend on the state."""

    values: tuple[Value, ...]


@dataclass(frozen=True, eq=False)
class Gathered:
    """What a display or comprehension gathers: each value with the condition under which it is there.

    Of a dict the values are pairs.
    """

    kind: Literal["list", "set", "dict"]
    items: tuple[tuple[Expression | None, Value], ...]


Value = Fixed | Term | Stored | Compound | ValueTuple | Gathered


def scalar_of(domain: Domain[Any]) -> Scalar:
    """Return how the program stores the values of `domain`."""
    match domain:
        case BoolDomain():
            return Scalar(Kind.MTYPE, mtype=TRUTH)
        case EnumDomain(enum=enum):
            return Scalar(Kind.MTYPE, mtype=enum.__name__)
        case ChannelDomain():
            return Scalar(Kind.CHAN)
        case OwnerDomain():
            return Scalar(Kind.MTYPE, mtype=str(domain))
        case OptionalDomain(inner=IntDomain(least=least, greatest=greatest)) if least < 0 or greatest >= MOST_MEMBERS:
            return scalar_of(IntDomain(least, greatest + 1))
        case OptionalDomain():
            return Scalar(Kind.MTYPE, mtype=str(domain))
        case IntDomain(least=least, greatest=greatest):
            if least >= 0 and greatest <= 0xFF:
                return Scalar(Kind.BYTE)
            return Scalar(Kind.SHORT if least >= -0x8000 and greatest <= 0x7FFF else Kind.INT)
    raise AssertionError(domain)


def domain_of_value(value: object) -> Domain[Any] | None:
    """The least domain with this value, if a variable can have it."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, Enum):
        return EnumDomain(type(value))
    if isinstance(value, int) and WIDEST[0] <= value <= WIDEST[1]:
        return IntDomain(value, value)
    if field_names(type(value)) is not None:
        return domain_of(type(value))
    return None


def number_of(value: object) -> int:
    """Return the number by which the program knows `value`."""
    if isinstance(value, Enum):
        return 1 + list(type(value)).index(value)
    assert isinstance(value, int)
    return int(value)


def constant(value: object, place: Place) -> Constant:
    """Return `value` as an expression written at `place`."""
    if isinstance(value, Enum):
        return Constant(number_of(value), place, value.name, type(value).__name__)
    if isinstance(value, bool):
        return Constant(int(value), place, str(value), TRUTH)
    return Constant(number_of(value), place)


def none_of(domain: OptionalDomain) -> int:
    """Return the number by which the program knows None among the values of `domain`, which has one cell."""
    match domain.inner:
        case BoolDomain():
            return 2
        case IntDomain(greatest=greatest):
            return greatest + 1
    return 0


def names_of(domain: Domain[Any]) -> Mapping[str, int]:
    """Return the names of the values of a `domain` of one cell, by which people know their numbers."""
    match domain:
        case BoolDomain():
            return {"False": 0, "True": 1}
        case EnumDomain(enum=enum):
            return {each.name: number for number, each in enumerate(enum, 1)}
        case OptionalDomain(inner=inner):
            return {"None": none_of(domain), **names_of(inner)}
        case OwnerDomain(processes=processes):
            return {"None": 0, **{name: number for number, name in enumerate(processes, 1)}}
    return {}


def term(value: Value, place: Place) -> Term | None:
    """The `value` as one of a state, at `place`, or None if no variable can have it."""
    if isinstance(value, Term):
        return value
    domain = domain_of_value(value.value) if isinstance(value, Fixed) else None
    if isinstance(domain, RecordDomain):
        return None
    return Term(constant(value.value, place), domain) if domain is not None and isinstance(value, Fixed) else None


def as_int(domain: Domain[Any]) -> IntDomain | None:
    """The numbers that values of a domain are; truth values are 0 and 1, members of an Enum are none."""
    if isinstance(domain, IntDomain):
        return domain
    return IntDomain(0, 1) if isinstance(domain, BoolDomain) else None


def joined(one: Domain[Any], other: Domain[Any]) -> Domain[Any] | None:
    """The least domain that has the values of `one` and `other`, or None if they have nothing to do with each other."""
    if one == other:
        return one
    if isinstance(one, OptionalDomain) or isinstance(other, OptionalDomain):
        inner = joined(*(each.inner if isinstance(each, OptionalDomain) else each for each in (one, other)))
        return OptionalDomain(inner) if inner is not None else None
    a, b = as_int(one), as_int(other)
    return IntDomain(min(a.least, b.least), max(a.greatest, b.greatest)) if a is not None and b is not None else None


def junction(operator: str, parts: Iterable[Expression], neutral: bool, place: Place) -> Term:
    """Return the conjunction or disjunction of `parts` by `operator`, at `place`; of none it is `neutral`."""
    found: Expression | None = None
    for part in parts:
        found = part if found is None else Binary(operator, found, part, place)
    return Term(constant(neutral, place) if found is None else found, BOOL)


def total(parts: Iterable[Term], place: Place) -> Term:
    """Return the sum of `parts`, which are numbers, at `place`."""
    expression: Expression = Constant(0, place)
    least = greatest = 0
    for number, part in enumerate(parts):
        bounds = as_int(part.domain)
        assert bounds is not None
        expression = Binary("+", expression, part.expression, place) if number else part.expression
        least, greatest = least + bounds.least, greatest + bounds.greatest
    return Term(expression, IntDomain(least, greatest))


def extreme(operator: str, parts: list[Term], place: Place) -> Term:
    """Return, at `place`, the least of `parts` with the `operator` `<=`, the greatest with `>=`."""
    bounds = [each for part in parts if (each := as_int(part.domain)) is not None]
    pick = min if operator == "<=" else max
    domain = IntDomain(pick(each.least for each in bounds), pick(each.greatest for each in bounds))
    expression = parts[-1].expression
    for number in range(len(parts) - 2, -1, -1):
        mine = parts[number].expression
        others = [Binary(operator, mine, other.expression, place) for other in parts[number + 1 :]]
        expression = Conditional(junction("&&", others, True, place).expression, mine, expression, place)
    return Term(expression, domain)
