"""Boolean functions of variables 0, 1, 2, … as numbers: two functions are equal exactly when their numbers are.

0 is the function that is never true, -1 the one that is always true, and `~f` the negation of f. What else a number
means is for `tables`, quick and for few variables, and `diagrams`, for many, to say.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

from everafter.source import EverafterError

Cube: TypeAlias = tuple[int, int]
"""Masks of the variables that must be true and of those that must be false."""
_Cover: TypeAlias = tuple[int, tuple[Cube, ...]]

FALSE = 0
TRUE = -1

MOST_CUBES = 1000
"""The longest sum of products that is written down."""


class TooLargeError(EverafterError):
    """A formula whose automaton, or a function whose diagram, grows beyond what is worth waiting for.

    A `message` says what else is too large.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message
            or "the automaton of this formula grows too large: split the formula, "
            "and state each part of its conjunction as a property of its own"
        )


class Functions(ABC):
    """A set of functions, closed under the boolean operations."""

    def __init__(self) -> None:
        self._covers: dict[tuple[int, int], _Cover] = {}

    @abstractmethod
    def conjoin(self, f: int, g: int, /) -> int:
        """Return the conjunction of `f` and `g`."""

    @abstractmethod
    def disjoin(self, f: int, g: int, /) -> int:
        """Return the disjunction of `f` and `g`."""

    @abstractmethod
    def minus(self, f: int, g: int, /) -> int:
        """Return the conjunction of `f` and the negation of `g`."""

    @abstractmethod
    def holds(self, function: int, valuation: int) -> bool:
        """Return the value of `function` where the variables in the mask `valuation` are true and the others false."""

    @abstractmethod
    def level(self, function: int) -> int:
        """The first variable the function depends on; larger than every variable for a constant."""

    @abstractmethod
    def cofactors(self, function: int) -> tuple[int, int]:
        """What is left of the function when its first variable is false, and when it is true."""

    @abstractmethod
    def decision(self, index: int, low: int, high: int) -> int:
        """Return the function that is `low` where variable `index` is false and `high` where it is true.

        Both are functions of later variables only.
        """

    def variable(self, index: int) -> int:
        """The function that is the variable itself."""
        return self.decision(index, FALSE, TRUE)

    def implies(self, f: int, g: int) -> bool:
        """Return whether `g` is true wherever `f` is."""
        return self.minus(f, g) == FALSE

    def cubes(self, function: int) -> tuple[Cube, ...]:
        """A short sum of products that is the function.

        No product can be left out and none has a literal too many: Minato, Fast generation of prime-irredundant
        covers from binary decision diagrams, 1993. TooLargeError if there are too many.
        """
        return self._cover(function, function)[1]

    def some_cube(self, function: int) -> Cube:
        """One product that implies the function, which must not be false."""
        positive = negative = 0
        while function != TRUE:
            low, high = self.cofactors(function)
            bit = 1 << self.level(function)
            if low != FALSE:
                negative, function = negative | bit, low
            else:
                positive, function = positive | bit, high
        return positive, negative

    def of_cube(self, positive: int, negative: int) -> int:
        """Return the product of the variables in the mask `positive` and the negated ones in the mask `negative`."""
        result = TRUE
        for index in reversed(range(max(positive.bit_length(), negative.bit_length()))):
            if positive >> index & 1:
                result = self.decision(index, FALSE, result)
            elif negative >> index & 1:
                result = self.decision(index, result, FALSE)
        return result

    def translated(self, function: int, source: Functions, renaming: dict[int, int]) -> int:
        """Return `function`, one of `source`, as one of these functions, with its variables renamed by `renaming`."""
        return self._translated(function, source, renaming, {FALSE: FALSE, TRUE: TRUE})

    def _translated(self, function: int, source: Functions, renaming: dict[int, int], known: dict[int, int]) -> int:
        if function not in known:
            low, high = (self._translated(side, source, renaming, known) for side in source.cofactors(function))
            variable = self.variable(renaming[source.level(function)])
            known[function] = self.disjoin(self.conjoin(variable, high), self.minus(low, variable))
        return known[function]

    def _cover(self, lower: int, upper: int) -> _Cover:
        """Some function between lower and upper, and products that add up to it."""
        if lower == FALSE:
            return FALSE, ()
        if upper == TRUE:
            return TRUE, ((0, 0),)
        key = (lower, upper)
        if key not in self._covers:
            self._covers[key] = self._make_cover(lower, upper)
        return self._covers[key]

    def _make_cover(self, lower: int, upper: int) -> _Cover:
        level = min(self.level(lower), self.level(upper))
        (lower0, lower1), (upper0, upper1) = self._below(lower, level), self._below(upper, level)
        covered0, cubes0 = self._cover(self.minus(lower0, upper1), upper0)
        covered1, cubes1 = self._cover(self.minus(lower1, upper0), upper1)
        rest = self.disjoin(self.minus(lower0, covered0), self.minus(lower1, covered1))
        covered, cubes = self._cover(rest, self.conjoin(upper0, upper1))
        if len(cubes0) + len(cubes1) + len(cubes) > MOST_CUBES:
            raise TooLargeError
        bit = 1 << level
        return self.decision(level, self.disjoin(covered0, covered), self.disjoin(covered1, covered)), (
            *((positive, negative | bit) for positive, negative in cubes0),
            *((positive | bit, negative) for positive, negative in cubes1),
            *cubes,
        )

    def _below(self, function: int, level: int) -> tuple[int, int]:
        return self.cofactors(function) if self.level(function) == level else (function, function)
