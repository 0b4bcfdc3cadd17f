"""Finds a reason why an automaton accepts every word that satisfies a formula. What it finds is checked, not trusted.

The textbook automaton and the automaton play: one chooses the next guess, the other an answer. The second one wins if
some promise is broken from some point on, or accepting states are met again and again (fair simulation: Henzinger,
Kupferman and Rajamani, CONCUR 1997). Ranks are the rounds in which pairs turn out to be won (for one promise: Etessami,
Wilke and Schuller, Fair simulation relations, parity games, and state space reduction for Büchi automata, ICALP 2001).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from everafter.certificates.automaton.inclusion import GIVEN_UP, Reason, moves
from everafter.certificates.automaton.textbook import Demand, Naive
from everafter.ltl.automaton import Automaton
from everafter.ltl.functions import TooLargeError
from everafter.record import dataclass, field

STEPS = 100
"""The most steps looked at for each guess allowed; those of guesses with equal demands count once."""
LARGER, FEW = 2, 10
"""An automaton with over `LARGER` states for each guess and `FEW` more is not looked at: ours have less than one."""
EFFORT = 200
"""How much longer than the textbook automaton alone is looked at, the two may play; 60 is the most that was needed."""
LEAST_EFFORT = 1_000_000
"""So long they may play whatever the textbook automaton is like: some tenths of a second."""
Pairs: TypeAlias = list[int]
"""For each guess, by its place in the list of guesses, the mask of the states it is paired with."""
Ranks: TypeAlias = list[dict[int, int]]
"""For each guess the ranks of the states it is paired with."""


def reason_for(naive: Naive, automaton: Automaton, most: int) -> Reason | None:
    """Return a reason why `automaton` accepts all words of `naive`, or None if it cannot answer all guesses.

    Raises TooLargeError if more than `most` guesses are met, the automaton is far larger, or the search takes too long.
    """
    guesses = guesses_met(naive, most)
    if len(automaton.states) > LARGER * len(guesses) + FEW:
        raise TooLargeError
    game = _Game(naive, automaton, guesses)
    ranks = game.won()
    return game.needed(ranks) if ranks is not None else None


Answers: TypeAlias = Sequence[tuple[int, int]]
"""What one letter does: a mask of states, and the mask of the states to which it leads from each of them; and so on."""


def guesses_met(naive: Naive, most: int) -> Sequence[int]:
    """Return all guesses that a run of `naive` can come to.

    Raises TooLargeError if there are more than `most`, or too many steps between them.
    """
    waiting = list(naive.first())
    known = set(waiting)
    demands: dict[Demand, None] = {}
    steps = 0
    for guess in waiting:
        demand = naive.demand(guess)
        if demand not in demands:
            demands[demand] = None
            new = naive.meeting(demand)
            steps += len(new)
            waiting += [each for each in new if each not in known]
            known.update(new)
            if len(waiting) > most or steps > STEPS * most:
                raise TooLargeError
    return waiting


@dataclass(slots=True)
class _Effort:
    """How many more answers may be looked at."""

    left: int = 0

    def spend(self, count: int) -> None:
        """Look at `count` answers. Raises TooLargeError if there were too many."""
        self.left -= count
        if self.left < 0:
            raise TooLargeError


@dataclass(frozen=True, slots=True)
class _Situation:
    """Guesses that ask the same of the next one, which is one of the followers."""

    effort: _Effort
    followers: Sequence[int]
    readings: Sequence[tuple[Sequence[int], Answers]]
    """Those of them that read one letter, and what that letter does."""
    _known: dict[frozenset[int], list[int]] = field(default_factory=dict)

    def leading(self, pairs: Pairs) -> list[int]:
        """For each reading the mask of the states that have an answer to every follower within these pairs."""
        met = frozenset([pairs[place] for place in self.followers])
        known = self._known.get(met)
        self.effort.spend(len(self.followers))
        if known is None:
            self.effort.spend(len(met) * sum(len(answers) for _, answers in self.readings))
            known = self._known[met] = [
                sum(states for states, targets in answers if all(targets & each for each in met))
                for _, answers in self.readings
            ]
        return known


class _Game:
    """Who wins from which pair. Guesses are known by their places, having given up is the highest state."""

    def __init__(self, naive: Naive, automaton: Automaton, guesses: Sequence[int]) -> None:
        self._naive = naive
        self._automaton = automaton
        self._guesses = guesses
        self._places = {guess: place for place, guess in enumerate(guesses)}
        self._accepting = sum(1 << state for state in automaton.accepting_states)
        self._all_states = (1 << len(automaton.states) + 1) - 1
        self._effort = _Effort()
        self._situations = self._found_situations()
        alone = sum(len(each.followers) * len(each.readings) for each in self._situations)
        self._effort.left = LEAST_EFFORT + EFFORT * max(1, len(naive.promises)) * alone
        self._kept = [
            [naive.keeps(guess, promise) for guess in guesses] for promise in range(max(1, len(naive.promises)))
        ]

    def _found_situations(self) -> list[_Situation]:
        by_demand: dict[tuple[int, int], dict[frozenset[str], list[int]]] = {}
        for place, guess in enumerate(self._guesses):
            letters = by_demand.setdefault(self._naive.demand(guess), {})
            letters.setdefault(self._naive.letter(guess), []).append(place)
        answers = {letter: self._answers(letter) for letters in by_demand.values() for letter in letters}
        return [self._situation(letters, answers) for letters in by_demand.values()]

    def _situation(
        self, letters: dict[frozenset[str], list[int]], answers: dict[frozenset[str], Answers]
    ) -> _Situation:
        one = next(iter(letters.values()))[0]
        followers = [self._places[guess] for guess in self._naive.followers(self._guesses[one])]
        return _Situation(self._effort, followers, [(places, answers[letter]) for letter, places in letters.items()])

    def _answers(self, letter: frozenset[str]) -> Answers:
        found: dict[int, int] = {}
        for state in (*self._automaton.states, GIVEN_UP):
            targets = sum(1 << self._number(each) for each in set(moves(self._automaton, state, letter)))
            found[targets] = found.get(targets, 0) | 1 << self._number(state)
        return [(states, targets) for targets, states in found.items()]

    def _number(self, state: int) -> int:
        return len(self._automaton.states) if state == GIVEN_UP else state

    def won(self) -> Ranks | None:
        """The pairs from which the automaton wins, with ranks; None if it does not win from the start."""
        pairs = [self._all_states] * len(self._places)
        starts = 1 << self._automaton.initial | 1 << self._number(GIVEN_UP)
        while True:
            ranks = self._ranked(pairs)
            left = [sum(1 << state for state in states) for states in ranks]
            if not all(left[self._places[guess]] & starts for guess in self._naive.first()):
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
            for (places, _), mask in zip(situation.readings, situation.leading(pairs), strict=True):
                for place in places:
                    found[place] = mask
        return found

    def needed(self, ranks: Ranks) -> Reason:
        """Of all pairs that win, those that are met if every answer is one of lowest rank."""
        naive, automaton, places = self._naive, self._automaton, self._places
        given_up = self._number(GIVEN_UP)
        won = [{GIVEN_UP if s == given_up else s: rank for s, rank in states.items()} for states in ranks]
        starts = (automaton.initial, GIVEN_UP)
        waiting = [(guess, _lowest(won[places[guess]], starts)) for guess in naive.first()]
        met = set(waiting)
        for guess, state in waiting:
            targets = moves(automaton, state, naive.letter(guess))
            for other in naive.followers(guess):
                pair = other, _lowest(won[places[other]], targets)
                if pair not in met:
                    met.add(pair)
                    waiting.append(pair)
        return {(guess, state): won[places[guess]][state] for guess, state in waiting}


def _lowest(ranks: Mapping[int, int], states: Sequence[int]) -> int:
    """Of the states that have ranks the one of lowest rank."""
    return min(ranks.keys() & states, key=ranks.__getitem__) if len(states) > 1 else states[0]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
