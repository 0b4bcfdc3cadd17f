"""Negation normal form, and the two syntactic classes the rewriting and the translation go by.

In the normal form only propositions are negated and implication, equivalence and exclusive or are spelt out.
"""

from __future__ import annotations

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
    TemporalPair,
    Until,
    WeakUntil,
    Xor,
    conjunction,
    disjunction,
    negation,
    operands,
)

_DUAL_UNARY: dict[type, type[Next | Eventually | Always]] = {Next: Next, Eventually: Always, Always: Eventually}
_DUAL_PAIR: dict[type, type[TemporalPair]] = {
    Until: Release,
    Release: Until,
    WeakUntil: StrongRelease,
    StrongRelease: WeakUntil,
}


def normal_form(formula: Formula, negated: bool = False) -> Formula:
    """Return `formula`, or its negation if `negated`, with negation only before propositions."""
    return Normaliser().run(formula, negated)


class Normaliser:
    """Finds normal forms; remembers its answers."""

    def __init__(self) -> None:
        self._known: dict[tuple[Formula, bool], Formula] = {}

    def run(self, formula: Formula, negated: bool) -> Formula:
        """Return `formula`, or its negation if `negated`, with negation only before propositions."""
        key = (formula, negated)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._define(formula, negated)
        return known

    def _define(self, formula: Formula, negated: bool) -> Formula:
        match formula:
            case Constant() | Atom():
                return negation(formula) if negated else formula
            case Not(operand):
                return self.run(operand, not negated)
            case And(parts):
                return (disjunction if negated else conjunction)(self.run(part, negated) for part in parts)
            case Or(parts):
                return (conjunction if negated else disjunction)(self.run(part, negated) for part in parts)
            case Implies(left, right):
                return (conjunction if negated else disjunction)(
                    (self.run(left, not negated), self.run(right, negated))
                )
            case Equivalent(left, right):
                return self._equivalence(left, right, negated)
            case Xor(left, right):
                return self._equivalence(left, right, not negated)
            case Next(operand) | Eventually(operand) | Always(operand):
                inside = self.run(operand, negated)
                return (_DUAL_UNARY[type(formula)] if negated else type(formula))(inside)
            case Until(left, right) | WeakUntil(left, right) | Release(left, right) | StrongRelease(left, right):
                sides = self.run(left, negated), self.run(right, negated)
                return (_DUAL_PAIR[type(formula)] if negated else type(formula))(*sides)
            case _:
                assert_never(formula)

    def _equivalence(self, left: Formula, right: Formula, negated: bool) -> Formula:
        both = conjunction((self.run(left, False), self.run(right, negated)))
        neither = conjunction((self.run(left, True), self.run(right, not negated)))
        return disjunction((both, neither))


def is_boolean(formula: Formula) -> bool:
    """Whether the formula speaks of one step only."""
    match formula:
        case Constant() | Atom():
            return True
        case Not() | And() | Or() | Implies() | Equivalent() | Xor():
            return all(map(is_boolean, operands(formula)))
        case Next() | Eventually() | Always() | Until() | Release() | WeakUntil() | StrongRelease():
            return False
        case _:
            assert_never(formula)


class Classes:
    """Purely eventual and purely universal formulas of a normal form, by their syntax; remembers its answers.

    Etessami and Holzmann, Optimizing Büchi automata, CONCUR 2000: an eventual formula, once true of a suffix,
    is true of every longer one; a universal one of every shorter one.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Formula, bool], bool] = {}

    def is_eventual(self, formula: Formula) -> bool:
        """Whether putting letters in front of a word that satisfies the formula keeps it satisfied."""
        return self._has(formula, True)

    def is_universal(self, formula: Formula) -> bool:
        """Whether dropping letters from the front of a word that satisfies the formula keeps it satisfied."""
        return self._has(formula, False)

    def is_suspendable(self, formula: Formula) -> bool:
        """Whether the formula does not depend on any finite beginning of the word."""
        return self.is_eventual(formula) and self.is_universal(formula)

    def _has(self, formula: Formula, eventual: bool) -> bool:
        key = (formula, eventual)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._define(formula, eventual)
        return known

    def _define(self, formula: Formula, eventual: bool) -> bool:
        match formula:
            case Constant():
                return True
            case Atom() | Not() | Implies() | Equivalent() | Xor():
                return False
            case Eventually(operand):
                return eventual or self._has(operand, False)
            case Always(operand):
                return not eventual or self._has(operand, True)
            case Until(_, right) if eventual and self._has(right, True):
                return True
            case StrongRelease(left, right) if eventual:
                return self._has(left, True) and self._has(right, True)
            case Release(_, right) if not eventual and self._has(right, False):
                return True
            case WeakUntil(left, right) if not eventual:
                return self._has(left, False) and self._has(right, False)
            case And() | Or() | Next() | Until() | Release() | WeakUntil() | StrongRelease():
                return all(self._has(part, eventual) for part in operands(formula))
            case _:
                assert_never(formula)
