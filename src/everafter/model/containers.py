"""Variables that hold several values, as many as the run decides: lists, deques, sets and dicts of bounded size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, Final, TypeVar, cast

from everafter.model.domains import (
    BoolDomain,
    Declared,
    Domain,
    EnumDomain,
    IntDomain,
    Mutable,
    bounded,
    value_domain,
)
from everafter.record import dataclass
from everafter.source import OptionError

T = TypeVar("T")
K = TypeVar("K")
MOST_KEYS: Final = 256
"""A set or dict has a place for each possible key."""
MOST_LISTED: Final = 255


@dataclass(frozen=True)
class ListDomain(Mutable[list[T]]):
    """Lists of at most `most` values of the domain `element`."""

    element: Domain[T]
    most: int
    kind: type[Any] = list

    def __call__(self, initial: Iterable[T] = ()) -> list[T]:
        """Return the list that has the values `initial` at the start."""
        return cast("list[T]", Declared(self, self.kind(initial)))

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        is_one = isinstance(value, list | deque) or type(value) is tuple
        return is_one and len(cast("Any", value)) <= self.most and all(map(self.element.holds, cast("Any", value)))

    def __str__(self) -> str:
        return f"m.{'List' if self.kind is list else 'Deque'}[{self.element}, {self.most}]"


@dataclass(frozen=True)
class DequeDomain(ListDomain[T]):
    """Deques of at most `most` values of the domain `element`."""

    kind: type[Any] = deque

    def __call__(self, initial: Iterable[T] = ()) -> deque[T]:  # type: ignore[override] # a deque is no list
        """Return the deque that has the values `initial` at the start."""
        return cast("deque[T]", Declared(self, deque(initial)))


@dataclass(frozen=True)
class SetDomain(Mutable[set[T]]):
    """Sets of values of the domain `key`."""

    key: Domain[T]

    def __call__(self, initial: Iterable[T] = ()) -> set[T]:
        """Return the set that has the values `initial` at the start."""
        return cast("set[T]", Declared(self, set(initial)))

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        return isinstance(value, set | frozenset) and all(map(self.key.holds, value))

    def __str__(self) -> str:
        return f"m.Set[{self.key}]"


@dataclass(frozen=True)
class DictDomain(Mutable[dict[Any, T]]):
    """Dicts of values of the domain `element` by keys of the domain `key`."""

    key: Domain[Any]
    element: Domain[T]

    def __call__(self, initial: Mapping[Any, T] | None = None) -> dict[Any, T]:
        """Return the dict that has the items of `initial` at the start."""
        return cast("dict[Any, T]", Declared(self, dict(initial or {})))

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        if not isinstance(value, dict):
            return False
        return all(map(self.key.holds, value)) and all(map(self.element.holds, value.values()))

    def __str__(self) -> str:
        return f"m.Dict[{self.key}, {self.element}]"


def keys_of(domain: Domain[Any]) -> tuple[bool | int | Enum, ...]:
    """Return all values of `domain` in order. Raises OptionError if they are not few."""
    match domain:
        case BoolDomain():
            return (False, True)
        case EnumDomain(enum=enum):
            return tuple(enum)
        case IntDomain(least=least, greatest=greatest) if greatest - least < MOST_KEYS:
            return tuple(range(least, greatest + 1))
    advice = f"bool, an Enum, and m.Int[…] of at most {MOST_KEYS} numbers can"
    raise OptionError(f"{domain} cannot be the keys of a set or dict", advice)


class Lists:
    """`List[element, most]`."""

    def __getitem__(self, shape: tuple[Domain[T] | type[T], int]) -> ListDomain[T]:
        """Return the domain of the lists of the element, and at most as long, as `shape` says."""
        return ListDomain(*_sized(shape, "List"))


class Deques:
    """`Deque[element, most]`."""

    def __getitem__(self, shape: tuple[Domain[T] | type[T], int]) -> DequeDomain[T]:
        """Return the domain of the deques of the element, and at most as long, as `shape` says."""
        return DequeDomain(*_sized(shape, "Deque"))


class Sets:
    """`Set[key]`."""

    def __getitem__(self, key: Domain[T] | type[T]) -> SetDomain[T]:
        """Return the domain of the sets of values of `key`."""
        found = value_domain(key, "a set")
        keys_of(found)
        return SetDomain(found)


class Dicts:
    """`Dict[key, element]`."""

    def __getitem__(self, pair: tuple[Domain[K] | type[K], Domain[T] | type[T]]) -> DictDomain[T]:
        """Return the domain of the dicts whose keys and values the `pair` says."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise OptionError(f"Dict[{pair}] is none", "write m.Dict[m.Int[0, 3], bool]: which keys, which values")
        key = value_domain(pair[0], "a dict")
        keys_of(key)
        return DictDomain(key, value_domain(pair[1], "a dict"))


def _sized(shape: object, name: str) -> tuple[Domain[Any], int]:
    if not isinstance(shape, tuple) or len(shape) != 2 or type(shape[1]) is not int:
        raise OptionError(f"{name}[{shape}] is none", f"write m.{name}[bool, 4]: of what, and at most how many")
    if shape[1] > MOST_LISTED:
        raise OptionError(f"an m.{name} of {shape[1]} elements", f"at most {MOST_LISTED} are possible")
    return value_domain(shape[0], f"m.{name}"), bounded(shape[1], f"m.{name}")


List: Final = Lists()
Deque: Final = Deques()
Set: Final = Sets()
Dict: Final = Dicts()
