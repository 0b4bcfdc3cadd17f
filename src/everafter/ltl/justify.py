"""Why an automaton may be used in the place of a formula: it accepts every word that satisfies it.

That it accepts no other words needs no reason: it could only refuse a verdict that is right.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from everafter.ltl.automaton import Automaton
from everafter.ltl.fair_simulation import reason_for
from everafter.ltl.formula import And, Formula, Not, atoms
from everafter.ltl.functions import TooLargeError
from everafter.ltl.inclusion import is_reason
from everafter.ltl.lasso_semantics import Lasso
from everafter.ltl.naive import Naive, either, kernel_of
from everafter.ltl.product import accepts
from everafter.ltl.truth import is_true

MOST_GUESSES = 5_000
"""A textbook automaton with more guesses than this is not looked at: some seconds' work."""
WORDS = 300
"""So many words are tried to show that an automaton is wrong, where no reason is found."""


@dataclass(frozen=True, slots=True)
class Justified:
    """The automaton accepts every word that satisfies the formula: a reason was found, and checked."""

    guesses: int
    """Of the textbook automaton of the formula."""
    pairs: int
    """Of guesses and states, in the reason."""


@dataclass(frozen=True, slots=True)
class Refuted:
    """The automaton is wrong."""

    word: Lasso
    """It satisfies the formula, and is not accepted."""


@dataclass(frozen=True, slots=True)
class Unjustified:
    """Nothing is known of the automaton."""

    why: str


Judgement: TypeAlias = Justified | Refuted | Unjustified


def justify(formula: Formula, automaton: Automaton, most: int = MOST_GUESSES) -> Judgement:
    """Whether the automaton accepts every word that satisfies the formula, as far as that can be said."""
    unknown = set(automaton.propositions) - set(atoms(formula))
    if unknown:
        return Unjustified(f"it speaks of '{min(unknown)}', and the formula does not")
    why = "it does not answer the textbook automaton step by step"
    try:
        for kernel in _kernels(formula):
            naive = Naive(kernel, most)
            reason = reason_for(naive, automaton)
            if reason is not None and is_reason(reason, naive, automaton):
                return Justified(len(naive.guesses), len(reason))
    except TooLargeError:
        why = f"the textbook automaton of the formula has more than {most:,} states"
    word = _missed(formula, automaton)
    return Unjustified(why) if word is None else Refuted(word)


def with_hints(kernel: Formula, hints: Iterator[Formula]) -> Formula:
    """The same meaning, but guesses are also about the hints: an automaton may have to look further ahead."""
    for hint in hints:
        kernel = And((kernel, either(hint, Not(hint))))
    return kernel


def _kernels(formula: Formula) -> Iterator[Formula]:
    yield kernel_of(formula)


def _missed(formula: Formula, automaton: Automaton) -> Lasso | None:
    """A word that satisfies the formula and is not accepted, if chance finds one."""
    chance = random.Random(0)
    names = atoms(formula)

    def letters(count: int) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(name for name in names if chance.random() < 0.5) for _ in range(count))

    words = (Lasso(letters(chance.randint(0, 3)), letters(chance.randint(1, 4))) for _ in range(WORDS))
    return next((word for word in words if is_true(formula, word) and not accepts(automaton, word)), None)
