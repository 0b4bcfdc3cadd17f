"""LTL to small automata: simplify, unfold, reduce; keep the best of a few ways.

`translate` gives a generalised Büchi automaton with marks on edges, `to_buchi` one with accepting states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice, permutations

from everafter.ltl.automaton import Automaton
from everafter.ltl.cleanup import clean
from everafter.ltl.degeneralise import degeneralised
from everafter.ltl.diagrams import Diagrams
from everafter.ltl.fairness import fair_rounds, fair_state, split_fairness
from everafter.ltl.formula import Formula, atoms
from everafter.ltl.obligation import complemented, is_obligation, weak_deterministic
from everafter.ltl.product import disjoint, product
from everafter.ltl.simplify import Simplifier
from everafter.ltl.simulation import reduced, reduced_by_state
from everafter.ltl.tableau import Choice, Unfolding, tableau

MOST_STATES = 20_000
"""An unfolding with more states than this is given up: TooLargeError."""
MOST_SUBSETS = 300
"""How many subsets the search for a weak deterministic automaton may visit."""
MOST_FORMS = 4
"""How many Büchi forms of one generalised automaton are reduced."""
MANY_CONDITIONS = 4
"""With more fairness conditions than this, they are translated apart."""


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
        rest, conditions = split_fairness(self.formula)
        self._apart = conditions if len(conditions) > MANY_CONDITIONS else ()
        self._core = rest if self._apart else self.formula

    def generalised(self) -> Automaton:
        """The best generalised Büchi automaton found."""
        return min((self._with_fairness(core, fair_state) for core in self._cores), key=weight)

    def buchi(self) -> Automaton:
        """The best Büchi automaton with accepting states found."""
        fair = (self._with_fairness(core, fair_rounds) for core in self._cores)
        return min((small for automaton in fair for small in _buchi_forms(automaton)), key=weight)

    def weak(self) -> Automaton | None:
        """The smallest weak deterministic automaton, complete, if there is one for this formula."""
        small = min(self._unfolded, key=weight)
        weak = weak_deterministic(small, MOST_SUBSETS)
        if weak is None or is_obligation(self._core):
            return weak
        if not disjoint(small, complemented(weak)):
            return None
        opposite = self.simplifier.simplify(self.simplifier.implication.negated(self._core))
        return weak if disjoint(self._unfold(opposite, "early"), weak) else None

    @cached_property
    def _cores(self) -> list[Automaton]:
        """The candidates for the formula without the fairness conditions that are kept apart."""
        weak = self.weak()
        return [*self._unfolded, *([clean(weak)] if weak is not None else [])]

    @cached_property
    def _unfolded(self) -> list[Automaton]:
        return [reduced(self._unfold(self._core, choice)) for choice in ("early", "late")]

    def _unfold(self, formula: Formula, choice: Choice) -> Automaton:
        return tableau(formula, self.propositions, self.simplifier, choice, MOST_STATES)

    def _with_fairness(
        self, core: Automaton, fair: Callable[[tuple[str, ...], Diagrams, Sequence[int]], Automaton]
    ) -> Automaton:
        if not self._apart:
            return core
        unfolding = Unfolding(self.propositions, self.simplifier)
        conditions = [unfolding.function(condition) for condition in self._apart]
        return clean(product(core, fair(self.propositions, unfolding.diagrams, conditions)))


def _buchi_forms(automaton: Automaton) -> Iterator[Automaton]:
    """Büchi automata of a generalised one; only those that start out smallest are worth reducing."""
    forms = {
        form.outgoing: form
        for order in _orders(automaton.acceptance_sets)
        for reuse_levels in (True, False)
        for count_twice in (True, False)
        for form in [degeneralised(automaton, order, reuse_levels, count_twice)]
    }
    for form in sorted(forms.values(), key=lambda form: (len(form.states), form.edge_count))[:MOST_FORMS]:
        yield reduced_by_state(form)


def _orders(count: int) -> Iterator[Sequence[int]]:
    """Some orders of the acceptance sets: all of a few, the rotations of many."""
    if count <= 3:
        yield from permutations(range(count))
    else:
        yield from islice(([*range(i, count), *range(i)] for i in range(count)), 6)
