"""Does one formula evidently imply another? A sound answer from the syntax alone; "no" may mean "not evident".

Somenzi and Bloem, Efficient Büchi automata from LTL formulae, CAV 2000, extended with the eventual and universal
classes of Etessami and Holzmann. All formulas are in negation normal form.
"""

from __future__ import annotations

from everafter.ltl.formula import (
    FALSE,
    TRUE,
    Always,
    And,
    Atom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from everafter.ltl.normal_form import Classes, Normaliser

_LITERALS = (Atom, Not)
_BOOLEAN = (Atom, Not, And, Or)


class Implication:
    """Answers about implications, remembered."""

    def __init__(self, classes: Classes) -> None:
        self._classes = classes
        self._known: dict[tuple[Formula, Formula], bool] = {}
        self._negations: dict[Formula, Formula] = {}
        self._normaliser = Normaliser()

    def negated(self, formula: Formula) -> Formula:
        """The negation in normal form."""
        if formula not in self._negations:
            opposite = self._normaliser.run(formula, negated=True)
            self._negations[formula] = opposite
            self._negations[opposite] = formula
        return self._negations[formula]

    def holds(self, f: Formula, g: Formula) -> bool:
        """Return whether every word that satisfies `f` evidently satisfies `g`."""
        if f is g or f is FALSE or g is TRUE:
            return True
        key = (f, g)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._follows(f, g)
        return known

    def _follows(self, f: Formula, g: Formula) -> bool:
        if type(f) in _LITERALS and type(g) in _LITERALS:
            return False
        if isinstance(f, Or):
            return all(self.holds(part, g) for part in f.parts)
        if isinstance(g, And):
            return all(self.holds(f, part) for part in g.parts)
        if type(f) not in _BOOLEAN and type(g) not in _BOOLEAN and self._operator_by_operator(f, g):
            return True
        return self._from_above(f, g) or self._from_below(f, g) or self._by_class(f, g)

    def _from_below(self, f: Formula, g: Formula) -> bool:
        """f implies something that is enough for g."""
        match g:
            case Or(parts):
                return any(self.holds(f, part) for part in parts)
            case Eventually(b):
                return self.holds(f, b)
            case Until(_, b):
                return self.holds(f, b)
            case WeakUntil(a, b):
                return self.holds(f, b) or (isinstance(f, Always) and self.holds(f.operand, a))
            case Release(a, b):
                at_once = self.holds(f, a) and self.holds(f, b)
                return at_once or (isinstance(f, Always) and self.holds(f.operand, b))
            case StrongRelease(a, b):
                return self.holds(f, a) and self.holds(f, b)
            case _:
                return False

    def _from_above(self, f: Formula, g: Formula) -> bool:
        """f requires something that is enough for g."""
        match f:
            case And(parts):
                return any(self.holds(part, g) for part in parts)
            case Always(a):
                return self.holds(a, g)
            case Until(a, b) | WeakUntil(a, b):
                return self.holds(a, g) and self.holds(b, g)
            case Release(_, b) | StrongRelease(_, b):
                return self.holds(b, g)
            case _:
                return False

    def _operator_by_operator(self, f: Formula, g: Formula) -> bool:
        match f, g:
            case (
                (Next(a), Next(b))
                | (Eventually(a), Eventually(b))
                | (Always(a), Always(b))
                | (Until(_, a), Eventually(b))
                | (StrongRelease(a, _), Eventually(b))
                | (StrongRelease(_, a), Eventually(b))
                | (Always(a), (WeakUntil(b, _) | Release(_, b)))
            ):
                return self.holds(a, b)
            case (
                (Until(a, b), (Until(c, d) | WeakUntil(c, d)))
                | (WeakUntil(a, b), WeakUntil(c, d))
                | (Release(a, b), Release(c, d))
                | (StrongRelease(a, b), (StrongRelease(c, d) | Release(c, d)))
            ):
                return self.holds(a, c) and self.holds(b, d)
            case (StrongRelease(a, b), (Until(c, d) | WeakUntil(c, d))) | (Release(a, b), WeakUntil(c, d)):
                return self.holds(b, c) and (self.holds(a, d) or self.holds(b, d))
            case (Until(a, b), (Release(c, d) | StrongRelease(c, d))) | (WeakUntil(a, b), Release(c, d)):
                return self.holds(a, d) and self.holds(b, d) and self.holds(b, c)
            case _:
                return False

    def _by_class(self, f: Formula, g: Formula) -> bool:
        match f:
            case Eventually(a) | Next(a) if self._classes.is_eventual(g) and self.holds(a, g):
                return True
            case Until(_, b) if self._classes.is_eventual(g) and self.holds(b, g):
                return True
            case _:
                pass
        match g:
            case Always(b) | Next(b) if self._classes.is_universal(f) and self.holds(f, b):
                return True
            case WeakUntil(b, _) | Release(_, b) if self._classes.is_universal(f) and self.holds(f, b):
                return True
            case _:
                return False
