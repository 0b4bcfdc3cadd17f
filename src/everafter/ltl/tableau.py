"""From a formula to a generalised Büchi automaton, by unfolding one step at a time.

Couvreur, On-the-fly verification of linear temporal logic, FM 1999. A formula is unfolded into a boolean
function of propositions, of variables "f holds from the next step on", and of promises "g is still owed". States are
formulas, and formulas with the same function are the same state. An acceptance set belongs to each promise: the
edges on which it is not made.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Literal, TypeAlias, assert_never

from everafter.ltl.automaton import Automaton, joined_edges
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
    conjunction,
)
from everafter.ltl.functions import FALSE, TooLargeError
from everafter.ltl.simplification import Simplifier
from everafter.ltl.terms import AT_ONCE, NEVER, Terms, both, either, later, now, widened
from everafter.ltl.truth_tables import functions_of

Kind: TypeAlias = Literal["next", "promise"]
Choice: TypeAlias = Literal["early", "late"]
"""What a state may go on with: early, only what it must for a letter; late, also what asks more than it must."""


class Unfolding:
    """Formulas in negation normal form as functions of the present letter and the future.

    Labels are in `functions`, where variable i is proposition i.
    """

    def __init__(self, propositions: tuple[str, ...]) -> None:
        self.propositions = propositions
        self.functions = functions_of(len(propositions))
        self._numbers = {name: index for index, name in enumerate(propositions)}
        self._meanings: list[Formula] = []
        self._obligations: dict[tuple[Kind, Formula], int] = {}
        self._promises = 0
        self._known: dict[Formula, Terms] = {}
        self._futures: dict[int, Formula] = {}

    def label(self, formula: Formula) -> int:
        """The label that reads the letters for which a boolean formula holds."""
        terms = self.function(formula)
        return terms[0][1] if terms else FALSE

    def function(self, formula: Formula) -> Terms:
        """What must hold now, and what from the next step on."""
        known = self._known.get(formula)
        if known is None:
            known = self._known[formula] = self._define(formula)
        return known

    def _define(self, formula: Formula) -> Terms:
        match formula:
            case Constant(value):
                return AT_ONCE if value else NEVER
            case Atom(text):
                return now(self.functions.variable(self._numbers[text]))
            case Not(operand):
                return now(~self.label(operand))
            case And(parts):
                return self._all(map(self.function, parts))
            case Or(parts):
                return self._some(map(self.function, parts))
            case Next(operand):
                return self._next(operand)
            case Eventually(f):
                return self._some((self.function(f), self._owed(f, formula)))
            case Always(f):
                return self._all((self.function(f), self._next(formula)))
            case Until(f, g):
                return self._some((self.function(g), self._all((self.function(f), self._owed(g, formula)))))
            case WeakUntil(f, g):
                return self._some((self.function(g), self._all((self.function(f), self._next(formula)))))
            case Release(f, g):
                return self._all((self.function(g), self._some((self.function(f), self._next(formula)))))
            case StrongRelease(f, g):
                return self._all((self.function(g), self._some((self.function(f), self._owed(f, formula)))))
            case Implies() | Equivalent() | Xor():
                raise ValueError("only formulas in negation normal form are unfolded")
            case _:
                assert_never(formula)

    def _all(self, parts: Iterable[Terms]) -> Terms:
        result = AT_ONCE
        for part in parts:
            result = both(self.functions, result, part)
        return result

    def _some(self, parts: Iterable[Terms]) -> Terms:
        result = NEVER
        for part in parts:
            result = either(self.functions, result, part)
        return result

    def _next(self, formula: Formula) -> Terms:
        """The formula holds from the next step on; a conjunction part by part, so that parts can be shared."""
        if isinstance(formula, Constant):
            return self.function(formula)
        parts = formula.parts if isinstance(formula, And) else (formula,)
        return self._all(later(self._obligation("next", part)) for part in parts)

    def _owed(self, promise: Formula, formula: Formula) -> Terms:
        return self._all((later(self._obligation("promise", promise)), self._next(formula)))

    def _obligation(self, kind: Kind, formula: Formula) -> int:
        """The bit that stands for what a formula says of the next step, or for the promise of it."""
        key = (kind, formula)
        known = self._obligations.get(key)
        if known is None:
            known = self._obligations[key] = 1 << len(self._meanings)
            self._meanings.append(formula)
            if kind == "promise":
                self._promises |= known
        return known

    def steps(self, function: Terms, choice: Choice) -> list[tuple[int, int, int]]:
        """Return the ways to satisfy `function`: for each the letters, and masks of the promises made and what is left.

        With the `choice` "late", each way is open to all letters for which it is enough.
        """
        terms = widened(self.functions, function) if choice == "late" else function
        promises = self._promises
        return [(letters, mask & promises, mask & ~promises) for mask, letters in terms]

    def future(self, obligations: int) -> Formula:
        """The conjunction of what the obligations of a mask require from the next step on."""
        known = self._futures.get(obligations)
        if known is None:
            known = conjunction(self._meanings[index] for index in _bits(obligations))
            self._futures[obligations] = known
        return known


def tableau(
    unfolding: Unfolding, formula: Formula, choice: Choice, limit: int, simplifier: Simplifier | None = None
) -> Automaton:
    """Return an automaton of the words that satisfy `formula`; raise TooLargeError beyond `limit` states.

    The formula is in negation normal form, `unfolding` unfolds it, and `choice` is that of `Unfolding.steps`. With
    `simplifier`, states are simplified as they are met. That gives fewer states, and all the words that satisfy the
    formula, but it may give others: F a is dropped beside X F a, and if that happens at every step then a is promised
    for ever and never owed. The caller has to check that no such word is accepted.
    """
    numbers: dict[Terms, int] = {}
    functions: list[Terms] = []
    targets: dict[int, int] = {}

    def number(target: Formula) -> int:
        function = unfolding.function(simplifier.normalised(target) if simplifier else target)
        if function not in numbers:
            numbers[function] = len(functions)
            functions.append(function)
        return numbers[function]

    number(formula)
    outgoing: list[list[tuple[int, int, int]]] = []
    while len(outgoing) < len(functions):
        if len(functions) > limit:
            raise TooLargeError
        steps = unfolding.steps(functions[len(outgoing)], choice)
        for _, _, rest in steps:
            if rest not in targets:
                targets[rest] = number(unfolding.future(rest))
        outgoing.append([(label, promises, targets[rest]) for label, promises, rest in steps])
    return _with_acceptance(unfolding, outgoing)


def _with_acceptance(unfolding: Unfolding, outgoing: list[list[tuple[int, int, int]]]) -> Automaton:
    """Marks instead of promises: set i is on the edges that do not make promise i."""
    masks = {promises for steps in outgoing for _, promises, _ in steps}
    made = _bits(reduce(or_, masks, 0))
    marks = {mask: sum(1 << i for i, promise in enumerate(made) if not mask >> promise & 1) for mask in masks}
    edges = [
        joined_edges(unfolding.functions, [(label, marks[promises], target) for label, promises, target in steps])
        for steps in outgoing
    ]
    return Automaton(unfolding.propositions, unfolding.functions, 0, tuple(edges), len(made))


def _bits(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]
