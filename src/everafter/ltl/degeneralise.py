"""From many acceptance sets to accepting states: a counter walks through the sets in turn.

Gastin and Oddoux, Fast LTL to Büchi automata translation, CAV 2001, with the refinements of Babiak, Badie,
Duret-Lutz, Křetínský and Strejček, Compositional approach to suspension and other improvements to LTL translation,
SPIN 2013: the counter starts anew in every component, it takes several sets at once, a set that every edge
out of a state carries counts on arrival, and a component that accepts all its cycles needs no counter.
"""

from __future__ import annotations

from collections.abc import Sequence

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.strong_components import Components, components
from everafter.record import dataclass


def degeneralised(
    automaton: Automaton, order: Sequence[int] | None = None, reuse_levels: bool = True, count_twice: bool = True
) -> Automaton:
    """Return a Büchi automaton with accepting states for the words that `automaton` accepts.

    `order` is the order in which the counter waits for the acceptance sets. With `reuse_levels`, a component is entered
    at a level at which the state is known already, if there is one. With `count_twice`, marks that counted on arrival
    and ended a round count again for the next round when the state is left.
    """
    return Degeneraliser(automaton).form(order or range(automaton.acceptance_sets), reuse_levels, count_twice)


class Degeneraliser:
    """The Büchi automata of one generalised automaton; see `degeneralised` for what can be chosen."""

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._found = components(automaton)
        self._ahead = [_marks_ahead(automaton, self._found, state) for state in automaton.states]

    def form(self, order: Sequence[int], reuse_levels: bool, count_twice: bool) -> Automaton:
        """Return the Büchi automaton for `order`, `reuse_levels` and `count_twice`, as in `degeneralised`."""
        return _counted(self._automaton, _Counter(self._found, self._ahead, tuple(order), count_twice), reuse_levels)


def _counted(automaton: Automaton, counter: _Counter, reuse_levels: bool) -> Automaton:
    start = (automaton.initial, counter.entry(automaton.initial))
    numbers = {start: 0}
    pairs = [start]
    levels: dict[int, int] = {start[0]: start[1]}
    outgoing: list[tuple[Edge, ...]] = []
    while len(outgoing) < len(pairs):
        state, level = pairs[len(outgoing)]
        edges: list[tuple[int, int, int]] = []
        full = int(counter.is_full(level))
        for edge in automaton.outgoing[state]:
            after = counter.after(state, level, edge)
            if after is None:
                entry = counter.entry(edge.target)
                after = levels.get(edge.target, entry) if reuse_levels else entry
            pair = (edge.target, after)
            if pair not in numbers:
                numbers[pair] = len(pairs)
                pairs.append(pair)
                levels.setdefault(*pair)
            edges.append((edge.label, full, numbers[pair]))
        outgoing.append(joined_edges(automaton.functions, edges))
    return automaton.with_edges(outgoing, 0, 1)


@dataclass(frozen=True, slots=True)
class _Counter:
    """How far the current round through the acceptance sets has come; at the last level a round is complete."""

    found: Components
    ahead: list[int]
    order: tuple[int, ...]
    count_twice: bool

    def is_full(self, level: int) -> bool:
        return level == len(self.order)

    def after(self, state: int, level: int, edge: Edge) -> int | None:
        """The level after an edge inside a component; None where an edge leads into another component."""
        if not self.found.inside(state, edge.target):
            return None
        if not self.found.is_accepting[self.found.of[state]]:
            return 0
        if self.is_full(level):
            used = 0 if self.count_twice else self.ahead[state]
            level = self._advanced(0, edge.marks & ~used)
        else:
            level = self._advanced(level, edge.marks)
        return self._advanced(level, self.ahead[edge.target])

    def entry(self, state: int) -> int:
        """The level at which a component is entered when nothing is known."""
        number = self.found.of[state]
        if not self.found.is_accepting[number]:
            return 0
        return self._advanced(0, self.ahead[state])

    def _advanced(self, level: int, marks: int) -> int:
        while level < len(self.order) and marks >> self.order[level] & 1:
            level += 1
        return level


def _marks_ahead(automaton: Automaton, found: Components, state: int) -> int:
    """The marks that every edge from the state inside its component carries: they will be met whatever comes."""
    common = automaton.all_marks
    for edge in automaton.outgoing[state]:
        if found.inside(state, edge.target):
            common &= edge.marks
    return common
