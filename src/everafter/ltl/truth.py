"""The truth of a formula and of all its parts along a lasso, in time linear in word and formula.

Every part is evaluated once, at all positions, from the last one backwards. What a temporal operator says of a
position depends on the position after it, as its law of unfolding says: `f U g` is `g || (f && X (f U g))`. Around the
cycle that is an equation with itself, and of its solutions the operator is the least (U, F, M) or the greatest
(W, G, R).

`lasso_semantics.holds` is the definition that the answers are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import assert_never

from everafter.ltl.formula import (
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    subformulas,
)
from everafter.ltl.lasso_semantics import Lasso

Values = list[bool]
"""The truth of one formula, a value for each position of the lasso."""


def truth(formula: Formula, lasso: Lasso) -> dict[Formula, Values]:
    """Return the values of every subformula of `formula` along `lasso`, the formula itself first."""
    evaluation = _Evaluation(lasso)
    return {part: evaluation.values(part) for part in subformulas(formula)}


def is_true(formula: Formula, lasso: Lasso) -> bool:
    """Return whether the word `lasso` satisfies `formula`: what `holds` says, in linear time."""
    return _Evaluation(lasso).values(formula)[0]


class _Evaluation:
    """The values of formulas along one lasso; remembers them."""

    def __init__(self, lasso: Lasso) -> None:
        self.letters = lasso.letters
        self.loop = len(lasso.prefix)
        self.known: dict[Formula, Values] = {}

    def values(self, formula: Formula) -> Values:
        if formula not in self.known:
            self.known[formula] = self.evaluated(formula)
        return self.known[formula]

    def evaluated(self, formula: Formula) -> Values:
        match formula:
            case Constant(value):
                return [value] * len(self.letters)
            case Atom(text):
                return [text in letter for letter in self.letters]
            case Not(f):
                return [not value for value in self.values(f)]
            case And(parts):
                return list(map(all, self.together(parts)))
            case Or(parts):
                return list(map(any, self.together(parts)))
            case Implies(f, g):
                return [not left or right for left, right in self.together((f, g))]
            case Equivalent(f, g):
                return [left == right for left, right in self.together((f, g))]
            case Xor(f, g):
                return [left != right for left, right in self.together((f, g))]
            case Next(f):
                values = self.values(f)
                return [*values[1:], values[self.loop]]
            case Eventually(f):
                return self.unfolded(self.values(f), repeat(True, len(self.letters)), False)
            case Always(f):
                return self.unfolded(repeat(False, len(self.letters)), self.values(f), True)
            case Until(f, g):
                return self.unfolded(self.values(g), self.values(f), False)
            case WeakUntil(f, g):
                return self.unfolded(self.values(g), self.values(f), True)
            case Release(f, g):
                return self.unfolded(map(all, self.together((f, g))), self.values(g), True)
            case StrongRelease(f, g):
                return self.unfolded(map(all, self.together((f, g))), self.values(g), False)
            case _:
                assert_never(formula)

    def together(self, parts: Iterable[Formula]) -> Iterable[tuple[bool, ...]]:
        """The values of several formulas, position by position."""
        columns = [self.values(part) for part in parts]
        return zip(*columns, strict=True) if columns else repeat((), len(self.letters))

    def unfolded(self, now: Iterable[bool], on: Iterable[bool], at_last: bool) -> Values:
        """The solution of v = now || (on && X v): the greatest if `at_last`, else the least.

        Round the cycle v is true, false, or what it is assumed to be behind the cycle. So it is enough to assume the
        extreme value there: where the cycle begins, that gives the solution.
        """
        laws = list(zip(now, on, strict=True))
        laws.reverse()
        around = laws[: len(laws) - self.loop]
        behind = at_last
        for is_now, goes_on in around:
            behind = is_now or (goes_on and behind)
        solution = []
        for is_now, goes_on in laws:
            behind = is_now or (goes_on and behind)
            solution.append(behind)
        solution.reverse()
        return solution
