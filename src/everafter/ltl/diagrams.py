"""Functions of many variables as shared binary decision diagrams.

Bryant 1986, with the negated edges of Brace, Rudell and Bryant 1990: a function is the number of a node, and `~` of
it is the negation. Made for labels of automata, whose diagrams are small; docs/decisions/0004 weighs it
against a library.
"""

from __future__ import annotations

from everafter.ltl.functions import FALSE, TRUE, Functions, TooLargeError

__all__ = ["FALSE", "TRUE", "Diagrams"]

_LAST = 1 << 30
"""The level of the constants: after every variable."""

MOST_NODES = 300_000
"""Functions that need more nodes than this, a few seconds' work, are given up: TooLargeError."""


class Diagrams(Functions):
    """A growing table of functions over variables 0, 1, 2, …, in this order from the root."""

    def __init__(self) -> None:
        super().__init__()
        self._levels = [_LAST]
        self._lows = [FALSE]
        self._highs = [FALSE]
        self._known: dict[tuple[int, int, int], int] = {}
        self._conjunctions: dict[tuple[int, int], int] = {}

    def level(self, function: int) -> int:
        """The first variable the function depends on; larger than every variable for a constant."""
        return self._levels[function if function >= 0 else ~function]

    def cofactors(self, function: int) -> tuple[int, int]:
        """What is left of the function when its first variable is false, and when it is true."""
        if function < 0:
            return ~self._lows[~function], ~self._highs[~function]
        return self._lows[function], self._highs[function]

    def conjoin(self, f: int, g: int, /) -> int:
        """Return the conjunction of `f` and `g`."""
        if f > g:
            f, g = g, f
        if f in (g, TRUE):
            return g
        if g == TRUE:
            return f
        if FALSE in (f, g) or f == ~g:
            return FALSE
        key = (f, g)
        known = self._conjunctions.get(key)
        if known is None:
            level = min(self.level(f), self.level(g))
            (f0, f1), (g0, g1) = self._below(f, level), self._below(g, level)
            known = self._conjunctions[key] = self.decision(level, self.conjoin(f0, g0), self.conjoin(f1, g1))
        return known

    def disjoin(self, f: int, g: int, /) -> int:
        """Return the disjunction of `f` and `g`."""
        return ~self.conjoin(~f, ~g)

    def minus(self, f: int, g: int, /) -> int:
        """Return the conjunction of `f` and the negation of `g`."""
        return self.conjoin(f, ~g)

    def holds(self, function: int, valuation: int) -> bool:
        """Return the value of `function` where the variables in the mask `valuation` are true and the others false."""
        while function not in (FALSE, TRUE):
            function = self.cofactors(function)[valuation >> self.level(function) & 1]
        return function == TRUE

    def decision(self, index: int, low: int, high: int) -> int:
        """Return the function that is `low` where variable `index` is false and `high` where it is true.

        Both are functions of later variables only.
        """
        if low == high:
            return low
        if high < 0:
            return ~self._node(index, ~low, ~high)
        return self._node(index, low, high)

    def _node(self, level: int, low: int, high: int) -> int:
        key = (level, low, high)
        known = self._known.get(key)
        if known is None:
            if len(self._levels) >= MOST_NODES:
                raise TooLargeError
            known = self._known[key] = len(self._levels)
            self._levels.append(level)
            self._lows.append(low)
            self._highs.append(high)
        return known
