"""Expressions over lists, deques, sets, dicts and records: elements, what is in them, what is made of them."""

from __future__ import annotations

import ast
import dataclasses
from collections import deque
from typing import Any, Final

from everafter.model.containers import DictDomain, ListDomain, SetDomain, keys_of
from everafter.model.domains import (
    ArrayDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    OptionalDomain,
    RecordDomain,
    domain_of,
    field_names,
)
from everafter.model.synchronization import (
    ChannelDomain,
)
from everafter.promela.model import Binary, Conditional, Expression, Match, Poll, Unary
from everafter.pymodel.bounded_items import items_of
from everafter.pymodel.container_items import ItemReader, Items, content, is_given, length_of, presence
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import (
    ELEMENTS,
    LENGTH,
    cells,
    cells_of_domain,
    compound,
    element,
    part,
)
from everafter.pymodel.typed_values import (
    BOOL,
    Compound,
    Fixed,
    Gathered,
    Stored,
    Term,
    Value,
    ValueTuple,
    as_int,
    constant,
    junction,
)
from everafter.source import closest


def position(reader: ItemReader, key: Value, domain: Domain[Any], node: ast.expr) -> Expression:
    """Return where in a set or dict with keys of `domain` the `key` is, which `node` is, read by `reader`;
    another is an error.
    """
    place = reader.place(node)
    if isinstance(key, Fixed):
        keys = keys_of(domain)
        if key.value not in keys or isinstance(key.value, bool) != isinstance(domain, BoolDomain):
            raise PythonProblem(node, f"{key.value!r} is no value of {domain}")
        return constant(keys.index(key.value), place)
    (found,) = reader.fitted(key, domain, node, reader.namespace.text.written(node))
    offset = domain.least if isinstance(domain, IntDomain) else int(isinstance(domain, EnumDomain))
    return Binary("-", found, constant(offset, place), place) if offset else found


def element_of(reader: ItemReader, value: Stored | Compound, node: ast.Subscript) -> Value:
    """Return the element of a list or dict, or field of a NamedTuple, that `node` names, read by `reader`, for
    `value`.
    """
    place = reader.place(node)
    match value:
        case Stored(domain=DictDomain(key=key)):
            return reader.plain(entry(reader, value, node.slice, key), node)
        case Stored(domain=ListDomain()):
            length, held = part(value, LENGTH, place), part(value, ELEMENTS, place)
            assert isinstance(length, Term)
            assert isinstance(held, Stored)
            return element(held, list_index(reader, length.expression, node.slice), place)
        case Stored(domain=RecordDomain(fields=fields)) | Compound(domain=RecordDomain(fields=fields)):
            known = reader.namespace.known(node.slice)
            if known is not None and type(known.value) is int and -len(fields) <= known.value < len(fields):
                return part(value, fields[known.value][0], place)
    raise PythonProblem(node, f"an element of {value.domain} cannot be taken here", "assign it to a variable first")


def entry(reader: ItemReader, value: Stored, key: ast.expr, domain: Domain[Any]) -> Term | Stored:
    """Return what the dict `value`, with keys of `domain`, has for `key`, which is None where there is nothing,
    read by `reader`.
    """
    return element(value, position(reader, reader.value(key), domain, key), reader.place(key))


def list_index(reader: ItemReader, length: Expression, node: ast.expr) -> Expression:
    """Return the index that `node` is into a list of some `length`, read by `reader`; one outside becomes -1,
    which is an error.
    """
    place = reader.place(node)
    known = reader.namespace.known(node)
    if known is not None and type(known.value) is int and known.value < 0:
        return Binary("-", length, constant(-known.value, place), place)
    found = reader.as_term(reader.plain(reader.value(node), node), node)
    bounds = reader.bounds(found, node)
    inside: Expression = Binary("<", found.expression, length, place)
    if bounds.least < 0:
        inside = Binary("&&", Binary(">=", found.expression, constant(0, place), place), inside, place)
    return Conditional(inside, found.expression, constant(-1, place), place)


def sliced(reader: ItemReader, value: Value, node: ast.Subscript, part_of: ast.Slice) -> Value:
    """Return the part of a list that `node` takes, read by `reader`, for `value`: `part_of` has bounds that are
    known before the run.
    """
    place = reader.place(node)
    bounds = [0 if part_of.lower is None else _known_bound(reader, part_of.lower)]
    upper = None if part_of.upper is None else _known_bound(reader, part_of.upper)
    length = length_of(value, place)
    items = items_of(reader, node.value).each
    if part_of.step is not None or bounds[0] < 0:
        raise PythonProblem(node, "only xs[a:b] with numbers can be taken", "write a comprehension over the indices")
    if length is None or not isinstance(value, Stored | Compound) or not isinstance(value.domain, ListDomain):
        return ValueTuple(tuple(Items(items).unguarded(node)[bounds[0] : upper]))
    if upper is not None and upper < 0:
        limit = Binary("+", length.expression, constant(upper, place), place)
        items = tuple(
            (Binary("<", constant(number, place), limit, place), each) for number, (_, each) in enumerate(items)
        )
        upper = None
    return Gathered("list", items[bounds[0] : upper])


def _known_bound(reader: ItemReader, node: ast.expr) -> int:
    known = reader.namespace.known(node)
    if known is None or type(known.value) is not int:
        raise PythonProblem(node, "the run decides this bound", "write a comprehension over the indices")
    return known.value


# Operators


def contained(reader: ItemReader, value: Value, right: ast.expr, node: ast.expr) -> Expression:
    """Return whether `value` is in what `right` is, as `node` asks, read by `reader`."""
    place = reader.place(node)
    if isinstance(right, ast.GeneratorExp | ast.ListComp | ast.SetComp):
        return reader.member(value, items_of(reader, right), node)
    held = reader.plain(reader.value(right), right)
    match held:
        case Term(domain=ChannelDomain(message=message, capacity=capacity)) if capacity:
            arguments = tuple(Match(each) for each in reader.fitted(value, message, node, "the message"))
            return Poll(held.expression, arguments, True, place)
        case Stored(domain=SetDomain(key=key) | DictDomain(key=key)) if isinstance(value, Term):
            return at_key(reader, value, held, key, node)
        case Stored(domain=DictDomain()) | Compound(domain=DictDomain()):
            found = content(reader, held, node)
            assert found is not None
            return reader.member(value, _possible(found, value), node)
    items = items_of(reader, right)
    return reader.member(value, _possible(items, value) if _has_keys(held) else items, node)


def _has_keys(value: Value) -> bool:
    return isinstance(value, Stored | Compound) and isinstance(value.domain, SetDomain | DictDomain)


def _possible(items: Items, value: Value) -> Items:
    """Those that may be `value`: of a known one, the one key."""
    if not isinstance(value, Fixed):
        return items
    return Items(tuple(each for each in items.each if isinstance(each[1], Fixed) and each[1].value == value.value))


def at_key(reader: ItemReader, value: Term, held: Stored, key: Domain[Any], node: ast.expr) -> Expression:
    """Return whether `value`, a key that the run decides, is in `held` with keys of `key`, as `node`, read by
    `reader`, asks.
    """
    place = reader.place(node)
    inner = value.domain.inner if isinstance(value.domain, OptionalDomain) else value.domain
    bounds = as_int(inner)
    is_number = isinstance(key, IntDomain)
    if (bounds is None) == is_number or (bounds is None and inner != key):
        raise PythonProblem(node, f"a value of {value.domain} is never in one of {key}")
    guards: list[Expression] = []
    if isinstance(value.domain, OptionalDomain):
        guards.append(is_given(value, place))
    expression = value.expression
    if isinstance(key, IntDomain) and bounds is not None and (
        bounds.least < key.least or bounds.greatest > key.greatest
    ):  # fmt: skip
        guards.append(Binary(">=", expression, constant(key.least, place), place))
        guards.append(Binary("<=", expression, constant(key.greatest, place), place))
    offset = key.least if isinstance(key, IntDomain) else int(isinstance(key, EnumDomain))
    index = Binary("-", expression, constant(offset, place), place) if offset else expression
    found = element(held, index, place)
    is_there = is_given(found, place) if isinstance(held.domain, DictDomain) else cells(found, place)[0].expression
    return junction("&&", [*guards, is_there], True, place).expression


def as_set(reader: ItemReader, value: Value, domain: SetDomain[Any], node: ast.expr) -> list[Expression]:
    """Return for each key of `domain` whether it is in the set `value`, which `node` has, read by `reader`."""
    if isinstance(value, Stored | Compound) and value.domain == domain:
        return presence(value, reader.place(node))
    return reader.fitted(value, domain, node, "the set")


def _set_domain(*values: Value) -> SetDomain[Any] | None:
    found = (each.domain for each in values if isinstance(each, Stored | Compound))
    return next((each for each in found if isinstance(each, SetDomain)), None)


def subset(reader: ItemReader, one: Value, other: Value, sign: str, node: ast.expr) -> Expression | None:
    """Return whether of two sets `one` has as `sign` says what `other` has, read by `reader`, as `node` says;
    None if they are none.
    """
    domain = _set_domain(one, other)
    if domain is None:
        return None
    place = reader.place(node)
    if sign in (">", ">="):
        one, other, sign = other, one, {">": "<", ">=": "<="}[sign]
    a, b = as_set(reader, one, domain, node), as_set(reader, other, domain, node)
    pairs = list(zip(a, b, strict=True))
    within = junction("&&", [Binary("||", Unary("!", x, place), y, place) for x, y in pairs], True, place)
    if sign == "<=":
        return within.expression
    more = junction("||", [Binary("&&", y, Unary("!", x, place), place) for x, y in pairs], False, place)
    return Binary("&&", within.expression, more.expression, place)


_ON_SETS: Final[dict[type[ast.operator], str]] = {ast.BitOr: "||", ast.BitAnd: "&&", ast.Sub: "-", ast.BitXor: "!="}


def combined(reader: ItemReader, one: Value, other: Value, node: ast.BinOp) -> Value | None:
    """Return what the operator of `node` makes of two sets or two lists, read by `reader`, of `one`, and `other`;
    None if they are none.
    """
    place = reader.place(node)
    domain = _set_domain(one, other)
    sign = _ON_SETS.get(type(node.op))
    if domain is not None and sign is not None:
        pairs = zip(as_set(reader, one, domain, node), as_set(reader, other, domain, node), strict=True)
        made = [
            Binary("&&", a, Unary("!", b, place), place) if sign == "-" else Binary(sign, a, b, place) for a, b in pairs
        ]
        return compound(domain, [Term(each, BOOL) for each in made])
    if isinstance(node.op, ast.Add) and any(map(_is_list, (one, other))):
        both = (*items_of(reader, node.left).each, *items_of(reader, node.right).each)
        return Gathered("list", both)
    return None


def _is_list(value: Value) -> bool:
    match value:
        case Stored(domain=domain) | Compound(domain=domain):
            return isinstance(domain, ListDomain | ArrayDomain)
        case Gathered(kind="list") | ValueTuple() | Fixed(value=list() | tuple()):
            return True
    return False


# Calls


def constructed(reader: ItemReader, function: Any, node: ast.Call) -> Value | None:
    """Return what `function`, a class of records or of containers, makes as `node` says, read by `reader`; None
    if it is none.
    """
    if isinstance(function, type) and field_names(function) is not None:
        domain = domain_of(function)
        assert isinstance(domain, RecordDomain)
        return _record(reader, domain, node, {})
    if function is dataclasses.replace and node.args:
        return replaced(reader, reader.value(node.args[0]), node, node.args[1:])
    if function in (list, set, deque, dict, frozenset) and len(node.args) <= 1 and not node.keywords:
        return _copied(reader, function, node)
    return None


def _copied(reader: ItemReader, function: Any, node: ast.Call) -> Value | None:
    if not node.args:
        return Fixed(function())
    if isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
        items = items_of(reader, node.args[0])
        return Gathered("set" if function in (set, frozenset) else "list", items.each)
    value = reader.value(node.args[0])
    match value:
        case Stored(domain=ListDomain(element=inner, most=most)) if function in (list, deque):
            return Compound(ListDomain(inner, most), tuple(cells(value, reader.place(node))))
        case Stored(domain=SetDomain()) if function in (set, frozenset):
            return Compound(value.domain, tuple(cells(value, reader.place(node))))
        case Stored(domain=DictDomain()) if function is dict:
            return Compound(value.domain, tuple(cells(value, reader.place(node))))
        case Stored(domain=SetDomain() | DictDomain()) if function in (list, deque):
            return Gathered("list", items_of(reader, node.args[0]).each)
        case Compound():
            return value
    if function in (set, frozenset):
        return Gathered("set", items_of(reader, node.args[0]).each)
    return Gathered("list", items_of(reader, node.args[0]).each) if function is deque else None


def _record(reader: ItemReader, domain: RecordDomain, node: ast.Call, rest: dict[str, Value]) -> Value:
    """The record that a call makes; fields that it does not give are taken from `rest`, or have their defaults."""
    names = [name for name, _ in domain.fields]
    if len(node.args) > len(names) or any(isinstance(each, ast.Starred) for each in node.args):
        raise PythonProblem(node, f"{domain} has {len(names)} fields", f"{domain}({', '.join(names)})")
    given: dict[str, tuple[Value, ast.expr]] = {
        name: (reader.value(each), each) for name, each in zip(names, node.args, strict=False)
    }
    for keyword in node.keywords:
        if keyword.arg not in names or keyword.arg in given:
            wrong = str(keyword.arg)
            raise PythonProblem(keyword.value, f"{domain} takes no '{wrong}' here", closest(wrong, names))
        given[keyword.arg] = (reader.value(keyword.value), keyword.value)
    defaults = _defaults(domain.kind)
    found: list[Expression] = []
    for name, each in domain.fields:
        if name not in given and name not in rest and name not in defaults:
            raise PythonProblem(node, f"{domain} needs a value for '{name}'", f"{domain}({', '.join(names)})")
        value, at = given.get(name, (rest[name] if name in rest else Fixed(defaults.get(name)), node))
        found += reader.fitted(value, each, at, f"{domain}.{name}")
    pairs = zip(found, cells_of_domain(domain), strict=True)
    return compound(domain, [Term(cell, each) for cell, each in pairs])


def _defaults(kind: Any) -> dict[str, Any]:
    if hasattr(kind, "_field_defaults"):
        return dict(kind._field_defaults)
    return {each.name: each.default for each in dataclasses.fields(kind) if each.default is not dataclasses.MISSING}


def replaced(reader: ItemReader, value: Value, node: ast.Call, more: list[ast.expr]) -> Value:
    """Return the record `value` with other fields, as `node` says, with `more` values, read by `reader`."""
    value = reader.plain(value, node)
    place = reader.place(node)
    if isinstance(value, Fixed):
        domain = domain_of(type(value.value)) if field_names(type(value.value)) is not None else None
        rest = {name: Fixed(getattr(value.value, name)) for name in field_names(type(value.value)) or ()}
    else:
        domain = value.domain if isinstance(value, Stored | Compound) else None
        rest = {}
    if not isinstance(domain, RecordDomain) or more:
        raise PythonProblem(node, "this is no record", "a NamedTuple or a frozen dataclass is")
    if isinstance(value, Stored | Compound):
        rest = {name: part(value, name, place) for name, _ in domain.fields}  # type: ignore[misc] # all are values
    bare = ast.copy_location(ast.Call(node.func, [], node.keywords), node)
    return _record(reader, domain, bare, dict(rest))
