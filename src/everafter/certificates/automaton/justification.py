"""Why an automaton may be used in the place of a formula: it accepts every word that satisfies it.

That it accepts no other words needs no reason: it could only refuse a verdict that is right.
"""

from __future__ import annotations

import random
from typing import TypeAlias

from everafter.certificates.automaton.fair_simulation import reason_for
from everafter.certificates.automaton.inclusion import Reason, is_reason
from everafter.certificates.automaton.textbook import Naive, kernel_of
from everafter.ltl.automaton import Automaton, nothing
from everafter.ltl.automaton_product import accepts
from everafter.ltl.formula import And, Formula, Not, atoms
from everafter.ltl.functions import TooLargeError
from everafter.ltl.lasso_semantics import Lasso
from everafter.ltl.simplification import simplify
from everafter.ltl.truth import is_true
from everafter.record import dataclass

MOST_GUESSES = 5_000
"""A textbook automaton with more guesses than this is not looked at: some seconds' work."""
WORDS = 500
"""How many words are tried to show that an automaton is wrong, where no reason is found …"""
EDGES = 30_000
"""… of a large automaton fewer: this number of its edges is looked at for each letter, in all words."""
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""How many of the propositions are true in a word that is tried."""


@dataclass(frozen=True, slots=True)
class Justified:
    """The automaton accepts every word that satisfies the formula: a reason was found, and checked."""

    guesses: int
    """Of the textbook automaton of the formula: those that a run can come to."""
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


@dataclass(frozen=True, slots=True)
class Shown:
    """A reason that has been checked, of a textbook automaton."""

    naive: Naive
    reason: Reason


def justify(formula: Formula, automaton: Automaton, most: int = MOST_GUESSES) -> Judgement:
    """Return whether `automaton` accepts every word that satisfies `formula`, as far as that can be said.

    A reason is sought among at most `most` guesses.
    """
    unknown = set(automaton.propositions) - set(atoms(formula))
    if unknown:
        return Unjustified(f"it speaks of '{min(unknown)}', and the formula does not")
    why = "it does not answer the textbook automaton step by step"
    try:
        found = reasons(formula, automaton, most)
        if found:
            guesses = sum(len({guess for guess, _ in each.reason}) for each in found)
            return Justified(guesses, sum(len(each.reason) for each in found))
    except TooLargeError:
        why = f"the textbook automaton of the formula has more than {most:,} states, or to compare it takes too long"
    word = _missed(formula, automaton)
    return Unjustified(why) if word is None else Refuted(word)


def reasons(formula: Formula, automaton: Automaton, most: int = MOST_GUESSES) -> tuple[Shown, ...]:
    """Return the reason why `automaton` accepts every word that satisfies `formula`; none if it is not found.

    There are two where the automaton was made of a simpler formula: for that one, and for what only the given one
    accepts. Raises TooLargeError if more than `most` guesses are met, or it takes too long.
    """
    whole = _shown(kernel_of(formula), automaton, most)
    return (whole,) if whole is not None else _by_cases(formula, automaton, most)


def _shown(kernel: Formula, automaton: Automaton, most: int, like: Automaton | None = None) -> Shown | None:
    """A reason, if one is found, and is one; it may be found for another automaton, which is easier."""
    naive = Naive(kernel, most)
    reason = reason_for(naive, like or automaton, most)
    return None if reason is None or not is_reason(reason, naive, automaton) else Shown(naive, reason)


def _by_cases(formula: Formula, automaton: Automaton, most: int) -> tuple[Shown, ...]:
    """Reasons for the words that satisfy a simpler formula, and for those that satisfy only the given one.

    The automaton was made of the simpler formula, and chooses by its parts. Of the second kind there are no words,
    if simplifying has changed nothing. So the automaton gives up at once, as one that accepts nothing does.

    Proof: proofs/ltl/inclusion.v, theorem reasons_by_cases.
    """
    simpler = kernel_of(simplify(formula))
    empty = nothing(automaton.propositions, automaton.functions)
    others = _shown(And((kernel_of(formula), Not(simpler))), automaton, most, like=empty)
    if others is None:
        return ()
    found = _shown(simpler, automaton, most)
    return (found, others) if found is not None else ()


def _missed(formula: Formula, automaton: Automaton) -> Lasso | None:
    """A word that satisfies the formula and is not accepted, if chance finds one."""
    chance = random.Random(0)
    names = atoms(formula)

    def letters(count: int, share: float) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(name for name in names if chance.random() < share) for _ in range(count))

    def word() -> Lasso:
        # Words in which little or nearly everything is true are rare among all, and often the ones that matter.
        share, lasting = chance.choice(SHARES), chance.choice(SHARES)
        return Lasso(letters(chance.randint(0, 3), share), letters(chance.randint(1, 4), lasting))

    words = (word() for _ in range(min(WORDS, EDGES // (1 + sum(1 for _ in automaton.edges)))))
    return next((each for each in words if is_true(formula, each) and not accepts(automaton, each)), None)
