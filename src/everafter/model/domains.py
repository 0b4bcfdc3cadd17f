"""The values that a variable of a Python model may have: truth values, bounded ints, members of an Enum, arrays.

A domain is called with the initial value, and its result says to type checkers what the variable is: `m.Int[0, 3](0)`
is an int to them. What is really there until the model is read is a `Declared`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Generic, TypeVar, cast

from everafter.record import dataclass
from everafter.source import OptionError

T = TypeVar("T")
WIDEST: Final = (-(1 << 31), (1 << 31) - 1)
"""The least and the greatest number that a variable can hold."""
MOST_ELEMENTS: Final = 65_535
MOST_MEMBERS: Final = 255


class Domain(Generic[T]):
    """The values that a variable may have."""

    def __call__(self, initial: T) -> T:
        """Return the variable of this domain that has the value `initial` at the start."""
        return cast(T, Declared(self, initial))

    def holds(self, value: object) -> bool:
        """Whether `value` is one of these."""
        raise NotImplementedError


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
class ArrayDomain(Generic[T]):
    """`length` values of the domain `element`, numbered from 0."""

    element: Domain[T]
    length: int

    def __call__(self, initial: T | Sequence[T]) -> list[T]:
        """Return the array that has the value `initial` everywhere at the start, or its values one by one."""
        return cast("list[T]", Declared(self, initial))

    def holds(self, value: object) -> bool:
        """Whether `value` can be the initial value: one for all elements, or a list of as many."""
        if isinstance(value, list | tuple):
            return len(value) == self.length and all(map(self.element.holds, value))
        return self.element.holds(value)

    def __str__(self) -> str:
        return f"m.Array[{self.element}, {self.length}]"


AnyDomain = Domain[Any] | ArrayDomain[Any]


@dataclass(frozen=True)
class Declared:
    """What stands for a variable in the class until the model is read."""

    domain: AnyDomain
    initial: object


def domain_of(written: object) -> AnyDomain | None:
    """Return the domain that `written` is, or that it names as a type; None if it is none."""
    if isinstance(written, Domain | ArrayDomain):
        return written
    if written is bool:
        return BoolDomain()
    if isinstance(written, type) and issubclass(written, Enum):
        if not 1 <= len(written) <= MOST_MEMBERS:
            raise OptionError(f"{written.__name__} has {len(written)} members", f"an Enum has 1 to {MOST_MEMBERS}")
        return EnumDomain(written)
    return None


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
        if not isinstance(shape, tuple) or len(shape) != 2 or type(shape[1]) is not int:
            raise OptionError(f"Array[{shape}] is no array", "write m.Array[bool, 2]: of what, and of how many")
        element, length = domain_of(shape[0]), shape[1]
        if not isinstance(element, Domain):
            raise OptionError(
                f"{getattr(shape[0], '__name__', shape[0])} cannot be an element", "bool, m.Int[…] and an Enum can"
            )
        if not 1 <= length <= MOST_ELEMENTS:
            raise OptionError(f"an array of {length} elements", f"1 to {MOST_ELEMENTS:,} are possible")
        return ArrayDomain(element, length)


Int: Final = Ints()
Array: Final = Arrays()
