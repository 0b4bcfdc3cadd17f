"""What a formula means on an ultimately periodic word, as directly as the textbook says it.

Pnueli 1977; Baier and Katoen, Principles of Model Checking, section 5.1.2. This is the reference of every test: it
uses no normal form, no automaton and no fixpoint shortcut. `truth.py` says the same in linear time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
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
)
from everafter.record import dataclass

Letter = Set[str]
"""The propositions that hold at one step."""


@dataclass(frozen=True, slots=True)
class Lasso:
    """The infinite word prefix, cycle, cycle, …; the cycle is not empty."""

    prefix: tuple[Letter, ...]
    cycle: tuple[Letter, ...]

    def __post_init__(self) -> None:
        if not self.cycle:
            raise ValueError("a lasso repeats at least one letter")

    @property
    def letters(self) -> Sequence[Letter]:
        """One letter for each distinct position."""
        return self.prefix + self.cycle

    def successor(self, position: int) -> int:
        """The position one step later; the last one leads back to the start of the cycle."""
        return position + 1 if position + 1 < len(self.letters) else len(self.prefix)

    def onwards(self, position: int) -> Iterator[int]:
        """The positions from here on, once each, in the order in which the word visits them first."""
        seen: set[int] = set()
        while position not in seen:
            seen.add(position)
            yield position
            position = self.successor(position)


def holds(formula: Formula, lasso: Lasso, position: int = 0) -> bool:
    """Return whether the word `lasso`, read from `position`, satisfies `formula`.

    Proof: proofs/ltl/lassos.v, theorem evaluation_decides.
    """
    return _Meaning(lasso).holds(formula, position)


class _Meaning:
    """The satisfaction relation on one lasso; remembers what it has answered."""

    def __init__(self, lasso: Lasso) -> None:
        self.lasso = lasso
        self.known: dict[tuple[Formula, int], bool] = {}

    def holds(self, formula: Formula, position: int) -> bool:
        key = (formula, position)
        if key not in self.known:
            self.known[key] = self.define(formula, position)
        return self.known[key]

    def define(self, formula: Formula, i: int) -> bool:
        match formula:
            case Constant(value):
                return value
            case Atom(text):
                return text in self.lasso.letters[i]
            case Not(f):
                return not self.holds(f, i)
            case And(parts):
                return all(self.holds(f, i) for f in parts)
            case Or(parts):
                return any(self.holds(f, i) for f in parts)
            case Implies(f, g):
                return not self.holds(f, i) or self.holds(g, i)
            case Equivalent(f, g):
                return self.holds(f, i) == self.holds(g, i)
            case Xor(f, g):
                return self.holds(f, i) != self.holds(g, i)
            case Next(f):
                return self.holds(f, self.lasso.successor(i))
            case Eventually(f):
                return any(self.holds(f, j) for j in self.lasso.onwards(i))
            case Always(f):
                return all(self.holds(f, j) for j in self.lasso.onwards(i))
            case Until(f, g):
                return self.until(f, g, i)
            case WeakUntil(f, g):
                return self.until(f, g, i) or all(self.holds(f, j) for j in self.lasso.onwards(i))
            case Release(f, g):
                return self.released(f, g, i) or all(self.holds(g, j) for j in self.lasso.onwards(i))
            case StrongRelease(f, g):
                return self.released(f, g, i)
            case _:
                assert_never(formula)

    def until(self, f: Formula, g: Formula, i: int) -> bool:
        """Some later j satisfies g, and every step from i up to before j satisfies f."""
        for j in self.lasso.onwards(i):
            if self.holds(g, j):
                return True
            if not self.holds(f, j):
                return False
        return False

    def released(self, f: Formula, g: Formula, i: int) -> bool:
        """Some later j satisfies f, and every step from i up to and including j satisfies g."""
        for j in self.lasso.onwards(i):
            if not self.holds(g, j):
                return False
            if self.holds(f, j):
                return True
        return False
