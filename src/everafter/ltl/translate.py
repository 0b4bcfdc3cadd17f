"""LTL to small automata: simplify, unfold, reduce; keep the best of a few ways.

`translate` gives a generalised Büchi automaton with marks on edges, `to_buchi` one with accepting states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

from everafter.ltl.automaton import Automaton
from everafter.ltl.cleanup import clean
from everafter.ltl.degeneralise import degeneralised
from everafter.ltl.formula import Formula, atoms
from everafter.ltl.obligation import complemented, is_obligation, weak_deterministic
from everafter.ltl.product import disjoint
from everafter.ltl.simplify import Simplifier
from everafter.ltl.simulation import reduced, reduced_by_state
from everafter.ltl.tableau import tableau

SUBSETS = 300
"""How many subsets the search for a weak deterministic automaton may visit."""


def translate(formula: Formula) -> Automaton:
    """A small generalised Büchi automaton of the words that satisfy the formula."""
    return Translator(formula).generalised()


def to_buchi(formula: Formula) -> Automaton:
    """A small Büchi automaton with accepting states of the words that satisfy the formula."""
    return Translator(formula).buchi()


def weight(automaton: Automaton) -> tuple[int, bool, int, int]:
    """What makes an automaton better: fewer states, then determinism, fewer edges, fewer acceptance sets."""
    return (
        len(automaton.states),
        not automaton.is_deterministic,
        automaton.edge_count,
        automaton.acceptance_sets,
    )


class Translator:
    """The translation of one formula, with what its two results share."""

    def __init__(self, formula: Formula) -> None:
        self.propositions = tuple(sorted(atoms(formula)))
        self.simplifier = Simplifier()
        self.formula = self.simplifier.simplify(formula)
        self._unfolded: list[Automaton] | None = None

    def generalised(self) -> Automaton:
        """The best generalised Büchi automaton found."""
        return min(self._candidates(), key=weight)

    def buchi(self) -> Automaton:
        """The best Büchi automaton with accepting states found."""
        return min((small for automaton in self._candidates() for small in _buchi_forms(automaton)), key=weight)

    def _candidates(self) -> list[Automaton]:
        if self._unfolded is None:
            self._unfolded = list(self._find_candidates())
        return self._unfolded

    def _find_candidates(self) -> Iterator[Automaton]:
        small = self._reduced_tableau(self.formula)
        yield small
        weak = self._weak(small)
        if weak is not None:
            yield clean(weak)

    def _reduced_tableau(self, formula: Formula) -> Automaton:
        early = reduced(tableau(formula, self.propositions, self.simplifier, "early", 10000))
        late = reduced(tableau(formula, self.propositions, self.simplifier, "late", 10000))
        return min(early, late, key=weight)

    def _weak(self, automaton: Automaton) -> Automaton | None:
        """The smallest weak deterministic automaton, if there is one for this formula."""
        weak = weak_deterministic(automaton, SUBSETS)
        if weak is None or is_obligation(self.formula):
            return weak
        if not disjoint(automaton, complemented(weak)):
            return None
        opposite = self._reduced_tableau(self.simplifier.simplify(self.simplifier.implication.negated(self.formula)))
        return weak if disjoint(opposite, weak) else None


def _buchi_forms(automaton: Automaton) -> Iterator[Automaton]:
    for order in _orders(automaton.acceptance_sets):
        for reuse_levels in (True, False):
            yield reduced_by_state(degeneralised(automaton, order, reuse_levels))


def _orders(count: int) -> Iterator[Sequence[int]]:
    """Some orders of the acceptance sets: all of a few, the rotations of many."""
    if count <= 3:
        yield from permutations(range(count))
    else:
        yield from islice(([*range(i, count), *range(i)] for i in range(count)), 6)
