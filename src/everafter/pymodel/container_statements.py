"""Methods that change lists, deques, sets and dicts: which cells they store, and what they give."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any, Final

from everafter.model.containers import DictDomain, ListDomain, SetDomain
from everafter.model.domains import Domain
from everafter.promela.model import Binary, Conditional, Expression, Reference, Within
from everafter.pymodel.container_items import ItemReader, is_given
from everafter.pymodel.container_values import entry, list_index, position
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import (
    ELEMENTS,
    LENGTH,
    cells,
    cells_of_domain,
    element,
    elements,
    has_one_cell,
    part,
)
from everafter.pymodel.typed_values import Stored, Term, Value, constant, junction, none_of
from everafter.record import dataclass
from everafter.source import Place

Pairs = list[tuple[Reference, Expression]]


@dataclass(frozen=True, eq=False)
class Change:
    """What a method stores, as if all at once, and the value that it gives, if it gives one."""

    stores: tuple[tuple[Reference, Expression], ...]
    gives: Value | None = None


@dataclass(frozen=True, eq=False)
class _Places:
    """A list in the state: its length, its places, and where it is named."""

    length: Reference
    held: Stored
    each: tuple[tuple[Reference, ...], ...]
    domain: ListDomain[Any]
    place: Place
    name: str

    def shortened(self, by: Expression) -> tuple[Reference, Expression]:
        """The length less a number; below 0 it is an error."""
        return self.length, Within(
            Binary("-", self.length, by, self.place), 0, self.domain.most, f"len({self.name})", self.place
        )

    def cleared(self, number: int) -> Pairs:
        """Zeros for the place with a number."""
        return [(each, constant(0, self.place)) for each in self.each[number]]


def changed(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    """Return what the method that `call` names does to `value`, read by `reader`."""
    assert isinstance(call.func, ast.Attribute)
    kind = {ListDomain: "list", SetDomain: "set", DictDomain: "dict"}
    name = next(word for one, word in kind.items() if isinstance(value.domain, one))
    made = _CHANGES.get((name, call.func.attr))
    if made is None or call.keywords:
        raise PythonProblem(call, f"'.{call.func.attr}' cannot be called like this")
    return made(reader, value, call)


def deleted(reader: ItemReader, value: Stored, node: ast.Subscript) -> Change:
    """Return what `del` of the element `node` of the list or dict `value` does, read by `reader`."""
    if isinstance(value.domain, DictDomain):
        return _gone(reader, value, node.slice, value.domain, reader.namespace.text.written(node))
    return _taken_at(_places(reader, value, node), reader, node.slice)


def _places(reader: ItemReader, value: Stored, node: ast.expr) -> _Places:
    place = reader.place(node)
    assert isinstance(value.domain, ListDomain)
    length, held = part(value, LENGTH, place), part(value, ELEMENTS, place)
    assert isinstance(length, Term)
    assert isinstance(length.expression, Reference)
    assert isinstance(held, Stored)
    each = tuple(tuple(_reference(cell) for cell in cells(one, place)) for one in _kept(elements(held, place)))
    inner = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else node
    name = reader.namespace.text.written(inner)
    return _Places(length.expression, held, each, value.domain, place, name)


def _kept(values: Sequence[Value]) -> list[Term | Stored]:
    return [each for each in values if isinstance(each, Term | Stored)]


def _reference(cell: Term) -> Reference:
    assert isinstance(cell.expression, Reference)
    return cell.expression


def _arguments(call: ast.Call, count: int) -> list[ast.expr]:
    if len(call.args) != count:
        raise PythonProblem(call, f"{count or 'nothing'} is passed here")
    return call.args


def _new(reader: ItemReader, node: ast.expr, domain: Domain[Any], name: str) -> list[Expression]:
    return reader.fitted(reader.value(node), domain, node, name)


# Lists and deques


def _append(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    here = _places(reader, value, call)
    (node,) = _arguments(call, 1)
    found = _new(reader, node, here.domain.element, here.name)
    one, most = constant(1, here.place), here.domain.most
    longer = Within(Binary("+", here.length, one, here.place), 1, most, f"len({here.name})", here.place)
    target = element(here.held, Binary("-", longer, one, here.place), here.place)
    places = [_reference(each) for each in cells(target, here.place)]
    return Change((*zip(places, found, strict=True), (here.length, longer)))


def _insert_first(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    here = _places(reader, value, call)
    (node,) = _arguments(call, 1)
    found = _new(reader, node, here.domain.element, here.name)
    longer = Binary("+", here.length, constant(1, here.place), here.place)
    grown = Within(longer, 1, here.domain.most, f"len({here.name})", here.place)
    moved: Pairs = [(here.length, grown)]
    for number in range(here.domain.most - 1, 0, -1):
        moved += list(zip(here.each[number], here.each[number - 1], strict=True))
    return Change((*moved, *zip(here.each[0], found, strict=True)))


def _insert(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    index, node = _arguments(call, 2)
    known = reader.namespace.known(index)
    if known is None or known.value != 0:
        raise PythonProblem(index, "only insert(0, …) can be used in a model", "append, or make another list")
    return _insert_first(reader, value, ast.copy_location(ast.Call(call.func, [node], []), call))


def _pop(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    if len(call.args) == 1:
        here = _places(reader, value, call)
        known = reader.namespace.known(call.args[0])
        return _pop_first(here) if known is not None and known.value == 0 else _taken_at(here, reader, call.args[0])
    _arguments(call, 0)
    here = _places(reader, value, call)
    last = Binary("-", here.length, constant(1, here.place), here.place)
    target = element(here.held, last, here.place)
    cleared = [(_reference(each), constant(0, here.place)) for each in cells(target, here.place)]
    return Change((*cleared, here.shortened(constant(1, here.place))), target)


def _popleft(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    _arguments(call, 0)
    return _pop_first(_places(reader, value, call))


def _pop_first(here: _Places) -> Change:
    zero = constant(0, here.place)
    some = Binary(">", here.length, zero, here.place)
    first = element(here.held, Conditional(some, zero, constant(-1, here.place), here.place), here.place)
    moved: Pairs = []
    for number in range(here.domain.most - 1):
        moved += list(zip(here.each[number], here.each[number + 1], strict=True))
    return Change((*moved, *here.cleared(-1), here.shortened(constant(1, here.place))), first)


def _taken_at(here: _Places, reader: ItemReader, node: ast.expr) -> Change:
    """The list without the element at an index."""
    index = list_index(reader, here.length, node)
    behind = [Binary(">=", constant(i, here.place), index, here.place) for i in range(here.domain.most)]
    target = element(here.held, index, here.place)
    checked = Within(index, 0, here.domain.most - 1, f"the index of {here.name}", here.place)
    one = Binary("+", constant(1, here.place), Binary("*", checked, constant(0, here.place), here.place), here.place)
    return Change((here.shortened(one), *_closed_up(here, behind)), target)


def _closed_up(here: _Places, behind: Sequence[Expression]) -> Pairs:
    """Elements moved by one where that is true of them."""
    moved: Pairs = []
    for number, test in enumerate(behind):
        last = number + 1 == here.domain.most
        zeros = [constant(0, here.place)] * len(here.each[number])
        following: Sequence[Expression] = zeros if last else here.each[number + 1]
        for mine, other in zip(here.each[number], following, strict=True):
            moved.append((mine, Conditional(test, other, mine, here.place)))
    return moved


def _remove(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    here = _places(reader, value, call)
    (node,) = _arguments(call, 1)
    wanted = reader.value(node)
    same: list[Expression] = []
    behind: list[Expression] = []
    for number, each in enumerate(elements(here.held, here.place)):
        inside = Binary("<", constant(number, here.place), here.length, here.place)
        same.append(Binary("&&", inside, reader.equal(each, wanted, node), here.place))
        behind.append(junction("||", same, False, here.place).expression)
    name = f"how often {reader.namespace.text.written(node)} is in {here.name}"
    found = Within(behind[-1], 1, 1, name, here.place)
    return Change((here.shortened(found), *_closed_up(here, behind)))


def _clear(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    _arguments(call, 0)
    place = reader.place(call)
    absent = [constant(0, place)] * len(cells_of_domain(value.domain))
    if isinstance(value.domain, DictDomain):
        kept = [none_of(each) if has_one_cell(each) else 0 for each in _inner(value, place)]
        size = len(absent) // max(1, len(kept))
        absent = [constant(number if position == 0 else 0, place) for number in kept for position in range(size)]
    return Change(tuple(zip(map(_reference, cells(value, place)), absent, strict=True)))


def _inner(value: Stored, place: Place) -> list[Any]:
    return [each.domain for each in _kept(elements(value, place))]


# Sets and dicts


def _key_cell(reader: ItemReader, value: Stored, call: ast.Call) -> tuple[Reference, Place]:
    assert isinstance(value.domain, SetDomain)
    (node,) = _arguments(call, 1)
    place = reader.place(call)
    found = element(value, position(reader, reader.value(node), value.domain.key, node), place)
    assert isinstance(found, Term)
    return _reference(found), place


def _add(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    cell, place = _key_cell(reader, value, call)
    return Change(((cell, constant(True, place)),))


def _discard(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    cell, place = _key_cell(reader, value, call)
    return Change(((cell, constant(False, place)),))


def _remove_key(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    cell, place = _key_cell(reader, value, call)
    name = f"how often it is in {reader.namespace.text.written(call.func)}"
    return Change(((cell, Binary("-", Within(cell, 1, 1, name, place), constant(1, place), place)),))


def _pop_key(reader: ItemReader, value: Stored, call: ast.Call) -> Change:
    assert isinstance(value.domain, DictDomain)
    (node,) = _arguments(call, 1)
    return _gone(reader, value, node, value.domain, reader.namespace.text.written(call))


def _gone(reader: ItemReader, value: Stored, key: ast.expr, domain: DictDomain[Any], written: str) -> Change:
    place = reader.place(key)
    found = entry(reader, value, key, domain.key)
    absent = none_of(found.domain) if isinstance(found, Term) else 0  # type: ignore[arg-type] # it is optional
    there = Within(is_given(found, place), 1, 1, f"how often {written} is there", place)
    stores: Pairs = []
    for number, cell in enumerate(cells(found, place)):
        zero = constant(absent if number == 0 else 0, place)
        stores.append((_reference(cell), Conditional(there, zero, zero, place) if number == 0 else zero))
    return Change(tuple(stores), reader.plain(found, key))


_CHANGES: Final[dict[tuple[str, str], Callable[[ItemReader, Stored, ast.Call], Change]]] = {
    ("list", "append"): _append,
    ("list", "appendleft"): _insert_first,
    ("list", "insert"): _insert,
    ("list", "pop"): _pop,
    ("list", "popleft"): _popleft,
    ("list", "remove"): _remove,
    ("list", "clear"): _clear,
    ("set", "add"): _add,
    ("set", "discard"): _discard,
    ("set", "remove"): _remove_key,
    ("set", "clear"): _clear,
    ("dict", "pop"): _pop_key,
    ("dict", "clear"): _clear,
}
