"""Iterations over what is bounded: comprehensions written out, and any, all, sum, len, count, min and max of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final

from everafter.model.containers import DictDomain, ListDomain
from everafter.model.domains import WIDEST, IntDomain
from everafter.promela.model import Binary, Conditional, Expression, Unary, Within
from everafter.pymodel.container_items import ItemReader, Items, content, length_of
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import side_by_side
from everafter.pymodel.typed_values import (
    Compound,
    Fixed,
    Gathered,
    Stored,
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

Comprehension = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
MOST_ITEMS: Final = 10_000
"""More values than this are not written out one by one."""


def items_of(reader: ItemReader, node: ast.expr) -> Items:
    """Return what an iteration over `node`, read by `reader`, takes."""
    if isinstance(node, Comprehension) and reader.namespace.known(node) is None:
        return Items(tuple(_comprehended(reader, node, 0, None)))
    value = reader.plain(reader.value(node), node)
    if isinstance(value, Gathered):
        return Items(
            value.items if value.kind != "dict" else tuple((guard, _key_of(each)) for guard, each in value.items)
        )
    found = content(reader, value, node) if isinstance(value, Stored | Compound) else None
    if found is not None:
        return found if len(found.each) <= MOST_ITEMS else Items(((None, _too_many(node)[0]),))
    return Items(tuple((None, each) for each in _listed(value, node)))


@dataclass(frozen=True, eq=False)
class LiveItems:
    """What a loop takes turn by turn, as it is then; of a list the loop ends at the first that is not there."""

    each: tuple[tuple[Expression | None, Value], ...]
    is_list: bool


def live_items(reader: ItemReader, node: ast.expr) -> LiveItems | None:
    """Return what a loop over `node`, a variable of the state, takes turn by turn, read by `reader`; None if it
    is none.
    """
    if reader.namespace.known(node) is not None or isinstance(node, Comprehension):
        return None
    if isinstance(node, ast.Call):
        return _live_call(reader, node)
    value = reader.plain(reader.value(node), node)
    found = content(reader, value, node) if isinstance(value, Stored) else None
    if found is None or not isinstance(value, Stored):
        return None
    return LiveItems(found.each, isinstance(value.domain, ListDomain))


def _live_call(reader: ItemReader, node: ast.Call) -> LiveItems | None:
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in ("keys", "values", "items") and not node.args:
        value = reader.value(function.value)
        if isinstance(value, Stored) and isinstance(value.domain, DictDomain):
            found = content(reader, value, node, function.attr)
            return LiveItems(found.each, False) if found is not None else None
    if reader.namespace.meaning(function) is enumerate and len(node.args) == 1 and not node.keywords:
        inner = live_items(reader, node.args[0])
        if inner is not None:
            numbered = enumerate(inner.each)
            if not inner.is_list and any(guard is not None for guard, _ in inner.each):
                raise PythonProblem(node, "the run decides which number an element of a set has", "go through it alone")
            return LiveItems(
                tuple((guard, ValueTuple((Fixed(i), each))) for i, (guard, each) in numbered), inner.is_list
            )
    return None


def _key_of(pair: Value) -> Value:
    assert isinstance(pair, ValueTuple)
    return pair.values[0]


def _listed(value: Value, node: ast.expr) -> list[Value]:
    match value:
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
    reader: ItemReader, node: Comprehension, depth: int, guard: Expression | None
) -> Iterator[tuple[Expression | None, Value]]:
    """The values of a comprehension from its `for` number `depth` on, under a condition."""
    if depth == len(node.generators):
        if isinstance(node, ast.DictComp):
            yield guard, ValueTuple((reader.value(node.key), reader.value(node.value)))
        else:
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
            if isinstance(value, Stored | Compound):
                values = side_by_side(value)
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
    allowed = ("default",) if function in (min, max) else ()
    if any(each.arg not in allowed for each in node.keywords) or any(
        isinstance(each, ast.Starred) for each in node.args
    ):
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
        part = reader.as_term(reader.plain(value, node), node)
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
    if not isinstance(_only(node), Comprehension):
        found = length_of(reader.plain(reader.value(_only(node)), node), place)
        if found is not None:
            return found
    guards = [guard for guard, _ in items_of(reader, _only(node)).each]
    if not any(guard is not None for guard in guards):
        return Fixed(len(guards))
    return total([_counted(constant(True, place) if guard is None else guard) for guard in guards], place)


def _counted(condition: Expression) -> Term:
    """One if a condition is true, else none."""
    one, none = constant(1, condition.place), constant(0, condition.place)
    return Term(Conditional(condition, one, none, condition.place), IntDomain(0, 1))


def _extreme(operator: str) -> Callable[[ItemReader, ast.Call], Value]:
    def found(reader: ItemReader, node: ast.Call) -> Value:
        default = next((each.value for each in node.keywords if each.arg == "default"), None)
        items = items_of(reader, node.args[0]).each if len(node.args) == 1 else ()
        items = items if len(node.args) == 1 else tuple((None, reader.value(each)) for each in node.args)
        parts = [(guard, reader.as_term(reader.plain(each, node), node)) for guard, each in items]
        for _, part in parts:
            reader.bounds(part, node)
        if all(guard is None for guard, _ in parts) and parts:
            return extreme(operator, [part for _, part in parts], reader.place(node))
        return _guarded_extreme(reader, operator, parts, default, node)

    return found


def _guarded_extreme(
    reader: ItemReader,
    operator: str,
    parts: list[tuple[Expression | None, Term]],
    default: ast.expr | None,
    node: ast.Call,
) -> Value:
    """The least or greatest of those that are there; of none it is the default, or an error."""
    place = reader.place(node)
    bounds = [each for _, part in parts if (each := as_int(part.domain)) is not None]
    if default is not None:
        other = reader.term(default)
        bounds.append(reader.bounds(other, default))
        expression = other.expression
    elif parts:
        name = f"{reader.namespace.text.written(node)} of nothing"
        expression = Within(constant(1, place), 0, 0, name, place)
    else:
        raise PythonProblem(node, "there is no least or greatest of nothing")
    domain = IntDomain(min(each.least for each in bounds), max(each.greatest for each in bounds))
    for number in range(len(parts) - 1, -1, -1):
        guard, mine = parts[number]
        tests = [] if guard is None else [guard]
        for one, other in parts[number + 1 :]:
            better: Expression = Binary(operator, mine.expression, other.expression, place)
            tests.append(better if one is None else Binary("||", Unary("!", one, place), better, place))
        test = junction("&&", tests, True, place).expression
        expression = Conditional(test, mine.expression, expression, place)
    return Term(expression, domain)


def _number(reader: ItemReader, node: ast.Call) -> Term:
    inner = _only(node)
    return reader.as_term(reader.plain(reader.value(inner), inner), inner)


def _absolute(reader: ItemReader, node: ast.Call) -> Value:
    part, place = _number(reader, node), reader.place(node)
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
    part = _number(reader, node)
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
}
_CALLABLE: Final = [each.__name__ for each in _SUMMARIES if isinstance(each, type) or hasattr(each, "__module__")]
