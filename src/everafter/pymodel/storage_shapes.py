"""Where the values of domains are kept: which cells they have, as scalars, arrays and structures of the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

from everafter.model.containers import DictDomain, ListDomain, SetDomain, keys_of
from everafter.model.domains import (
    WIDEST,
    ArrayDomain,
    BoolDomain,
    Domain,
    EnumDomain,
    IntDomain,
    OptionalDomain,
    RecordDomain,
)
from everafter.model.synchronization import (
    BarrierDomain,
    ChannelDomain,
    ConditionDomain,
    EmptyDomain,
    EventDomain,
    LockDomain,
    OwnerDomain,
    RLockDomain,
    SemaphoreDomain,
)
from everafter.model.tasks import AsyncEventDomain, AsyncLockDomain, AsyncQueueDomain
from everafter.promela.model import Constant, Expression, Reference, Selection, Struct, Type, Variable
from everafter.pymodel.typed_values import BOOL, Compound, Stored, Term, Value, names_of, none_of, number_of, scalar_of
from everafter.record import dataclass, field, replace
from everafter.source import Place

LENGTH, ELEMENTS, GIVEN, VALUE = "len", "at", "given", "value"
OWNER, COUNT, ASLEEP, DRAINING = "owner", "count", "asleep", "draining"
LOCKED, WAITING, ITEMS, GETTING, PUTTING = "locked", "waiting", "items", "getting", "putting"
MOST_HELD: Final = 255
"""How often one process can hold an RLock, and how many tasks of a queue can be unfinished."""


@dataclass(frozen=True)
class Parts(Domain[Any]):
    """Values side by side, by name: how a value with cells of several kinds is kept."""

    fields: tuple[tuple[str, Domain[Any]], ...]


def storage(domain: Domain[Any]) -> Domain[Any]:
    """Return how values of `domain` are kept: a domain of one cell, an `ArrayDomain`, or `Parts`."""
    match domain:
        case OptionalDomain(inner=inner) if not _has_room_for_none(inner):
            return Parts(((GIVEN, BOOL), (VALUE, inner)))
        case RecordDomain(fields=fields):
            return Parts(fields)
        case ListDomain(element=element, most=most):
            return Parts(((LENGTH, IntDomain(0, most)), (ELEMENTS, ArrayDomain(element, most))))
        case SetDomain(key=key):
            return ArrayDomain(BOOL, len(keys_of(key)))
        case DictDomain(key=key, element=element):
            return ArrayDomain(OptionalDomain(element), len(keys_of(key)))
        case LockDomain() | EventDomain():
            return BOOL
        case SemaphoreDomain(most=most):
            return IntDomain(0, most)
        case RLockDomain(processes=processes, is_nested=is_nested):
            return Parts(_owned(processes, is_nested))
        case AsyncLockDomain(tasks=tasks):
            return Parts(((LOCKED, BOOL), (WAITING, ArrayDomain(IntDomain(0, tasks + 1), tasks))))
        case AsyncEventDomain(tasks=tasks):
            return Parts(((VALUE, BOOL), (ASLEEP, ArrayDomain(BOOL, tasks))))
        case AsyncQueueDomain(items=items, tasks=tasks):
            line = ArrayDomain(IntDomain(0, tasks), tasks)
            return Parts(((ITEMS, items), (GETTING, line), (PUTTING, line)))
        case BarrierDomain(parties=parties):
            return Parts(((COUNT, IntDomain(0, parties)), (DRAINING, BOOL)))
        case ConditionDomain(processes=processes, is_nested=is_nested, lock=lock):
            own = _owned(processes, is_nested) if lock is None else ()
            return Parts((*own, (ASLEEP, ArrayDomain(BOOL, len(processes)))))
    return domain


def _owned(processes: tuple[str, ...], is_nested: bool) -> tuple[tuple[str, Domain[Any]], ...]:
    """Which of the processes has a lock, and how often if that may be more than once."""
    count: tuple[tuple[str, Domain[Any]], ...] = ((COUNT, IntDomain(0, MOST_HELD)),) if is_nested else ()
    return ((OWNER, OwnerDomain((*processes, "a process that crashed"))), *count)


def _has_room_for_none(inner: Domain[Any]) -> bool:
    return isinstance(inner, BoolDomain | EnumDomain) or (isinstance(inner, IntDomain) and inner.greatest < WIDEST[1])


def has_one_cell(domain: Domain[Any]) -> bool:
    """Whether values of `domain` take one cell."""
    return not isinstance(storage(domain), Parts | ArrayDomain)


def cells_of_domain(domain: Domain[Any]) -> tuple[Domain[Any], ...]:
    """Return the domains of the cells that a value of `domain` takes, in order."""
    match storage(domain):
        case Parts(fields=fields):
            return tuple(cell for _, each in fields for cell in cells_of_domain(each))
        case ArrayDomain(element=element, length=length):
            return cells_of_domain(element) * length
        case kept:
            return (kept,)


def message_cells(domain: Domain[Any]) -> tuple[Domain[Any], ...]:
    """Return the domains of the cells of a value of `domain`, of a channel those of its messages."""
    found: list[Domain[Any]] = []
    for each in cells_of_domain(domain):
        found += cells_of_domain(each.message) if isinstance(each, ChannelDomain) else [each]
    return tuple(found)


def named_parts(domain: Domain[Any]) -> tuple[type[Any], ...]:
    """Return the Enums and records of which values of `domain` are made."""
    match domain:
        case EnumDomain(enum=enum):
            return (enum,)
        case OptionalDomain(inner=inner):
            return named_parts(inner)
        case RecordDomain(kind=kind, fields=fields):
            return (kind, *(part for _, each in fields for part in named_parts(each)))
        case ArrayDomain(element=inner) | ListDomain(element=inner) | SetDomain(key=inner):
            return named_parts(inner)
        case DictDomain(key=key, element=inner):
            return (*named_parts(key), *named_parts(inner))
        case ChannelDomain(message=inner) | AsyncQueueDomain(items=ListDomain(element=inner)):
            return named_parts(inner)
    return ()


@dataclass(frozen=True, eq=False)
class Structures:
    """The structures of a program, by the domains that they are of."""

    found: dict[Domain[Any], Struct] = field(default_factory=dict)

    def by_name(self) -> Mapping[str, Struct]:
        """Return all structures, each under a name of its own."""
        return {f"{each.name}#{number}": each for number, each in enumerate(self.found.values())}

    def shape(self, domain: Domain[Any], place: Place) -> tuple[Type, int | None]:
        """Return the type of a variable of `domain` declared at `place`, and its length if it is an array."""
        match storage(domain):
            case ArrayDomain(element=element, length=length) as kept:
                kind, inner = self.shape(element, place)
                if inner is not None:
                    kind = self._struct(kept, (Variable("", kind, inner, place),))
                return kind, length
            case Parts(fields=fields):
                known = self.found.get(domain)
                made = () if known else tuple(Variable(name, *self.shape(each, place), place) for name, each in fields)
                return known or self._struct(domain, made), None
            case kept:
                return scalar_of(kept), None

    def _struct(self, domain: Domain[Any], fields: tuple[Variable, ...]) -> Struct:
        if domain not in self.found:
            self.found[domain] = Struct(str(domain), fields)
        return self.found[domain]


# Parts of what is stored


def located(
    variable: Variable, index: Expression | None, selections: tuple[Selection, ...], domain: Domain[Any], place: Place
) -> Term | Stored:
    """Return the value of `domain` that is at `index` of `variable`, behind `selections`, read at `place`."""
    if has_one_cell(domain):
        return Term(Reference(variable, index, selections, place), domain)
    return Stored(variable, index, selections, domain)


def part(value: Stored | Compound, name: str, place: Place) -> Term | Stored | Compound:
    """Return the part of `value` called `name`, read at `place`."""
    kept = storage(value.domain)
    assert isinstance(kept, Parts)
    domain = dict(kept.fields)[name]
    if isinstance(value, Compound):
        start = 0
        for other, each in kept.fields:
            if other == name:
                break
            start += len(cells_of_domain(each))
        return compound(domain, value.cells[start : start + len(cells_of_domain(domain))])
    held = value.selections[-1].field if value.selections else value.variable
    assert isinstance(held.type, Struct)
    inner = held.type.field(name)
    assert inner is not None
    return located(value.variable, value.index, (*value.selections, Selection(inner, None)), domain, place)


def element(value: Stored, index: Expression, place: Place) -> Term | Stored:
    """Return the element of the array `value` at `index`, read at `place`."""
    kept = storage(value.domain)
    assert isinstance(kept, ArrayDomain)
    first, selections = value.index, value.selections
    if selections:
        selections = (*selections[:-1], replace(selections[-1], index=index))
    else:
        first = index
    if isinstance(storage(kept.element), ArrayDomain):
        held = selections[-1].field if selections else value.variable
        assert isinstance(held.type, Struct)
        selections = (*selections, Selection(held.type.fields[0], None))
    return located(value.variable, first, selections, kept.element, place)


def elements(value: Stored | Compound, place: Place) -> list[Value]:
    """Return all elements of the array `value`, read at `place`."""
    kept = storage(value.domain)
    assert isinstance(kept, ArrayDomain)
    if isinstance(value, Stored):
        return [element(value, Constant(position, place), place) for position in range(kept.length)]
    size = len(cells_of_domain(kept.element))
    return [compound(kept.element, value.cells[i : i + size]) for i in range(0, kept.length * size, size)]


def side_by_side(value: Stored | Compound) -> tuple[Value, ...] | None:
    """Return the elements of an array, or the fields of a record; None of others."""
    place = value.variable.place if isinstance(value, Stored) else value.cells[0].expression.place
    match value.domain:
        case ArrayDomain():
            return tuple(elements(value, place))
        case RecordDomain(fields=fields):
            return tuple(part(value, name, place) for name, _ in fields)
    return None


def compound(domain: Domain[Any], cells: Sequence[Term]) -> Term | Compound:
    """Return the value of `domain` with these `cells`."""
    if has_one_cell(domain):
        return Term(cells[0].expression, domain)
    return Compound(domain, tuple(cells))


def cells(value: Term | Stored | Compound, place: Place) -> list[Term]:
    """Return the cells of `value`, read at `place`."""
    if isinstance(value, Term):
        return [value]
    if isinstance(value, Compound):
        return list(value.cells)
    match storage(value.domain):
        case Parts(fields=fields):
            parts: list[Any] = [part(value, name, place) for name, _ in fields]
        case _:
            parts = elements(value, place)
    return [cell for each in parts for cell in cells(each, place)]


def is_fixed_place(value: Stored) -> bool:
    """Whether `value` is the same part of the state whatever the state is."""
    indices = [value.index, *(each.index for each in value.selections)]
    return all(each is None or isinstance(each, Constant) for each in indices)


# Values known before the run


def encoded(value: Any, domain: Domain[Any]) -> list[int] | None:
    """Return the cells of the Python `value` as one of `domain`; None if it is none."""
    if not domain.holds(value):
        return None
    kept = storage(domain)
    match domain:
        case OptionalDomain(inner=inner):
            if not isinstance(kept, Parts):
                return [none_of(domain)] if value is None else encoded(value, inner)
            if value is None:
                return [0] * len(cells_of_domain(domain))
            return _joined([[1], encoded(value, inner)])
        case RecordDomain(fields=fields):
            return _joined([encoded(getattr(value, name), each) for name, each in fields])
        case ArrayDomain(element=inner, length=length):
            is_listed = (isinstance(value, list) or type(value) is tuple) and domain.lists(value)
            return _joined([encoded(each, inner) for each in (value if is_listed else [value] * length)])
        case ListDomain(element=inner, most=most):
            room = [0] * (len(cells_of_domain(inner)) * (most - len(value)))
            return _joined([[len(value)], *(encoded(each, inner) for each in value), room])
        case SetDomain(key=key):
            return [int(each in value) for each in keys_of(key)]
        case DictDomain(key=key, element=inner):
            return _joined([_item(value, each, OptionalDomain(inner)) for each in keys_of(key)])
        case SemaphoreDomain(free=free):
            return [free]
        case EmptyDomain():
            return [0] * len(cells_of_domain(domain))
    return [number_of(value)]


def _item(value: Mapping[Any, Any], key: bool | int | Enum, kept: OptionalDomain) -> list[int] | None:
    if isinstance(storage(kept), Parts):
        inside = encoded(value[key], kept.inner) if key in value else None
        return [0] * len(cells_of_domain(kept)) if inside is None else [1, *inside]
    return encoded(value.get(key), kept)


def _joined(parts: Sequence[list[int] | None]) -> list[int]:
    return [number for each in parts if each is not None for number in each]


def cell_constant(number: int, domain: Domain[Any], place: Place) -> Constant:
    """Return the `number` of a cell of `domain` as an expression written at `place`."""
    kind = scalar_of(domain)
    name = next((name for name, each in names_of(domain).items() if each == number), None)
    return Constant(number, place, name, kind.mtype) if name is not None and kind.mtype else Constant(number, place)


def fixed_cells(value: Any, domain: Domain[Any], place: Place) -> list[Term] | None:
    """Return the Python `value` as cells of `domain`, written at `place`; None if it is none of its values."""
    numbers = encoded(value, domain)
    if numbers is None:
        return None
    pairs = zip(numbers, cells_of_domain(domain), strict=True)
    return [Term(cell_constant(number, each, place), each) for number, each in pairs]
