"""Finds a reason why an automaton accepts every word that satisfies a formula. Nobody needs to trust what it finds.

The textbook automaton and the automaton play: one chooses the next guess, the other an answer. The second one wins if
some promise is broken from some point on, or accepting states are met again and again (fair simulation: Henzinger,
Kupferman and Rajamani, CONCUR 1997). Ranks are the rounds in which pairs turn out to be won (for one promise: Etessami,
Wilke and Schuller, Fair simulation relations, parity games, and state space reduction for Büchi automata, ICALP 2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from everafter.ltl.automaton import Automaton
from everafter.ltl.inclusion import GIVEN_UP, Reason, moves
from everafter.ltl.naive import Naive

Pairs: TypeAlias = list[int]
"""For each guess, by its place in the list of guesses, the mask of the states it is paired with."""
Ranks: TypeAlias = list[dict[int, int]]
"""For each guess the ranks of the states it is paired with."""


def reason_for(naive: Naive, automaton: Automaton) -> Reason | None:
    """A reason why the automaton accepts all words of the textbook automaton; None if it cannot answer all guesses."""
    game = _Game(naive, automaton)
    ranks = game.won()
    return game.needed(ranks) if ranks is not None else None


@dataclass(frozen=True, slots=True)
class _Situation:
    """Guesses that ask the same of the next one, which is one of the followers."""

    followers: Sequence[int]
    readings: Sequence[tuple[Sequence[int], Sequence[int]]]
    """Those of them that read one letter, and for each state the mask of the states to which that letter leads."""


class _Game:
    """Who wins from which pair. Guesses are known by their places, having given up is the highest state."""

    def __init__(self, naive: Naive, automaton: Automaton) -> None:
        self._naive = naive
        self._automaton = automaton
        self._places = {guess: place for place, guess in enumerate(naive.guesses)}
        self._accepting = sum(1 << state for state in automaton.accepting_states)
        self._all_states = (1 << len(automaton.states) + 1) - 1
        self._situations = self._found_situations()
        self._kept = [
            [naive.keeps(guess, promise) for guess in naive.guesses] for promise in range(max(1, len(naive.promises)))
        ]

    def _found_situations(self) -> list[_Situation]:
        by_demand: dict[tuple[int, int], dict[frozenset[str], list[int]]] = {}
        for place, guess in enumerate(self._naive.guesses):
            letters = by_demand.setdefault(self._naive.demand(guess), {})
            letters.setdefault(self._naive.letter(guess), []).append(place)
        answers = {letter: self._answers(letter) for letters in by_demand.values() for letter in letters}
        return [self._situation(letters, answers) for letters in by_demand.values()]

    def _situation(
        self, letters: dict[frozenset[str], list[int]], answers: dict[frozenset[str], list[int]]
    ) -> _Situation:
        one = next(iter(letters.values()))[0]
        followers = [self._places[guess] for guess in self._naive.followers(self._naive.guesses[one])]
        return _Situation(followers, [(places, answers[letter]) for letter, places in letters.items()])

    def _answers(self, letter: frozenset[str]) -> list[int]:
        states = (*self._automaton.states, GIVEN_UP)
        return [sum(1 << self._number(each) for each in set(moves(self._automaton, s, letter))) for s in states]

    def _number(self, state: int) -> int:
        return len(self._automaton.states) if state == GIVEN_UP else state

    def won(self) -> Ranks | None:
        """The pairs from which the automaton wins, with ranks; None if it does not win from the start."""
        pairs = [self._all_states] * len(self._places)
        starts = 1 << self._automaton.initial | 1 << self._number(GIVEN_UP)
        while True:
            ranks = self._ranked(pairs)
            left = [sum(1 << state for state in states) for states in ranks]
            if not all(left[place] & starts for guess, place in self._places.items() if self._naive.begins(guess)):
                return None
            if left == pairs:
                return ranks
            pairs = left

    def _ranked(self, within: Pairs) -> Ranks:
        """The pairs from which accepting ones are met, as often as these lead back here, or a promise is broken."""
        won = [self._accepting & mask & inside for mask, inside in zip(self._leading(within), within, strict=True)]
        ranks = [dict.fromkeys(_bits(mask), 0) for mask in won]
        rank = without_gain = 0
        while without_gain < len(self._kept):
            rank += 1
            more = self._waiting(within, won, self._kept[rank % len(self._kept)])
            without_gain = without_gain + 1 if more == won else 0
            for states, before, after in zip(ranks, won, more, strict=True):
                if after != before:
                    states.update(dict.fromkeys(_bits(after & ~before), rank))
            won = more
        return ranks

    def _waiting(self, within: Pairs, won: Pairs, kept: Sequence[bool]) -> Pairs:
        """The pairs that lead to the ones won, at once or after waiting for a promise that is not kept meanwhile."""
        sure = [(before | mask) & inside for before, mask, inside in zip(won, self._leading(won), within, strict=True)]
        found = within
        while True:
            less = [
                now if is_kept else now | (mask & before)
                for now, is_kept, mask, before in zip(sure, kept, self._leading(found), found, strict=True)
            ]
            if less == found:
                return found
            found = less

    def _leading(self, pairs: Pairs) -> Pairs:
        """The pairs from which every guess has an answer that makes one of these pairs."""
        found = [0] * len(pairs)
        for situation in self._situations:
            met = {pairs[place] for place in situation.followers}
            for places, answers in situation.readings:
                mask = 0
                for state, targets in enumerate(answers):
                    if all(targets & states for states in met):
                        mask |= 1 << state
                for place in places:
                    found[place] = mask
        return found

    def needed(self, ranks: Ranks) -> Reason:
        """Of all pairs that win, those that are met if every answer is one of lowest rank."""
        reason: dict[tuple[int, int], int] = {}
        waiting = [(guess, self._automaton.initial) for guess in self._naive.guesses if self._naive.begins(guess)]
        waiting = [self._lowest(ranks, guess, (state, GIVEN_UP)) for guess, state in waiting]
        while waiting:
            guess, state = waiting.pop()
            if (guess, state) not in reason:
                reason[guess, state] = ranks[self._places[guess]][self._number(state)]
                targets = moves(self._automaton, state, self._naive.letter(guess))
                waiting += [self._lowest(ranks, other, targets) for other in self._naive.followers(guess)]
        return reason

    def _lowest(self, ranks: Ranks, guess: int, states: Sequence[int]) -> tuple[int, int]:
        own = ranks[self._places[guess]]
        return guess, min((s for s in states if self._number(s) in own), key=lambda s: own[self._number(s)])


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
