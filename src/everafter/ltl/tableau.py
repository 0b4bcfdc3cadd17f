"""From a formula to a generalised Büchi automaton, by unfolding one step at a time.

Couvreur, On-the-fly verification of linear temporal logic, FM 1999. A formula is unfolded into a boolean
function of propositions, of variables "f holds from the next step on", and of promises "g is still owed". States are
formulas, and formulas with the same function are the same state. An acceptance set belongs to each promise: the
edges on which it is not made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, assert_never

from everafter.ltl.automaton import Automaton, joined_edges
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

Kind: TypeAlias = Literal["letter", "next", "promise"]
Choice: TypeAlias = Literal["early", "late"]
"""Early: the letters decide first, then what is left to choose. Late: the fewest edges, whatever letters they share."""


@dataclass(slots=True)
class _Variables:
    """What each variable of the unfolding stands for, in the order of their first use.

    That order keeps a letter close to what it decides: a || b || … with all letters first would grow exponentially.
    """

    numbers: dict[str, int]
    """For each proposition its number in labels."""
    meanings: list[Formula] = field(default_factory=list)
    known: dict[tuple[Kind, Formula], int] = field(default_factory=dict)
    masks: dict[Kind, int] = field(default_factory=lambda: {"letter": 0, "next": 0, "promise": 0})
    """The variables of each kind."""
    renaming: dict[int, int] = field(default_factory=dict)
    """For each variable that stands for a letter, the number of its proposition."""

    def index(self, kind: Kind, formula: Formula) -> int:
        key = (kind, formula)
        index = self.known.get(key)
        if index is None:
            index = self.known[key] = len(self.meanings)
            self.meanings.append(formula)
            self.masks[kind] |= 1 << index
            if isinstance(formula, Atom) and kind == "letter":
                self.renaming[index] = self.numbers[formula.text]
        return index


class Unfolding:
    """Formulas in negation normal form as functions of the present letter and the future.

    The functions live in diagrams of their own; labels are in `diagrams`, where variable i is proposition i.
    """

    def __init__(self, propositions: tuple[str, ...]) -> None:
        self.propositions = propositions
        self.diagrams = Diagrams()
        self._functions = Diagrams()
        self._variables = _Variables({name: index for index, name in enumerate(propositions)})
        self._known: dict[Formula, int] = {}
        self._steps: dict[tuple[int, Choice], list[tuple[int, int, Formula]]] = {}
        self._labels: dict[int, int] = {}
        self._products: dict[Cube, int] = {}
        self._futures: dict[int, Formula] = {}

    def label(self, formula: Formula) -> int:
        """The label that reads the letters for which a boolean formula holds."""
        return self._label(self.function(formula))

    def function(self, formula: Formula) -> int:
        """What must hold now, and what from the next step on."""
        known = self._known.get(formula)
        if known is None:
            known = self._known[formula] = self._define(formula)
        return known

    def _define(self, formula: Formula) -> int:
        both, either = self._functions.conjoin, self._functions.disjoin
        match formula:
            case Constant(value):
                return TRUE if value else FALSE
            case Atom():
                return self._variable("letter", formula)
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
            result = self._functions.conjoin(result, self._variable("next", part))
        return result

    def _owed(self, promise: Formula, formula: Formula) -> int:
        return self._functions.conjoin(self._variable("promise", promise), self._next(formula))

    def _variable(self, kind: Kind, formula: Formula) -> int:
        return self._functions.variable(self._variables.index(kind, formula))

    def steps(self, function: int, choice: Choice) -> list[tuple[int, int, Formula]]:
        """The ways to satisfy a function: the letters, the mask of the promises made, and the formula left."""
        key = (function, choice)
        if key not in self._steps:
            self._steps[key] = self._late_steps(function) if choice == "late" else self._early_steps(function)
        return self._steps[key]

    def _late_steps(self, function: int) -> list[tuple[int, int, Formula]]:
        return [self._step(TRUE, cube) for cube in self._functions.cubes(function)]

    def _early_steps(self, function: int) -> list[tuple[int, int, Formula]]:
        branches = self._functions.branches(function, self._variables.masks["letter"], MOST_BRANCHES)
        return [
            self._step(self._label(where), cube)
            for rest, where in branches.items()
            for cube in self._functions.cubes(rest)
        ]

    def _step(self, label: int, cube: Cube) -> tuple[int, int, Formula]:
        positive, negative = cube
        masks = self._variables.masks
        letters = self._product(positive & masks["letter"], negative & masks["letter"])
        label = self.diagrams.conjoin(label, letters)
        return label, positive & masks["promise"], self._future(positive & masks["next"])

    def _label(self, function: int) -> int:
        """A function of letters alone as a label."""
        if function not in self._labels:
            renaming = self._variables.renaming
            self._labels[function] = self.diagrams.translated(function, self._functions, renaming)
        return self._labels[function]

    def _product(self, positive: int, negative: int) -> int:
        """The label that reads the letters with, and without, the propositions of two masks of variables."""
        key = (positive, negative)
        if key not in self._products:
            self._products[key] = self.diagrams.of_cube(self._propositions(positive), self._propositions(negative))
        return self._products[key]

    def _propositions(self, variables: int) -> int:
        return sum(1 << self._variables.renaming[index] for index in _bits(variables))

    def _future(self, variables: int) -> Formula:
        """The conjunction of what the variables of a mask require from the next step on."""
        if variables not in self._futures:
            self._futures[variables] = conjunction(self._variables.meanings[index] for index in _bits(variables))
        return self._futures[variables]


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
            [
                (label, sum(1 << i for i, promise in enumerate(made) if not promises >> promise & 1), target)
                for label, promises, target in steps
            ],
        )
        for steps in outgoing
    ]
    return Automaton(unfolding.propositions, unfolding.diagrams, 0, tuple(edges), len(made))


def _bits(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]
