"""What an iteration takes: values, each with the condition under which it is there."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from everafter.model.containers import DictDomain, ListDomain, SetDomain, keys_of
from everafter.model.domains import ArrayDomain, Domain, IntDomain, OptionalDomain
from everafter.model.synchronization import ChannelDomain
from everafter.promela.model import Binary, ChannelQuery, Expression
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import ELEMENTS, GIVEN, LENGTH, elements, part
from everafter.pymodel.typed_values import (
    BOOL,
    Compound,
    Fixed,
    Stored,
    Term,
    Value,
    ValueTuple,
    constant,
    none_of,
    total,
)
from everafter.record import dataclass
from everafter.source import Place


@dataclass(frozen=True, eq=False)
class Items:
    """What an iteration takes, in order: each value with the condition under which it is there, if there is one."""

    each: tuple[tuple[Expression | None, Value], ...]

    def unguarded(self, node: ast.expr) -> list[Value]:
        """The values of `node`, which must all be there in every state."""
        if any(guard is not None for guard, _ in self.each):
            raise PythonProblem(node, "how many values this has depends on the state", "any, all, sum and len take it")
        return [value for _, value in self.each]


class ItemReader(Protocol):
    """What reads the expressions inside."""

    @property
    def namespace(self) -> Namespace:
        """What names mean."""

    def inside(self, namespace: Namespace) -> ItemReader:
        """Return a reader for `namespace`."""

    def place(self, node: ast.AST) -> Place:
        """Return where `node` is."""

    def value(self, node: ast.expr) -> Value:
        """Return what `node` is."""

    def condition(self, node: ast.expr) -> Value:
        """Return whether `node` is true."""

    def truth(self, value: Value, node: ast.expr) -> Value:
        """Return whether `value`, which `node` is, is true."""

    def term(self, node: ast.expr) -> Term:
        """Return `node` as a value of a variable."""

    def plain(self, value: Value, node: ast.expr) -> Value:
        """Return `value`, which `node` is, where it must not be None."""

    def fitted(self, value: Value, domain: Domain[Any], node: ast.expr, name: str) -> list[Expression]:
        """Return the cells of `value`, which `node` is, as one of `domain`, which `name` has."""

    def either(self, test: Expression, chosen: Value, other: Value, node: ast.expr) -> Value:
        """Return `chosen` where `test` is true, and `other` where not, as `node` says."""

    def member(self, value: Value, items: Items, node: ast.expr) -> Expression:
        """Return whether `value` is one of `items`, as `node` asks."""

    def as_term(self, value: Value, node: ast.expr) -> Term:
        """Return `value`, which `node` is, as one of a variable."""

    def bounds(self, value: Term, node: ast.expr) -> IntDomain:
        """Return the range of `value`, which `node` is."""

    def equal(self, one: Value, other: Value, node: ast.expr) -> Expression:
        """Return whether `one` equals `other`, as `node` asks."""


# Of containers


def length_of(value: Value, place: Place) -> Term | None:
    """Return how many values a list, set, dict or channel has, read at `place`, for `value`; None of others."""
    match value:
        case Term(domain=ChannelDomain(capacity=capacity)):
            return Term(ChannelQuery("len", value.expression, place), IntDomain(0, capacity))
        case Stored(domain=ListDomain()) | Compound(domain=ListDomain()):
            found = part(value, LENGTH, place)
            assert isinstance(found, Term)
            return found
        case Stored(domain=SetDomain() | DictDomain()) | Compound(domain=SetDomain() | DictDomain()):
            return total([Term(each, IntDomain(0, 1)) for each in presence(value, place)], place)
    return None


def is_filled(value: Stored | Compound, place: Place) -> Term | None:
    """Return whether a list, set or dict has any value, read at `place`, for `value`; None of others."""
    length = length_of(value, place)
    return Term(Binary(">", length.expression, constant(0, place), place), BOOL) if length is not None else None


def presence(value: Stored | Compound, place: Place) -> list[Expression]:
    """Return for each possible key of a set or dict whether it is there, read at `place`, for `value`."""
    found: list[Expression] = []
    for each in elements(value, place):
        if isinstance(value.domain, SetDomain):
            assert isinstance(each, Term)
            found.append(each.expression)
        else:
            found.append(is_given(each, place))
    return found


def is_given(value: Value, place: Place) -> Expression:
    """Return whether the optional `value`, read at `place`, is not None."""
    if isinstance(value, Term):
        assert isinstance(value.domain, OptionalDomain)
        return Binary("!=", value.expression, constant(none_of(value.domain), place), place)
    assert isinstance(value, Stored | Compound)
    given = part(value, GIVEN, place)
    assert isinstance(given, Term)
    return given.expression


def content(reader: ItemReader, value: Stored | Compound, node: ast.expr, pairs: str = "keys") -> Items | None:
    """Return what an iteration over `value`, which `node` is, takes, read by `reader`: of a dict its `pairs`.
    None of a record.
    """
    place = reader.place(node)
    match value.domain:
        case ArrayDomain():
            return Items(tuple((None, each) for each in elements(value, place)))
        case ListDomain():
            length, held = part(value, LENGTH, place), part(value, ELEMENTS, place)
            assert isinstance(length, Term)
            assert isinstance(held, Stored | Compound)
            listed = enumerate(elements(held, place))
            return Items(tuple((Binary("<", constant(i, place), length.expression, place), each) for i, each in listed))
        case SetDomain(key=key):
            return Items(tuple(zip(presence(value, place), map(Fixed, keys_of(key)), strict=True)))
        case DictDomain(key=key):
            inside = [reader.plain(each, node) for each in elements(value, place)]
            named: list[Value] = [Fixed(each) for each in keys_of(key)]
            both: list[Value] = [ValueTuple(pair) for pair in zip(named, inside, strict=True)]
            taken = {"keys": named, "values": inside, "items": both}[pairs]
            return Items(tuple(zip(presence(value, place), taken, strict=True)))
    return None
