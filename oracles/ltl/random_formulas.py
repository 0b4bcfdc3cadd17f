"""Random formulas and lassos, the same for the same seed, and all short lassos."""

from __future__ import annotations

import random
from itertools import combinations, product

from everafter.ltl import (
    FALSE,
    TRUE,
    Always,
    And,
    Atom,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Lasso,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
)
from everafter.ltl.formula import Pair, Unary

PROPOSITIONS = ("p0", "p1", "p2", "p3")
UNARY: tuple[type[Unary], ...] = (Not, Next, Eventually, Always)
PAIRS: tuple[type[Pair], ...] = (Until, WeakUntil, Release, StrongRelease, Implies, Equivalent, Xor)
LARGEST = 12


def random_formula(
    rng: random.Random, operators: int, names: tuple[str, ...] = PROPOSITIONS, pairs: tuple[type[Pair], ...] = PAIRS
) -> Formula:
    """A formula with the given number of operators."""
    if operators == 0:
        return Atom(rng.choice(names)) if rng.random() < 0.95 else rng.choice((TRUE, FALSE))
    if operators == 1 or rng.random() < 0.45:
        return rng.choice((*UNARY, Eventually, Always))(random_formula(rng, operators - 1, names, pairs))
    left = rng.randrange(operators)
    sides = random_formula(rng, left, names, pairs), random_formula(rng, operators - 1 - left, names, pairs)
    if rng.random() < 0.4:
        return rng.choice((And, Or))(sides)
    return rng.choice(pairs)(*sides)


def random_lasso(rng: random.Random, names: tuple[str, ...] = PROPOSITIONS) -> Lasso:
    """A lasso of a few letters."""

    def word(length: int) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(name for name in names if rng.random() < 0.5) for _ in range(length))

    return Lasso(word(rng.randint(0, 3)), word(rng.randint(1, 4)))


def all_lassos(names: tuple[str, ...], longest: int) -> list[Lasso]:
    """Every lasso of at most so many letters."""
    alphabet = [frozenset(some) for count in range(len(names) + 1) for some in combinations(names, count)]
    return [
        Lasso(word[:start], word[start:])
        for length in range(1, longest + 1)
        for word in product(alphabet, repeat=length)
        for start in range(length)
    ]
