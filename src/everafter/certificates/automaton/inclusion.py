"""Does an automaton accept every word that the textbook automaton accepts? A reason that can be checked, pair by pair.

The automaton answers the textbook automaton step by step: whatever guess comes next, it goes on to some state, reading
the same letter. A reason lists the pairs of guess and state that are met so, and gives each a rank. From a state that
is not accepting the rank must not rise; and it must fall where the promise that it names is kept. If all promises
are kept again and again, it would fall for ever, unless accepting states are met again and again.

The automaton may also give up. It is then never accepting any more; so the same ranks show that some promise is broken,
and nothing needs to be answered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from everafter.certificates.automaton.textbook import Naive
from everafter.ltl.automaton import Automaton

GIVEN_UP: Final = -1
"""In the place of a state: the automaton answers no more, as the guess is a wrong one."""
Reason: TypeAlias = Mapping[tuple[int, int], int]
"""For each pair of guess and state that is met its rank."""


def is_reason(reason: Reason, naive: Naive, automaton: Automaton) -> bool:
    """Return whether `reason` shows that `automaton` accepts every word that `naive`, the textbook automaton, accepts.

    Proof: proofs/ltl/inclusion.v, theorem reason_shows_inclusion.
    """
    if not naive.propositions.issuperset(automaton.propositions):
        return False
    starts = (automaton.initial, GIVEN_UP)
    begun = all(any((guess, state) in reason for state in starts) for guess in naive.first())
    accepting = automaton.accepting_states
    return begun and all(
        rank >= 0
        and _is_answered(reason, naive, guess, moves(automaton, state, naive.letter(guess)), rank, state in accepting)
        for (guess, state), rank in reason.items()
    )


def _is_answered(
    reason: Reason, naive: Naive, guess: int, targets: Sequence[int], rank: int, is_accepting: bool
) -> bool:
    """Whether for each guess that may come next one of the targets is listed, at a rank that is low enough."""
    if is_accepting:
        return all(any((other, target) in reason for target in targets) for other in naive.followers(guess))
    highest = rank - 1 if naive.keeps(guess, rank) else rank
    return all(
        any(reason.get((other, target), highest + 1) <= highest for target in targets)
        for other in naive.followers(guess)
    )


def moves(automaton: Automaton, state: int, letter: frozenset[str]) -> Sequence[int]:
    """Return the states to which `automaton` can go from `state` on reading `letter`.

    It may always give up, and stays in GIVEN_UP then.
    """
    if state == GIVEN_UP:
        return (GIVEN_UP,)
    read = automaton.successors(state, automaton.valuation(letter))
    return (*(edge.target for edge in read), GIVEN_UP)
