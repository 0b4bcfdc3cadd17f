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

Kind: TypeAlias = Literal["letter", "next", "promise"]
Choice: TypeAlias = Literal["early", "late"]
"""Early: the letters decide first, then what is left to choose. Late: the fewest edges, whatever letters they share."""


@dataclass(slots=True)
class _Variables:
    """What each variable of the unfolding stands for, in the order of their first use.

    That order keeps a letter close to what it decides: a || b || … with all letters first would grow exponentially.
    """

    meanings: list[tuple[Kind, Formula]] = field(default_factory=list)
    known: dict[tuple[Kind, Formula], int] = field(default_factory=dict)
    renaming: dict[int, int] = field(default_factory=dict)
    seen: int = 0

    def index(self, kind: Kind, formula: Formula) -> int:
        key = (kind, formula)
        if key not in self.known:
            self.known[key] = len(self.meanings)
            self.meanings.append(key)
        return self.known[key]

    def propositions(self, numbers: dict[str, int]) -> dict[int, int]:
        """For each variable that stands for a letter, the number of its proposition."""
        for index in range(self.seen, len(self.meanings)):
            kind, formula = self.meanings[index]
            if kind == "letter" and isinstance(formula, Atom):
                self.renaming[index] = numbers[formula.text]
        self.seen = len(self.meanings)
        return self.renaming


class Unfolding:
    """Formulas in negation normal form as functions of the present letter and the future.

    The functions live in diagrams of their own; labels are in `diagrams`, where variable i is proposition i.
    """

    def __init__(self, propositions: tuple[str, ...]) -> None:
        self.propositions = propositions
        self.diagrams = Diagrams()
        self._functions = Diagrams()
        self._variables = _Variables()
        self._numbers = {name: index for index, name in enumerate(propositions)}
        self._known: dict[Formula, int] = {}

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
        if choice == "late":
            return [self._step(TRUE, cube) for cube in self._functions.cubes(function)]
        letters = sum(1 << index for index, (kind, _) in enumerate(self._variables.meanings) if kind == "letter")
        branches = self._functions.branches(function, letters, MOST_BRANCHES)
        return [
            self._step(label, cube)
            for rest, label in ((rest, self._label(where)) for rest, where in branches.items())
            for cube in self._functions.cubes(rest)
        ]

    def _step(self, label: int, cube: Cube) -> tuple[int, int, Formula]:
        positive, negative = cube
        promises = 0
        future: list[Formula] = []
        for index, (kind, formula) in enumerate(self._variables.meanings):
            if positive >> index & 1 and kind == "promise":
                promises |= 1 << index
            elif positive >> index & 1 and kind == "next":
                future.append(formula)
        letters = self.diagrams.of_cube(self._propositions(positive), self._propositions(negative))
        return self.diagrams.conjoin(label, letters), promises, conjunction(future)

    def _label(self, function: int) -> int:
        """A function of letters alone as a label."""
        return self.diagrams.translated(function, self._functions, self._variables.propositions(self._numbers))

    def _propositions(self, variables: int) -> int:
        """The mask of the propositions among the variables of a mask."""
        renaming = self._variables.propositions(self._numbers)
        return sum(1 << renaming[index] for index in renaming if variables >> index & 1)


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
