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
from everafter.ltl.formula import TRUE, And, Eventually, Formula, Or, atoms, conjunction, disjunction
from everafter.ltl.normal_form import Classes
from everafter.ltl.obligation import complemented, is_obligation, weak_deterministic
from everafter.ltl.product import disjoint, product
from everafter.ltl.simplify import Simplifier
from everafter.ltl.simulation import reduced, reduced_by_state
from everafter.ltl.tableau import Choice, Unfolding, tableau

CHOICES: tuple[Choice, ...] = ("early", "late")
MOST_STATES = 20_000
"""An unfolding with more states than this is given up: TooLargeError."""
MOST_SUBSETS = 300
"""How many subsets the search for a weak deterministic automaton may visit."""
MOST_FORMS = 3
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
        self._unfolding = Unfolding(self.propositions)
        rest, conditions = split_fairness(self.formula)
        self._apart = conditions if len(conditions) > MANY_CONDITIONS else ()
        self._core = rest if self._apart else self.formula

    def generalised(self) -> Automaton:
        """The best generalised Büchi automaton found; rarely, one with accepting states is."""
        found = [self._with_fairness(core, fair_state) for core in self._cores]
        if not self._apart:
            found.append(self.buchi())
        return min(found, key=weight)

    def buchi(self) -> Automaton:
        """The best Büchi automaton with accepting states found."""
        return self._buchi

    @cached_property
    def _buchi(self) -> Automaton:
        best: Automaton | None = None
        for core in sorted(self._cores, key=weight):
            # A counter only adds states, so a larger core is not worth the trouble.
            if best is None or len(core.states) < len(best.states):
                forms = _buchi_forms(self._with_fairness(core, fair_rounds))
                best = min((best, *forms) if best else forms, key=weight)
        assert best is not None
        return best

    def weak(self) -> Automaton | None:
        """The smallest weak deterministic automaton, complete, if there is one for this formula."""
        small = min(self._unfolded, key=weight)
        weak = weak_deterministic(small, MOST_SUBSETS)
        if weak is None or is_obligation(self._core):
            return weak
        right = disjoint(small, complemented(weak)) and disjoint(self._opposite, weak)
        return weak if right else None

    @cached_property
    def _cores(self) -> list[Automaton]:
        """The candidates for the formula without the fairness conditions that are kept apart."""
        weak = self.weak()
        if weak is not None:
            return [*self._unfolded, clean(weak)]
        return [*self._unfolded, *self._guessed(), *self._split()]

    @cached_property
    def _unfolded(self) -> list[Automaton]:
        formula = with_late_promises(self._core, self.simplifier.classes)
        different = {raw.outgoing: raw for raw in (self._unfold(formula, choice) for choice in CHOICES)}
        return list(map(reduced, different.values()))

    @cached_property
    def _opposite(self) -> Automaton:
        """An automaton of the words that do not satisfy the formula."""
        negated = self.simplifier.simplify(self.simplifier.implication.negated(self._core))
        return clean(self._unfold(negated, "early"))

    def _guessed(self) -> Iterator[Automaton]:
        """Unfoldings with simplified states, where they turn out to be smaller and right."""
        best = min(map(weight, self._unfolded))
        for choice in CHOICES:
            guess = reduced(self._unfold(self._core, choice, self.simplifier))
            if weight(guess) < best and disjoint(guess, self._opposite):
                yield guess

    def _split(self) -> Iterator[Automaton]:
        """The product of the smallest automaton of the obligations in a conjunction with that of the rest."""
        parts = self._core.parts if isinstance(self._core, And) else ()
        obligations = conjunction(part for part in parts if is_obligation(part))
        rest = conjunction(part for part in parts if not is_obligation(part))
        if obligations is not TRUE and rest is not TRUE:
            weak = Translator(obligations).weak()
            if weak is not None:
                yield reduced(product(Translator(rest).generalised(), weak))

    def _unfold(self, formula: Formula, choice: Choice, simplifier: Simplifier | None = None) -> Automaton:
        return tableau(self._unfolding, formula, choice, MOST_STATES, simplifier)

    def _with_fairness(
        self, core: Automaton, fair: Callable[[tuple[str, ...], Diagrams, Sequence[int]], Automaton]
    ) -> Automaton:
        if not self._apart:
            return core
        conditions = [self._unfolding.function(condition) for condition in self._apart]
        return clean(product(core, fair(self.propositions, self._unfolding.diagrams, conditions)))


def with_late_promises(formula: Formula, classes: Classes) -> Formula:
    """F a || s as F (a || s) for a suspendable s: the run that waits for a may turn to s at any step.

    The simplifier goes the other way, where what is suspendable can be used; here it saves the state that chooses.
    """
    if not isinstance(formula, Or):
        return formula
    awaited = [part.operand for part in formula.parts if isinstance(part, Eventually)]
    suspendable = [part for part in formula.parts if classes.is_suspendable(part) and not isinstance(part, Eventually)]
    rest = [part for part in formula.parts if not isinstance(part, Eventually) and part not in suspendable]
    if not awaited or not suspendable:
        return formula
    return disjunction((*rest, Eventually(disjunction((*awaited, *suspendable)))))


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
    """Some orders of the acceptance sets: both of two, a few rotations of more."""
    if count <= 2:
        yield from permutations(range(count))
    else:
        yield from islice(([*range(i, count), *range(i)] for i in range(count)), 3)
