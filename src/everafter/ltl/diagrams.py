"""Boolean functions as shared binary decision diagrams: two functions are equal exactly when their numbers are.

Bryant 1986, with the negation bit of Brace, Rudell and Bryant 1990: a function is an even number for a node and
the next odd number for its negation, so negation is `f ^ 1`. Made for labels of automata, which have few
variables and small diagrams; docs/decisions/0004 weighs it against a library.
"""

from __future__ import annotations

from typing import TypeAlias

Cube: TypeAlias = tuple[int, int]
"""Masks of the variables that must be true and of those that must be false."""
_Cover: TypeAlias = tuple[int, tuple[Cube, ...]]

FALSE = 0
TRUE = 1
_LAST = 1 << 30
"""The level of the constants: after every variable."""


MOST_NODES = 300_000
"""Functions that need more nodes than this, a few seconds' work, are given up: TooLargeError."""

MOST_CUBES = 1000
"""The longest sum of products that is written down."""


class TooLargeError(Exception):
    """A formula whose automaton, or a function whose diagram, grows beyond what is worth waiting for."""

    def __init__(self) -> None:
        super().__init__(
            "the automaton of this formula grows too large: split the formula, "
            "and state each part of its conjunction as a property of its own"
        )


class Diagrams:
    """A growing table of functions over variables 0, 1, 2, …, in this order from the root."""

    def __init__(self) -> None:
        self._levels = [_LAST]
        self._lows = [FALSE]
        self._highs = [FALSE]
        self._supports = [0]
        self._known: dict[tuple[int, int, int], int] = {}
        self._conjunctions: dict[tuple[int, int], int] = {}
        self._covers: dict[tuple[int, int], _Cover] = {}
        self._choices: dict[tuple[int, int], dict[int, int]] = {}
        self._tables: dict[tuple[int, int], int] = {}

    def variable(self, index: int) -> int:
        """The function that is the variable itself."""
        return self._node(index, FALSE, TRUE)

    def level(self, function: int) -> int:
        """The first variable the function depends on; larger than every variable for a constant."""
        return self._levels[function >> 1]

    def cofactors(self, function: int) -> tuple[int, int]:
        """What is left of the function when its first variable is false, and when it is true."""
        node, flip = function >> 1, function & 1
        return self._lows[node] ^ flip, self._highs[node] ^ flip

    def conjoin(self, f: int, g: int) -> int:
        """f and g."""
        if f > g:
            f, g = g, f
        if f <= TRUE:
            return g if f else FALSE
        if f ^ g <= 1:
            return f if f == g else FALSE
        key = (f, g)
        known = self._conjunctions.get(key)
        if known is None:
            # The busiest place of a translation: cofactors are spelt out, and what is false needs no call.
            f_level, g_level = self._levels[f >> 1], self._levels[g >> 1]
            f0 = f1 = f
            g0 = g1 = g
            if f_level <= g_level:
                f0, f1 = self._lows[f >> 1] ^ f & 1, self._highs[f >> 1] ^ f & 1
            if g_level <= f_level:
                g0, g1 = self._lows[g >> 1] ^ g & 1, self._highs[g >> 1] ^ g & 1
            low = self.conjoin(f0, g0) if f0 and g0 else FALSE
            high = self.conjoin(f1, g1) if f1 and g1 else FALSE
            known = self._conjunctions[key] = self._node(min(f_level, g_level), low, high)
        return known

    def disjoin(self, f: int, g: int) -> int:
        """f or g."""
        return self.conjoin(f ^ 1, g ^ 1) ^ 1

    def minus(self, f: int, g: int) -> int:
        """f and not g."""
        return self.conjoin(f, g ^ 1)

    def implies(self, f: int, g: int) -> bool:
        """Whether g is true wherever f is."""
        return self.conjoin(f, g ^ 1) == FALSE

    def holds(self, function: int, valuation: int) -> bool:
        """The value of the function where the variables in the bit mask are true and the others false."""
        while function > TRUE:
            node = function >> 1
            branch = self._highs if valuation >> self._levels[node] & 1 else self._lows
            function = branch[node] ^ function & 1
        return function == TRUE

    def support(self, function: int) -> int:
        """The mask of the variables the function depends on."""
        return self._supports[function >> 1]

    def table(self, function: int, count: int) -> int:
        """The function of the first `count` variables, and no other, as a mask of the valuations where it is true."""
        full = (1 << (1 << count)) - 1
        if function <= TRUE:
            return full if function else 0
        key = (function & ~1, count)
        if key not in self._tables:
            node = function >> 1
            width = 1 << self._levels[node]
            # The valuations come in blocks of `width`, the variable in turn false and true.
            false = full // ((1 << width) + 1)
            low, high = self.table(self._lows[node], count), self.table(self._highs[node], count)
            self._tables[key] = low & false | high & false << width
        return self._tables[key] ^ full if function & 1 else self._tables[key]

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
        """The product of the variables of one mask and the negated variables of the other."""
        result = TRUE
        for index in reversed(range(max(positive.bit_length(), negative.bit_length()))):
            if positive >> index & 1:
                result = self._node(index, FALSE, result)
            elif negative >> index & 1:
                result = self._node(index, result, FALSE)
        return result

    def branches(self, function: int, chosen: int, most: int) -> dict[int, int]:
        """The function as a choice by the variables of a mask: what is left of it, and where.

        TooLargeError if more than `most` different functions are left.
        """
        chosen &= self.support(function)
        if not chosen:
            return {function: TRUE}
        key = (function, chosen)
        result = self._choices.get(key)
        if result is None:
            result = self._choices[key] = self._make_branches(function, chosen, most)
        if len(result) > most:
            raise TooLargeError
        return result

    def _make_branches(self, function: int, chosen: int, most: int) -> dict[int, int]:
        first = (chosen & -chosen).bit_length() - 1
        variable = self.variable(first)
        result: dict[int, int] = {}
        for side, value in ((variable ^ 1, False), (variable, True)):
            rest = self.restricted(function, first, value)
            for left, label in self.branches(rest, chosen, most).items():
                result[left] = self.disjoin(result.get(left, FALSE), self.conjoin(side, label))
        return result

    def restricted(self, function: int, index: int, value: bool) -> int:
        """What is left of the function when one variable has a value."""
        return self._restricted(function, index, value, {})

    def _restricted(self, function: int, index: int, value: bool, known: dict[int, int]) -> int:
        level = self._levels[function >> 1]
        if level >= index:
            return self.cofactors(function)[value] if level == index else function
        if function not in known:
            low, high = self.cofactors(function)
            parts = self._restricted(low, index, value, known), self._restricted(high, index, value, known)
            known[function] = self._node(level, *parts)
        return known[function]

    def translated(self, function: int, source: Diagrams, renaming: dict[int, int]) -> int:
        """A function of other diagrams in these, with its variables renamed."""
        return self._translated(function, source, renaming, {})

    def _translated(self, function: int, source: Diagrams, renaming: dict[int, int], known: dict[int, int]) -> int:
        if function <= TRUE:
            return function
        if function not in known:
            low, high = (self._translated(side, source, renaming, known) for side in source.cofactors(function))
            variable = self.variable(renaming[source.level(function)])
            known[function] = self.disjoin(self.conjoin(variable, high), self.conjoin(variable ^ 1, low))
        return known[function]

    def _below(self, function: int, level: int) -> tuple[int, int]:
        return self.cofactors(function) if self._levels[function >> 1] == level else (function, function)

    def _node(self, level: int, low: int, high: int) -> int:
        if low == high:
            return low
        flip = high & 1
        key = (level, low ^ flip, high ^ flip)
        known = self._known.get(key)
        if known is None:
            if len(self._levels) >= MOST_NODES:
                raise TooLargeError
            known = self._known[key] = 2 * len(self._levels)
            self._levels.append(level)
            self._lows.append(low ^ flip)
            self._highs.append(high ^ flip)
            self._supports.append(1 << level | self._supports[low >> 1] | self._supports[high >> 1])
        return known ^ flip

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
        return self._node(level, self.disjoin(covered0, covered), self.disjoin(covered1, covered)), (
            *((positive, negative | bit) for positive, negative in cubes0),
            *((positive | bit, negative) for positive, negative in cubes1),
            *cubes,
        )
