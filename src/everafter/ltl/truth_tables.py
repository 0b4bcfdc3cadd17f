"""Functions of few variables as truth tables: every operation is one of integers.

Bit v of a table is the value where exactly the variables in the mask v are true. A table goes on for ever: beyond the
last valuation it repeats the value of the first, so that -1 is true for any number of variables and `~` negates.
"""

from __future__ import annotations

from operator import and_, or_

from everafter.ltl.diagrams import Diagrams
from everafter.ltl.functions import Functions

MOST_VARIABLES = 10
"""With more variables than this, tables are longer than diagrams: a table has 2^n bits."""


def functions_of(count: int) -> Functions:
    """A set for the functions of that many variables."""
    return Tables(count) if count <= MOST_VARIABLES else Diagrams()


class Tables(Functions):
    """The functions of a fixed number of variables."""

    conjoin = staticmethod(and_)
    disjoin = staticmethod(or_)

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count
        self._full = (1 << (1 << count)) - 1
        # The valuations come in blocks of 2^i, variable i in turn false and true.
        self._false = [self._full // ((1 << (1 << index)) + 1) for index in range(count)]

    def minus(self, f: int, g: int, /) -> int:
        """Return the conjunction of `f` and the negation of `g`."""
        return f & ~g

    def holds(self, function: int, valuation: int) -> bool:
        """Return the value of `function` where the variables in the mask `valuation` are true and the others false."""
        return bool(function >> valuation & 1)

    def level(self, function: int) -> int:
        """The first variable the function depends on; larger than every variable for a constant."""
        for index, false in enumerate(self._false):
            if (function ^ function >> (1 << index)) & false:
                return index
        return self._count

    def cofactors(self, function: int) -> tuple[int, int]:
        """What is left of the function when its first variable is false, and when it is true."""
        index = self.level(function)
        width, false = 1 << index, self._false[index]
        low, high = function & false, function >> width & false
        return self._endless(low | low << width), self._endless(high | high << width)

    def decision(self, index: int, low: int, high: int) -> int:
        """Return the function that is `low` where variable `index` is false and `high` where it is true.

        Both are functions of later variables only.
        """
        false = self._false[index]
        return self._endless(low & false | high & false << (1 << index))

    def _endless(self, table: int) -> int:
        return table | ~self._full if table & 1 else table
