"""Is the language of an automaton seen to be insensitive to stuttering, though there is no formula to negate?

A word that stutters otherwise than an accepted one must be accepted, too. The words that must be are those of a second
automaton, the closure: it takes one or more edges of the first one on the first letter of a block, and may wait while
that letter is repeated. Here the first automaton must be able to answer the closure, letter by letter, so that
accepting runs are answered by accepting runs (fair simulation: Henzinger, Kupferman and Rajamani, CONCUR 1997; as a
game with three priorities: Etessami, Wilke and Schuller, ICALP 2001). That is enough, and not necessary: an automaton
of which nothing is seen is taken to count steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.ltl.automaton import Automaton
from everafter.ltl.functions import FALSE
from everafter.ltl.strong_components import components_of
from everafter.ltl.stutter import letter_classes
from everafter.record import dataclass

MOST_POSITIONS = 5_000
"""The most positions of a game that is looked at."""
_Moves = dict[int, frozenset[tuple[int, bool]]]
"""For each state where one letter leads from it, and whether acceptance is passed on the way."""
_Position = tuple[int, int, int]
"""The state of the closure: one of the automaton, and the letter read last; and the state that answers."""
_BEFORE = -1
"""In the place of a letter: none has been read yet."""


def is_seen_closed(automaton: Automaton) -> bool:
    """Return whether `automaton` is seen to accept, with a word, all that differ in how often letters are repeated.

    False where it does not, where it has several acceptance sets, and where that is not seen.
    """
    if automaton.acceptance_sets > 1:
        return False
    classes = letter_classes(automaton.functions, {edge.label for _, edge in automaton.edges})
    live = _live(automaton)
    if len(live) ** 2 * (len(classes) + 1) > MOST_POSITIONS:
        return False
    if automaton.initial not in live:
        return True
    steps = [_reading(automaton, letter, live) for letter in classes]
    return _StutterGame(steps, [_repeated(each) for each in steps]).is_won(
        (automaton.initial, _BEFORE, automaton.initial)
    )


def _live(automaton: Automaton) -> frozenset[int]:
    """The states from which some word is accepted."""
    states = list(automaton.states)
    following = [[edge.target for edge in automaton.outgoing[state]] for state in states]
    component = components_of(following, states)
    accepting = {
        component[state]
        for state, edge in automaton.edges
        if edge.marks == automaton.all_marks and component[state] == component[edge.target]
    }
    live = {state for state in states if component[state] in accepting}
    while more := {state for state in states if state not in live and not live.isdisjoint(following[state])}:
        live |= more
    return frozenset(live)


def _reading(automaton: Automaton, letter: int, live: frozenset[int]) -> _Moves:
    """Where the letters of a class lead."""
    return {
        state: frozenset(
            (edge.target, edge.marks == automaton.all_marks)
            for edge in automaton.outgoing[state]
            if edge.target in live and automaton.functions.conjoin(edge.label, letter) != FALSE
        )
        for state in live
    }


def _repeated(moves: _Moves) -> _Moves:
    """Where a letter leads that is read once or more often."""
    while True:
        further = {
            state: reached | {(end, passed or marked) for at, passed in reached for end, marked in moves[at]}
            for state, reached in moves.items()
        }
        more = {state: frozenset(reached) for state, reached in further.items()}
        if more == moves:
            return moves
        moves = more


@dataclass(frozen=True, slots=True)
class _StutterGame:
    """One player reads letters with the closure, the other answers with the automaton.

    By the number of a letter: where it leads, read once, and read once or more often.
    """

    steps: list[_Moves]
    jumps: list[_Moves]

    def is_won(self, start: _Position) -> bool:
        """Whether the player who answers wins: acceptance again and again is answered by acceptance again and again."""
        everywhere = self._met(start)
        won = everywhere
        while start in won:
            fewer = self._least(won, everywhere)
            if fewer == won:
                return True
            won = fewer
        return False

    def _met(self, start: _Position) -> frozenset[_Position]:
        """The positions that may be met."""
        found = {start}
        pending = [start]
        while pending:
            at = pending.pop()
            for letter, target, _ in self._readings(at):
                for answer, _ in self.steps[letter][at[2]]:
                    position = (*target, answer)
                    if position not in found:
                        found.add(position)
                        pending.append(position)
        return frozenset(found)

    def _least(self, won: frozenset[_Position], everywhere: frozenset[_Position]) -> frozenset[_Position]:
        """From where the other player passes acceptance finitely often at most before the answer does, into `won`."""
        least: frozenset[_Position] = frozenset()
        while True:
            waiting = everywhere
            while (fewer := frozenset(self._kept(waiting, (waiting, least, won)))) != waiting:
                waiting = fewer
            if waiting == least:
                return least
            least = waiting

    def _kept(self, among: frozenset[_Position], by_priority: tuple[frozenset[_Position], ...]) -> Iterator[_Position]:
        """The positions where every reading has an answer that leads to where its priority wants."""
        for at in among:
            if all(self._is_answered(at, *reading, by_priority) for reading in self._readings(at)):
                yield at

    def _is_answered(
        self,
        at: _Position,
        letter: int,
        target: tuple[int, int],
        passed: bool,
        wanted: tuple[frozenset[_Position], ...],
    ) -> bool:
        return any(
            (*target, answer) in wanted[2 if marked else int(passed)] for answer, marked in self.steps[letter][at[2]]
        )

    def _readings(self, at: _Position) -> Iterator[tuple[int, tuple[int, int], bool]]:
        """What can be read at a position: the letter, where it leads, and whether acceptance is passed."""
        state, last, _ = at
        for letter, jumps in enumerate(self.jumps):
            yield from ((letter, (target, letter), passed) for target, passed in jumps[state])
        if last != _BEFORE:
            yield last, (state, last), False
