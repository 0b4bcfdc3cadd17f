"""LTL to small automata: simplify, unfold, reduce; keep the best of a few ways.

`translate` gives a generalised Büchi automaton with marks on edges, `to_buchi` one with accepting states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice, permutations
from typing import TypeAlias

from everafter.ltl.automaton import Automaton
from everafter.ltl.automaton_product import disjoint, product, union
from everafter.ltl.cleanup import clean
from everafter.ltl.degeneralise import Degeneraliser
from everafter.ltl.direct_simulation import reduced, reduced_by_state
from everafter.ltl.fairness_automaton import fair_rounds, fair_state, lasting_states, split_fairness, split_persistence
from everafter.ltl.formula import TRUE, And, Eventually, Formula, Or, atoms, conjunction, disjunction
from everafter.ltl.functions import Functions, TooLargeError
from everafter.ltl.normal_form import Classes
from everafter.ltl.obligation import complemented, is_obligation, weak_deterministic
from everafter.ltl.simplification import Simplifier
from everafter.ltl.tableau import Choice, Unfolding, tableau

MOST_STATES = 20_000
"""An unfolding with more states than this is given up: TooLargeError."""
MOST_SUBSETS = 300
"""How many subsets the search for a weak deterministic automaton may visit."""
MOST_FORMS = 2
"""How many Büchi forms of one generalised automaton are reduced."""
FEW_EDGES = 50
"""Up to this many edges, the unfolding is also tried with the other choice."""
MANY_EDGES = 60
"""From this many edges on, only one form is reduced."""
MANY_CONDITIONS = 4
"""With more fairness conditions than this, they are translated apart."""


def translate(formula: Formula) -> Automaton:
    """A small generalised Büchi automaton of the words that satisfy the formula."""
    return Translator(formula).generalised()


def to_buchi(formula: Formula) -> Automaton:
    """A small Büchi automaton with accepting states of the words that satisfy the formula."""
    return Translator(formula).buchi()


def to_answering_buchi(formula: Formula) -> Automaton:
    """A Büchi automaton that is reduced forwards only, and may be larger: it can choose its next state in time.

    Reduced backwards, an automaton may lack an edge for which another run exists, which would have to be chosen before.
    """
    return Translator(formula, backwards=False).buchi()


def weight(automaton: Automaton) -> tuple[int, bool, int, int]:
    """What makes an automaton better: fewer states, then determinism, fewer edges, fewer acceptance sets."""
    return (
        len(automaton.states),
        not automaton.is_deterministic,
        automaton.edge_count,
        automaton.acceptance_sets,
    )


Maker: TypeAlias = Callable[[tuple[str, ...], Functions, Sequence[int]], Automaton]
Splitter: TypeAlias = Callable[[Formula], tuple[Formula, tuple[Formula, ...]]]


class Translator:
    """The translation of one formula, with what its two results share."""

    def __init__(
        self,
        formula: Formula,
        unfolding: Unfolding | None = None,
        simplifier: Simplifier | None = None,
        backwards: bool = True,
    ) -> None:
        self._backwards = backwards
        self.propositions = unfolding.propositions if unfolding else atoms(formula)
        self.simplifier = simplifier or Simplifier()
        self.formula = self.simplifier.simplify(formula)
        self._unfolding = unfolding or Unfolding(self.propositions)
        rest, self._fair = _split_many(split_fairness, self.formula)
        self._core, self._lasting = _split_many(split_persistence, rest)

    def generalised(self) -> Automaton:
        """The best generalised Büchi automaton found; rarely, one with accepting states is."""
        found = [self._completed(core, fair_state) for core in self._cores]
        if not self._fair:
            found.append(self.buchi())
        return min(found, key=weight)

    def buchi(self) -> Automaton:
        """The best Büchi automaton with accepting states found."""
        return self._buchi

    @cached_property
    def _buchi(self) -> Automaton:
        best: Automaton | None = None
        # Cores of equal weight are most often equal but for the numbers of their states.
        different = {weight(core): core for core in reversed(self._cores)}
        for _, core in sorted(different.items()):
            # A counter only adds states, so a larger core is not worth the trouble.
            if best is None or len(core.states) < len(best.states):
                forms = _buchi_forms(self._completed(core, fair_rounds), self._backwards)
                best = min((best, *forms) if best else forms, key=weight)
        assert best is not None
        return best

    def weak(self) -> Automaton | None:
        """The smallest weak deterministic automaton, complete, if there is one; without the conditions kept apart."""
        small = self._unfolded
        weak = weak_deterministic(small, MOST_SUBSETS)
        if weak is None or is_obligation(self._core):
            return weak
        right = disjoint(small, complemented(weak)) and self._is_inside(weak)
        return weak if right else None

    @cached_property
    def _cores(self) -> list[Automaton]:
        """The candidates for the formula without the conditions that are kept apart."""
        weak = self.weak()
        if weak is not None:
            return [self._unfolded, clean(weak)]
        return [self._unfolded, *self._widened(), *self._guessed(), *self._split()]

    @cached_property
    def _unfolded(self) -> Automaton:
        return self._reduced(self._raw)

    @cached_property
    def _raw(self) -> Automaton:
        """The automaton straight from the unfolding."""
        return self._tableau("early")

    def _widened(self) -> Iterator[Automaton]:
        """The other choice of the unfolding: more edges, which now and then let more states be merged."""
        if self._raw.edge_count < FEW_EDGES:
            yield self._reduced(self._tableau("late"))

    def _guessed(self) -> Iterator[Automaton]:
        """The unfolding with simplified states, where it turns out to be smaller and right."""
        with suppress(TooLargeError):
            if self._guess("early").outgoing != self._raw.outgoing:
                guess = self._reduced(self._guess("late"))
                if weight(guess) < weight(self._unfolded) and self._is_inside(guess):
                    yield guess

    def _tableau(self, choice: Choice) -> Automaton:
        formula = with_late_promises(self._core, self.simplifier.classes)
        return tableau(self._unfolding, formula, choice, MOST_STATES)

    def _guess(self, choice: Choice) -> Automaton:
        return tableau(self._unfolding, self._core, choice, MOST_STATES, self.simplifier)

    def _is_inside(self, automaton: Automaton) -> bool:
        """Whether every word of the automaton satisfies the formula; no, if that is too hard to say."""
        return self._opposite is not None and disjoint(automaton, self._opposite)

    @cached_property
    def _opposite(self) -> Automaton | None:
        """An automaton of the words that do not satisfy the formula, straight from the unfolding."""
        with suppress(TooLargeError):
            negated = self.simplifier.implication.negated(self._core)
            return clean(tableau(self._unfolding, negated, "early", MOST_STATES))
        return None

    def _split(self) -> Iterator[Automaton]:
        """The product of the smallest automaton of the obligations in a conjunction with that of the rest."""
        parts = self._core.parts if isinstance(self._core, And) else ()
        obligations = conjunction(part for part in parts if is_obligation(part))
        rest = conjunction(part for part in parts if not is_obligation(part))
        if obligations is not TRUE and rest is not TRUE:
            weak = Translator(obligations, self._unfolding, self.simplifier, self._backwards).weak()
            if weak is not None:
                other = Translator(rest, self._unfolding, self.simplifier, self._backwards)
                yield self._reduced(product(other.generalised(), weak))

    def _completed(self, core: Automaton, fair: Maker) -> Automaton:
        """The automaton of the core together with the conditions that were kept apart from it."""
        if self._lasting:
            core = self._reduced(union(core, self._made(lasting_states, self._lasting)))
        if self._fair:
            core = clean(product(core, self._made(fair, self._fair)))
        return core

    def _reduced(self, automaton: Automaton) -> Automaton:
        return reduced(automaton, self._backwards)

    def _made(self, maker: Maker, conditions: tuple[Formula, ...]) -> Automaton:
        labels = [self._unfolding.label(condition) for condition in conditions]
        return maker(self.propositions, self._unfolding.functions, labels)


def _split_many(split: Splitter, formula: Formula) -> tuple[Formula, tuple[Formula, ...]]:
    """The formula without its conditions, and these; unless they are few."""
    rest, conditions = split(formula)
    return (rest, conditions) if len(conditions) > MANY_CONDITIONS else (formula, ())


def with_late_promises(formula: Formula, classes: Classes) -> Formula:
    """Return `formula` with F a || F b || s written as F (a || b || s) if s is suspendable, as `classes` tells.

    The run that waits may turn to s at any step. The simplifier goes the other way, where what is suspendable can be
    used; here it saves the state that chooses.
    """
    if not isinstance(formula, Or):
        return formula
    waiting = [part for part in formula.parts if isinstance(part, Eventually) or classes.is_suspendable(part)]
    if len(waiting) < 2 or not any(isinstance(part, Eventually) for part in waiting):
        return formula
    rest = [part for part in formula.parts if part not in waiting]
    awaited = [part.operand if isinstance(part, Eventually) else part for part in waiting]
    return disjunction((*rest, Eventually(disjunction(awaited))))


def _buchi_forms(automaton: Automaton, backwards: bool) -> Iterator[Automaton]:
    """Büchi automata of a generalised one; only those that start out smallest are worth reducing."""
    degeneraliser = Degeneraliser(automaton)
    forms = {
        form.outgoing: form
        for order in _orders(automaton.acceptance_sets)
        for reuse_levels in (True, False)
        for count_twice in (True, False)
        for form in [degeneraliser.form(order, reuse_levels, count_twice)]
    }
    ranked = sorted(forms.values(), key=lambda form: (len(form.states), form.edge_count))
    for form in ranked[: MOST_FORMS if ranked[0].edge_count < MANY_EDGES else 1]:
        small = reduced_by_state(form, backwards)
        yield small
        if len(small.states) <= len(automaton.states):
            return


def _orders(count: int) -> Iterator[Sequence[int]]:
    """Some orders of the acceptance sets: both of two, a few rotations of more."""
    if count <= 2:
        yield from permutations(range(count))
    else:
        yield from islice(([*range(i, count), *range(i)] for i in range(count)), 3)
