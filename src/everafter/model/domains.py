"""The values that a variable of a Python model may have: truth values, bounded ints, members of an Enum, records, None.

A domain is called with the initial value, and its result says to type checkers what the variable is: `m.Int[0, 3](0)`
is an int to them. What is really there until the model is read is a `Declared`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Final, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from everafter.record import dataclass, is_dataclass
from everafter.source import OptionError

T = TypeVar("T")
WIDEST: Final = (-(1 << 31), (1 << 31) - 1)
"""The least and the greatest number that a variable can hold."""
MOST_ELEMENTS: Final = 65_535
MOST_MEMBERS: Final = 254
UNSAID: Final[Any] = object()
"""Stands for an initial value that is not given."""


class Domain(Generic[T]):
    """The values that a variable may have."""

    def __call__(self, initial: T) -> T:
        """Return the variable of this domain that has the value `initial` at the start."""
        return cast(T, Declared(self, initial))

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        raise NotImplementedError


class Mutable(Domain[T]):
    """Values that are changed in place: two variables never have the same one."""


@dataclass(frozen=True)
class BoolDomain(Domain[bool]):
    """True and False."""

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class IntDomain(Domain[int]):
    """The whole numbers from `least` to `greatest`."""

    least: int
    greatest: int

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        return isinstance(value, int) and not isinstance(value, Enum) and self.least <= value <= self.greatest

    def __str__(self) -> str:
        return f"m.Int[{self.least}, {self.greatest}]"


@dataclass(frozen=True)
class EnumDomain(Domain[Enum]):
    """The members of an Enum."""

    enum: type[Enum]

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        return isinstance(value, self.enum)

    def __str__(self) -> str:
        return self.enum.__name__


@dataclass(frozen=True)
class OptionalDomain(Domain[Any]):
    """The values of the domain `inner`, and None."""

    inner: Domain[Any]

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        return value is None or self.inner.holds(value)

    def __str__(self) -> str:
        return f"m.Optional[{self.inner}]"


@dataclass(frozen=True)
class RecordDomain(Domain[Any]):
    """The values of a NamedTuple or a frozen dataclass, by the domains of their fields."""

    kind: type[Any]
    fields: tuple[tuple[str, Domain[Any]], ...]

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        return type(value) is self.kind and all(domain.holds(getattr(value, name)) for name, domain in self.fields)

    def __str__(self) -> str:
        return self.kind.__name__


@dataclass(frozen=True)
class ArrayDomain(Mutable[list[T]]):
    """`length` values of the domain `element`, numbered from 0."""

    element: Domain[T]
    length: int

    def __call__(self, initial: T | Sequence[T] = UNSAID) -> list[T]:
        """Return the array that has the value `initial` everywhere at the start, or its values one by one."""
        return cast("list[T]", Declared(self, first_value(self.element) if initial is UNSAID else initial))

    def holds(self, value: object) -> bool:
        """Whether `value` can be the initial value: one for all elements, or a list of as many."""
        return self.lists(value) or self.element.holds(value)

    def lists(self, value: object) -> bool:
        """Whether `value` is a list or tuple with all elements."""
        is_list = isinstance(value, list) or type(value) is tuple
        listed: Sequence[Any] = value if is_list else ()  # type: ignore[assignment] # it is one
        return is_list and len(listed) == self.length and all(map(self.element.holds, listed))

    def __str__(self) -> str:
        return f"m.Array[{self.element}, {self.length}]"


AnyDomain = Domain[Any]


@dataclass(frozen=True)
class Declared:
    """What stands for a variable in the class until the model is read."""

    domain: AnyDomain
    initial: object


def first_value(domain: Domain[Any]) -> Any:
    """Return the value that a `domain` begins with where none is said: of those that can be empty, the empty one."""
    made = domain() if isinstance(domain, Mutable) else None  # type: ignore[call-arg] # these have a value without
    if not isinstance(made, Declared):
        raise OptionError(f"the first value of {domain} is not said", "m.Array[bool, 2](False) says it")
    return made.initial


def domain_of(written: object) -> AnyDomain | None:
    """Return the domain that `written` is, or that it names as a type; None if it is none."""
    if isinstance(written, Domain):
        return written
    if get_origin(written) is Annotated:
        return next((each for each in get_args(written)[1:] if isinstance(each, Domain)), None)
    if written is bool:
        return BoolDomain()
    made = getattr(written, "__everafter_domain__", None)
    if isinstance(made, Domain):
        return made
    if isinstance(written, type) and issubclass(written, Enum):
        if not 1 <= len(written) <= MOST_MEMBERS:
            raise OptionError(f"{written.__name__} has {len(written)} members", f"an Enum has 1 to {MOST_MEMBERS}")
        return EnumDomain(written)
    if isinstance(written, type) and field_names(written) is not None:
        return _record(written)
    if (parts := get_args(written)) and type(None) in parts and len(parts) == 2:
        inner = domain_of(next(each for each in parts if each is not type(None)))
        return Optional[inner] if inner is not None else None
    return None


def field_names(kind: type[Any]) -> tuple[str, ...] | None:
    """Return the names of the fields of a NamedTuple or frozen dataclass; None if `kind` is none."""
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return tuple(kind._fields)
    if is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen:  # noqa: B009 # mypy knows no such name
        from dataclasses import fields  # noqa: PLC0415 # it loads the parser of Python, and few models have records

        return tuple(each.name for each in fields(kind))
    return None


def _record(kind: type[Any]) -> RecordDomain:
    try:
        hints: Mapping[str, Any] = get_type_hints(kind, include_extras=True)
    except Exception as error:  # annotations may name anything
        raise OptionError(f"the fields of {kind.__name__} cannot be read: {error}") from None
    found: list[tuple[str, Domain[Any]]] = []
    for name in field_names(kind) or ():
        domain = domain_of(hints.get(name))
        if domain is None or isinstance(domain, Mutable):
            advice = f"{name}: Annotated[int, m.Int[0, 9]] says it; bool, an Enum and another record are types as well"
            raise OptionError(f"which values {kind.__name__}.{name} has is not said", advice)
        found.append((name, domain))
    if not found:
        raise OptionError(f"{kind.__name__} has no fields", "an Enum has members without")
    return RecordDomain(kind, tuple(found))


def value_domain(written: object, what: str) -> Domain[Any]:
    """Return the domain that `written` is or names, whose values `what` can hold. Raises OptionError for others."""
    domain = domain_of(written)
    if domain is None or isinstance(domain, Mutable):
        raise OptionError(
            f"{getattr(written, '__name__', written)} cannot be an element of {what}",
            "bool, m.Int[…], an Enum, a NamedTuple, a frozen dataclass and m.Optional of these can",
        )
    return domain


class Ints:
    """`Int[least, greatest]`."""

    def __getitem__(self, bounds: tuple[int, int]) -> IntDomain:
        """Return the domain of the numbers from the first to the second of `bounds`, both included."""
        if not isinstance(bounds, tuple) or len(bounds) != 2 or not all(type(each) is int for each in bounds):
            raise OptionError(f"Int[{bounds}] is no range", "write m.Int[least, greatest] with two whole numbers")
        least, greatest = bounds
        if not WIDEST[0] <= least <= greatest <= WIDEST[1]:
            raise OptionError(f"Int[{least}, {greatest}] is no range of 32 bits", "the least number comes first")
        return IntDomain(least, greatest)


class Arrays:
    """`Array[element, length]`."""

    def __getitem__(self, shape: tuple[Domain[T] | type[T], int]) -> ArrayDomain[T]:
        """Return the domain of the arrays of the element and the length that `shape` says."""
        element, length = _pair(shape, "Array[bool, 2]")
        found = domain_of(element)
        if found is None:
            found = value_domain(element, "an array")
        return ArrayDomain(found, bounded(length, "an array"))


class Optionals:
    """`Optional[domain]`."""

    def __getitem__(self, inner: Domain[T] | type[T]) -> Domain[T | None]:
        """Return the domain of the values of `inner`, and None."""
        found = value_domain(inner, "m.Optional")
        if isinstance(found, OptionalDomain):
            return found
        if isinstance(found, IntDomain) and found.greatest == WIDEST[1]:
            raise OptionError(f"m.Optional of {found} does not fit 32 bits", "use a smaller range")
        return OptionalDomain(found)


def _pair(shape: object, example: str) -> tuple[Any, int]:
    if not isinstance(shape, tuple) or len(shape) != 2 or type(shape[1]) is not int:
        raise OptionError(
            f"{example.split('[', maxsplit=1)[0]}[{shape}] is none", f"write m.{example}: of what, and of how many"
        )
    return shape


def bounded(length: int, what: str, least: int = 1) -> int:
    """Return `length` if `what` can have as many elements. Raises OptionError if it is below `least`, or too large."""
    if not least <= length <= MOST_ELEMENTS:
        raise OptionError(f"{what} of {length} elements", f"{least} to {MOST_ELEMENTS:,} are possible")
    return length


Int: Final = Ints()
Array: Final = Arrays()
Optional: Final = Optionals()
