"""What the methods of containers, channels and locks give, and which of them change what they are called on."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from everafter.model.containers import DictDomain, ListDomain, SetDomain
from everafter.model.domains import ArrayDomain, IntDomain, RecordDomain
from everafter.model.synchronization import (
    BarrierDomain,
    ChannelDomain,
    ConditionDomain,
    EventDomain,
    LockDomain,
    RLockDomain,
    SemaphoreDomain,
)
from everafter.model.tasks import AsyncEventDomain, AsyncLockDomain, AsyncQueueDomain
from everafter.promela.model import Binary, ChannelQuery, Conditional, Constant, Expression, Within
from everafter.pymodel.bounded_items import items_of
from everafter.pymodel.container_items import ItemReader, content, is_given
from everafter.pymodel.container_values import at_key, entry, replaced, subset
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import ITEMS, LENGTH, LOCKED, VALUE, cells, compound, part
from everafter.pymodel.typed_values import (
    BOOL,
    Compound,
    Fixed,
    Gathered,
    Stored,
    Term,
    Value,
    ValueTuple,
    constant,
    total,
)


def method_value(reader: ItemReader, value: Value, function: ast.Attribute, node: ast.Call) -> Value:
    """Return what the method `function` of `value` gives, called as `node` says, read by `reader`."""
    value = reader.plain(value, function.value)
    domain = value.domain if isinstance(value, Term | Stored | Compound) else None
    if function.attr == "_replace" and isinstance(domain, RecordDomain):
        return replaced(reader, value, node, node.args)
    kind = kind_of_value(value)
    made = _METHODS.get((kind, function.attr))
    if made is None:
        known = [name for one, name in _METHODS if one == kind]
        changing = function.attr in CHANGING.get(kind, ())
        if changing:
            advice = f"write it as a statement: {'x = ' * (function.attr in _GIVING)}xs.{function.attr}(…)"
            raise PythonProblem(node, f"'.{function.attr}' changes the state, and stands by itself", advice)
        listed = ", ".join(f".{name}(…)" for name in sorted({*known, *CHANGING.get(kind, ())}))
        raise PythonProblem(
            node,
            f"'.{function.attr}' cannot be called here",
            f"there are {listed}" if listed else "a method of the model is self.method(…)",
        )
    if node.keywords:
        raise PythonProblem(node, "only values in their places can be passed here")
    return made(reader, value, node)


def kind_of_value(value: Value) -> str:
    """Return in a word what `value` is, by which its methods are known; nothing for one without."""
    match value:
        case Gathered(kind=kind):
            return kind
        case ValueTuple():
            return "array"
        case Term(domain=ChannelDomain(is_queue=is_queue)):
            return "queue" if is_queue else "channel"
        case Term() | Stored() | Compound():
            return next((name for kind, name in _KINDS if isinstance(value.domain, kind)), "")
    return ""


_KINDS: Final[tuple[tuple[type[Any], str], ...]] = (
    (ArrayDomain, "array"),
    (ListDomain, "list"),
    (SetDomain, "set"),
    (DictDomain, "dict"),
    (LockDomain, "lock"),
    (RLockDomain, "rlock"),
    (BarrierDomain, "barrier"),
    (EventDomain, "event"),
    (SemaphoreDomain, "semaphore"),
    (ConditionDomain, "condition"),
    (AsyncLockDomain, "task lock"),
    (AsyncEventDomain, "task event"),
    (AsyncQueueDomain, "task queue"),
)
CHANGING: Final[dict[str, tuple[str, ...]]] = {
    "list": ("append", "appendleft", "clear", "insert", "pop", "popleft", "remove"),
    "set": ("add", "discard", "remove", "clear"),
    "dict": ("pop", "clear"),
    "channel": ("send", "receive"),
    "queue": ("put", "get", "put_nowait", "get_nowait", "task_done", "join"),
    "lock": ("acquire", "release"),
    "rlock": ("acquire", "release"),
    "barrier": ("wait",),
    "semaphore": ("acquire", "release"),
    "condition": ("acquire", "release", "wait", "wait_for", "notify", "notify_all"),
    "event": ("set", "clear", "wait"),
    "task lock": ("acquire", "release"),
    "task event": ("set", "clear", "wait"),
    "task queue": ("put", "get", "put_nowait", "get_nowait"),
}
"""The methods that change what they are called on, and are statements."""
_GIVING: Final = ("pop", "popleft", "receive", "get", "get_nowait")


def _count(reader: ItemReader, _value: Value, node: ast.Call) -> Value:
    assert isinstance(node.func, ast.Attribute)
    wanted = reader.value(_one(node))
    place = reader.place(node)
    parts: list[Expression] = []
    for guard, each in items_of(reader, node.func.value).each:
        same = reader.equal(each, wanted, node)
        parts.append(same if guard is None else Binary("&&", guard, same, place))
    return total([Term(each, IntDomain(0, 1)) for each in parts], place)


def _one(node: ast.Call) -> ast.expr:
    if len(node.args) != 1:
        raise PythonProblem(node, "one value is passed here")
    return node.args[0]


def _none(node: ast.Call) -> None:
    if node.args:
        raise PythonProblem(node, "nothing is passed here")


def _copy(reader: ItemReader, value: Value, node: ast.Call) -> Value:
    _none(node)
    assert isinstance(value, Stored | Compound)
    return compound(value.domain, cells(value, reader.place(node)))


def _get(reader: ItemReader, value: Value, node: ast.Call) -> Value:
    if not isinstance(value, Stored) or not isinstance(value.domain, DictDomain) or not 1 <= len(node.args) <= 2:
        raise PythonProblem(node, "a key is passed here, and what to take where it is missing")
    domain, place = value.domain, reader.place(node)
    key = reader.value(node.args[0])
    found = entry(reader, value, node.args[0], domain.key)
    default = reader.value(node.args[1]) if len(node.args) == 2 else Fixed(None)
    is_there = at_key(reader, key, value, domain.key, node) if isinstance(key, Term) else is_given(found, place)
    return reader.either(is_there, reader.plain(found, node), default, node)


def _taken(pairs: str) -> Callable[[ItemReader, Value, ast.Call], Value]:
    def found(reader: ItemReader, value: Value, node: ast.Call) -> Value:
        _none(node)
        assert isinstance(value, Stored | Compound)
        items = content(reader, value, node, pairs)
        assert items is not None
        return Gathered("list", items.each)

    return found


def _ask(query: Any) -> Callable[[ItemReader, Value, ast.Call], Value]:
    def found(reader: ItemReader, value: Value, node: ast.Call) -> Value:
        _none(node)
        assert isinstance(value, Term)
        assert isinstance(value.domain, ChannelDomain)
        place = reader.place(node)
        domain = IntDomain(0, value.domain.capacity) if query == "len" else BOOL
        return Term(ChannelQuery(query, value.expression, place), domain)

    return found


def _state(_reader: ItemReader, value: Value, node: ast.Call) -> Value:
    _none(node)
    assert isinstance(value, Term)
    return Term(value.expression, BOOL)


def _flag(name: str) -> Callable[[ItemReader, Value, ast.Call], Value]:
    def found(reader: ItemReader, value: Value, node: ast.Call) -> Value:
        _none(node)
        assert isinstance(value, Stored)
        return part(value, name, reader.place(node))

    return found


def _length(reader: ItemReader, value: Value, node: ast.Call) -> Value:
    _none(node)
    assert isinstance(value, Stored)
    items = part(value, ITEMS, reader.place(node))
    assert isinstance(items, Stored)
    return part(items, LENGTH, reader.place(node))


def _filled(sign: str, number: int | None) -> Callable[[ItemReader, Value, ast.Call], Value]:
    """Whether a queue of tasks has `number` items, or is full where that is None."""

    def found(reader: ItemReader, value: Value, node: ast.Call) -> Value:
        length, place = _length(reader, value, node), reader.place(node)
        assert isinstance(length, Term)
        assert isinstance(value, Stored)
        assert isinstance(value.domain, AsyncQueueDomain)
        most = value.domain.items.most if number is None else number
        return Term(Binary(sign, length.expression, constant(most, place), place), BOOL)

    return found


def _in_set(sign: str) -> Callable[[ItemReader, Value, ast.Call], Value]:
    def found(reader: ItemReader, value: Value, node: ast.Call) -> Value:
        other = reader.value(_one(node))
        test = subset(reader, value, other, sign, node)
        assert test is not None
        return Term(test, BOOL)

    return found


def _index(reader: ItemReader, value: Value, node: ast.Call) -> Value:
    """The first index of a value; it is an error if there is none."""
    place = reader.place(node)
    assert isinstance(node.func, ast.Attribute)
    wanted = reader.value(_one(node))
    found: Expression = Constant(-1, place)
    items = items_of(reader, node.func.value).each
    for number in range(len(items) - 1, -1, -1):
        guard, each = items[number]
        same = reader.equal(each, wanted, node)
        here = same if guard is None else Binary("&&", guard, same, place)
        found = Conditional(here, constant(number, place), found, place)
    name = reader.namespace.text.written(node)
    return Term(Within(found, 0, len(items) - 1, name, place), IntDomain(0, max(0, len(items) - 1)))


_METHODS: Final[dict[tuple[str, str], Callable[[ItemReader, Value, ast.Call], Value]]] = {
    ("array", "count"): _count,
    ("list", "count"): _count,
    ("array", "index"): _index,
    ("list", "index"): _index,
    ("array", "copy"): _copy,
    ("list", "copy"): _copy,
    ("set", "copy"): _copy,
    ("dict", "copy"): _copy,
    ("set", "issubset"): _in_set("<="),
    ("set", "issuperset"): _in_set(">="),
    ("dict", "get"): _get,
    ("dict", "keys"): _taken("keys"),
    ("dict", "values"): _taken("values"),
    ("dict", "items"): _taken("items"),
    ("channel", "empty"): _ask("empty"),
    ("channel", "full"): _ask("full"),
    ("queue", "empty"): _ask("empty"),
    ("queue", "full"): _ask("full"),
    ("queue", "qsize"): _ask("len"),
    ("lock", "locked"): _state,
    ("event", "is_set"): _state,
    ("task lock", "locked"): _flag(LOCKED),
    ("task event", "is_set"): _flag(VALUE),
    ("task queue", "empty"): _filled("==", 0),
    ("task queue", "full"): _filled("==", None),
    ("task queue", "qsize"): _length,
}
"""What the methods of values give that do not change them."""
