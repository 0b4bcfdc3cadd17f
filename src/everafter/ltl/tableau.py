"""From a formula to a generalised Büchi automaton, by unfolding one step at a time.

Couvreur, On-the-fly verification of linear temporal logic, FM 1999. A formula is unfolded into a boolean
function of propositions, of variables "f holds from the next step on", and of promises "g is still owed". States are
formulas, and formulas with the same function are the same state. An acceptance set belongs to each promise: the
edges on which it is not made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.diagrams import FALSE, TRUE, Cube, Diagrams, TooLargeError
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
from everafter.ltl.simplify import Simplifier

MOST_BRANCHES = 256
"""With more ways than this to go on from one state, letters cannot decide first: TooLargeError."""

Choice: TypeAlias = Literal["early", "late"]
"""Early: the letters decide first, then what is left to choose. Late: the fewest edges, whatever letters they share."""


@dataclass(slots=True)
class _Variables:
    """The variables of the unfolding, after those of the propositions."""

    first: int
    formulas: list[Formula] = field(default_factory=list)
    is_promise: list[bool] = field(default_factory=list)
    known: dict[tuple[bool, Formula], int] = field(default_factory=dict)

    def index(self, is_promise: bool, formula: Formula) -> int:
        key = (is_promise, formula)
        if key not in self.known:
            self.known[key] = self.first + len(self.formulas)
            self.formulas.append(formula)
            self.is_promise.append(is_promise)
        return self.known[key]


class Unfolding:
    """Formulas in negation normal form as functions of the present letter and the future."""

    def __init__(self, propositions: tuple[str, ...]) -> None:
        self.propositions = propositions
        self.diagrams = Diagrams()
        self._letters = {name: self.diagrams.variable(index) for index, name in enumerate(propositions)}
        self._variables = _Variables(len(propositions))
        self._known: dict[Formula, int] = {}

    def function(self, formula: Formula) -> int:
        """What must hold now, and what from the next step on."""
        known = self._known.get(formula)
        if known is None:
            known = self._known[formula] = self._define(formula)
        return known

    def _define(self, formula: Formula) -> int:
        both, either = self.diagrams.conjoin, self.diagrams.disjoin
        match formula:
            case Constant(value):
                return TRUE if value else FALSE
            case Atom(text):
                return self._letters[text]
            case Not(operand):
                return self.function(operand) ^ 1
            case And(parts):
                result = TRUE
                for part in parts:
                    result = both(result, self.function(part))
                return result
            case Or(parts):
                result = FALSE
                for part in parts:
                    result = either(result, self.function(part))
                return result
            case Next(operand):
                return self._next(operand)
            case Eventually(f):
                return either(self.function(f), self._owed(f, formula))
            case Always(f):
                return both(self.function(f), self._next(formula))
            case Until(f, g):
                return either(self.function(g), both(self.function(f), self._owed(g, formula)))
            case WeakUntil(f, g):
                return either(self.function(g), both(self.function(f), self._next(formula)))
            case Release(f, g):
                return both(self.function(g), either(self.function(f), self._next(formula)))
            case StrongRelease(f, g):
                return both(self.function(g), either(self.function(f), self._owed(f, formula)))
            case Implies() | Equivalent() | Xor():
                raise ValueError("only formulas in negation normal form are unfolded")
            case _:
                assert_never(formula)

    def _next(self, formula: Formula) -> int:
        """The formula holds from the next step on; a conjunction part by part, so that parts can be shared."""
        if isinstance(formula, Constant):
            return self.function(formula)
        parts = formula.parts if isinstance(formula, And) else (formula,)
        result = TRUE
        for part in parts:
            result = self.diagrams.conjoin(result, self.diagrams.variable(self._variables.index(False, part)))
        return result

    def _owed(self, promise: Formula, formula: Formula) -> int:
        made = self.diagrams.variable(self._variables.index(True, promise))
        return self.diagrams.conjoin(made, self._next(formula))

    def steps(self, function: int, choice: Choice) -> list[tuple[int, int, Formula]]:
        """The ways to satisfy a function: the letters, the mask of the promises made, and the formula left."""
        if choice == "late":
            return [self._step(TRUE, cube) for cube in self.diagrams.cubes(function)]
        branches = self.diagrams.branches(function, len(self.propositions), MOST_BRANCHES)
        return [self._step(label, cube) for rest, label in branches.items() for cube in self.diagrams.cubes(rest)]

    def _step(self, label: int, cube: Cube) -> tuple[int, int, Formula]:
        positive, negative = cube
        letters = (1 << self._variables.first) - 1
        label = self.diagrams.conjoin(label, self.diagrams.of_cube(positive & letters, negative & letters))
        promises = 0
        future: list[Formula] = []
        for index, formula in enumerate(self._variables.formulas, self._variables.first):
            if positive >> index & 1:
                if self._variables.is_promise[index - self._variables.first]:
                    promises |= 1 << index
                else:
                    future.append(formula)
        return label, promises, conjunction(future)


def tableau(
    unfolding: Unfolding, formula: Formula, choice: Choice, limit: int, simplifier: Simplifier | None = None
) -> Automaton:
    """An automaton of the words that satisfy a formula in negation normal form; TooLargeError beyond `limit` states.

    With a simplifier, states are simplified as they are met. That gives fewer states, and all the words that satisfy
    the formula, but it may give others: F a is dropped beside X F a, and if that happens at every step then
    a is promised for ever and never owed. The caller has to check that no such word is accepted.
    """
    numbers: dict[int, int] = {}
    functions: list[int] = []

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
        outgoing.append([(label, promises, number(rest)) for label, promises, rest in steps])
    return _with_acceptance(unfolding, outgoing)


def _with_acceptance(unfolding: Unfolding, outgoing: list[list[tuple[int, int, int]]]) -> Automaton:
    """Marks instead of promises: set i is on the edges that do not make promise i."""
    made = sorted({promise for steps in outgoing for _, mask, _ in steps for promise in _bits(mask)})
    edges = [
        joined_edges(
            unfolding.diagrams,
            (
                Edge(label, sum(1 << i for i, promise in enumerate(made) if not promises >> promise & 1), target)
                for label, promises, target in steps
                if label != FALSE
            ),
        )
        for steps in outgoing
    ]
    return Automaton(unfolding.propositions, unfolding.diagrams, 0, tuple(edges), len(made))


def _bits(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]
