"""Iterations over what is bounded: comprehensions written out, and any, all, sum, len, count, min and max of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

from everafter.model.domains import WIDEST, IntDomain
from everafter.promela.model import Binary, Conditional, Expression, Unary
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import (
    CellArray,
    Fixed,
    Term,
    Value,
    ValueTuple,
    as_int,
    constant,
    extreme,
    junction,
    total,
)
from everafter.record import dataclass
from everafter.source import Place

MOST_ITEMS: Final = 10_000
"""More values than this are not written out one by one."""


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

    def as_term(self, value: Value, node: ast.expr) -> Term:
        """Return `value`, which `node` is, as one of a variable."""

    def bounds(self, value: Term, node: ast.expr) -> IntDomain:
        """Return the range of `value`, which `node` is."""

    def equal(self, one: Term, other: Term, node: ast.expr) -> Expression:
        """Return whether `one` equals `other`, as `node` asks."""


def items_of(reader: ItemReader, node: ast.expr) -> Items:
    """Return what an iteration over `node`, read by `reader`, takes."""
    if isinstance(node, ast.GeneratorExp | ast.ListComp) and reader.namespace.known(node) is None:
        return Items(tuple(_comprehended(reader, node, 0, None)))
    return Items(tuple((None, each) for each in _listed(reader, reader.value(node), node)))


def _listed(reader: ItemReader, value: Value, node: ast.expr) -> list[Value]:
    match value:
        case CellArray(domain=domain):
            elements = value.elements(reader.place(node))
            return elements if domain.length <= MOST_ITEMS else _too_many(node)
        case ValueTuple(values=values):
            return list(values)
        case Fixed(value=known):
            return _taken(known, node)
        case _:
            raise PythonProblem(
                node, "this is one value and no list", "a range, an array or a list can be gone through"
            )


def _taken(known: Any, node: ast.expr) -> list[Value]:
    try:
        found: list[Value] = []
        for each in known:
            found.append(Fixed(each))
            if len(found) > MOST_ITEMS:
                return _too_many(node)
    except TypeError as error:
        raise PythonProblem(node, str(error), "a range, an array or a list can be gone through") from None
    return found


def _too_many(node: ast.expr) -> list[Value]:
    raise PythonProblem(node, f"more than {MOST_ITEMS:,} values", "a smaller number of them often shows the same")


def _comprehended(
    reader: ItemReader, node: ast.GeneratorExp | ast.ListComp, depth: int, guard: Expression | None
) -> Iterator[tuple[Expression | None, Value]]:
    """The values of a comprehension from its `for` number `depth` on, under a condition."""
    if depth == len(node.generators):
        yield guard, reader.value(node.elt)
        return
    clause = node.generators[depth]
    if clause.is_async:
        raise PythonProblem(node, "`async for` cannot be used in a model")
    for own, value in items_of(reader, clause.iter).each:
        inner = reader.inside(reader.namespace.binding(bound(clause.target, value)))
        together = _both(guard, own, reader.place(node))
        for test in clause.ifs:
            known = inner.condition(test)
            if isinstance(known, Fixed):
                if not known.value:
                    break
            elif isinstance(known, Term):
                together = _both(together, known.expression, reader.place(test))
        else:
            yield from _comprehended(inner, node, depth + 1, together)


def bound(target: ast.expr, value: Value) -> dict[str, Value]:
    """Return what the names in `target` mean when `value` is assigned to it."""
    match target:
        case ast.Name(id=name):
            return {name: value}
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = value.values if isinstance(value, ValueTuple) else None
            if isinstance(value, Fixed) and isinstance(value.value, list | tuple):
                values = tuple(map(Fixed, value.value))
            if values is None or len(values) != len(parts):
                raise PythonProblem(target, f"this is not {len(parts)} values")
            return {
                name: item for part, each in zip(parts, values, strict=True) for name, item in bound(part, each).items()
            }
        case _:
            raise PythonProblem(target, "only names can be bound here")


def _both(one: Expression | None, other: Expression | None, place: Place) -> Expression | None:
    if one is None or other is None:
        return one if other is None else other
    return Binary("&&", one, other, place)


# What functions of Python make of them


def summary(reader: ItemReader, function: Any, node: ast.Call) -> Value:
    """Return what `function`, called as `node` says, gives, read by `reader`."""
    made = _SUMMARIES.get(_key(function))
    if made is None:
        name = reader.namespace.text.written(node.func)
        raise PythonProblem(node, f"'{name}' cannot be called here", f"these can: {', '.join(_CALLABLE)}, and methods")
    if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
        raise PythonProblem(node, "only values in their places can be passed here")
    return made(reader, node)


def _key(function: Any) -> Any:
    try:
        hash(function)
    except TypeError:
        return None
    return function


def _only(node: ast.Call) -> ast.expr:
    if len(node.args) != 1:
        raise PythonProblem(node, "one value is passed here")
    return node.args[0]


def _conditions(reader: ItemReader, node: ast.Call, is_all: bool) -> Value:
    """Any or all."""
    place = reader.place(node)
    parts: list[Expression] = []
    for guard, value in items_of(reader, _only(node)).each:
        known = reader.truth(value, node)
        if isinstance(known, Fixed):
            if guard is None and bool(known.value) != is_all:
                return Fixed(not is_all)
            if bool(known.value) == is_all:
                continue
        expression = known.expression if isinstance(known, Term) else constant(not is_all, place)
        if guard is not None:
            denied = Unary("!", guard, place)
            pair = ("||", denied) if is_all else ("&&", guard)
            expression = Binary(pair[0], pair[1], expression, place)
        parts.append(expression)
    return junction("&&" if is_all else "||", parts, is_all, place) if parts else Fixed(is_all)


def _sum(reader: ItemReader, node: ast.Call) -> Value:
    place = reader.place(node)
    parts = []
    for guard, value in items_of(reader, _only(node)).each:
        part = reader.as_term(value, node)
        bounds = reader.bounds(part, node)
        if guard is not None:
            domain = IntDomain(min(0, bounds.least), max(0, bounds.greatest))
            part = Term(Conditional(guard, part.expression, constant(0, place), place), domain)
        parts.append(part)
    found = total(parts, place)
    if (
        not isinstance(found.domain, IntDomain)
        or not WIDEST[0] <= found.domain.least <= found.domain.greatest <= WIDEST[1]
    ):
        raise PythonProblem(node, "this may be beyond 32 bits", "use smaller ranges")
    return found


def _length(reader: ItemReader, node: ast.Call) -> Value:
    place = reader.place(node)
    guards = [guard for guard, _ in items_of(reader, _only(node)).each]
    if not any(guard is not None for guard in guards):
        return Fixed(len(guards))
    return total([_counted(constant(True, place) if guard is None else guard) for guard in guards], place)


def _counted(condition: Expression) -> Term:
    """One if a condition is true, else none."""
    one, none = constant(1, condition.place), constant(0, condition.place)
    return Term(Conditional(condition, one, none, condition.place), IntDomain(0, 1))


def _count(reader: ItemReader, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    wanted = reader.term(_only(node))
    items = items_of(reader, node.func.value).unguarded(node)
    same = [reader.equal(reader.as_term(each, node), wanted, node) for each in items]
    return total([Term(each, IntDomain(0, 1)) for each in same], reader.place(node))


def _extreme(operator: str) -> Callable[[ItemReader, ast.Call], Value]:
    def found(reader: ItemReader, node: ast.Call) -> Value:
        items = items_of(reader, node.args[0]).unguarded(node) if len(node.args) == 1 else map(reader.value, node.args)
        parts = [reader.as_term(each, node) for each in items]
        for part in parts:
            reader.bounds(part, node)
        if not parts:
            raise PythonProblem(node, "there is no least or greatest of nothing")
        return extreme(operator, parts, reader.place(node))

    return found


def _absolute(reader: ItemReader, node: ast.Call) -> Value:
    part, place = reader.term(_only(node)), reader.place(node)
    bounds = reader.bounds(part, node)
    negative = Binary("<", part.expression, constant(0, place), place)
    greatest = max(abs(bounds.least), abs(bounds.greatest))
    if greatest >= 1 << 31:
        raise PythonProblem(node, "this may be beyond 32 bits", "use smaller ranges")
    expression = Conditional(negative, Unary("-", part.expression, place), part.expression, place)
    return Term(expression, IntDomain(0, greatest))


def _as_bool(reader: ItemReader, node: ast.Call) -> Value:
    return reader.condition(_only(node))


def _as_int(reader: ItemReader, node: ast.Call) -> Value:
    part = reader.term(_only(node))
    reader.bounds(part, node)
    return Term(part.expression, as_int(part.domain) or IntDomain(0, 0))


def _as_row(reader: ItemReader, node: ast.Call) -> Value:
    return ValueTuple(tuple(items_of(reader, _only(node)).unguarded(node)))


def _numbered(reader: ItemReader, node: ast.Call) -> Value:
    items = items_of(reader, _only(node)).unguarded(node)
    return ValueTuple(tuple(ValueTuple((Fixed(number), each)) for number, each in enumerate(items)))


def _zipped(reader: ItemReader, node: ast.Call) -> Value:
    lists = [items_of(reader, each).unguarded(node) for each in node.args]
    return ValueTuple(tuple(ValueTuple(tuple(each)) for each in zip(*lists, strict=False)))


def _reversed(reader: ItemReader, node: ast.Call) -> Value:
    return ValueTuple(tuple(reversed(items_of(reader, _only(node)).unguarded(node))))


_SUMMARIES: Final[dict[Any, Callable[[ItemReader, ast.Call], Value]]] = {
    any: lambda reader, node: _conditions(reader, node, False),
    all: lambda reader, node: _conditions(reader, node, True),
    sum: _sum,
    len: _length,
    min: _extreme("<="),
    max: _extreme(">="),
    abs: _absolute,
    bool: _as_bool,
    int: _as_int,
    list: _as_row,
    tuple: _as_row,
    enumerate: _numbered,
    zip: _zipped,
    reversed: _reversed,
    list.count: _count,
}
_CALLABLE: Final = [each.__name__ for each in _SUMMARIES if isinstance(each, type) or hasattr(each, "__module__")][:-1]
