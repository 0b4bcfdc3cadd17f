"""Automata on infinite words: transition-based generalised Büchi, the labels boolean functions of propositions.

A run is accepting when, for every acceptance set, it takes edges carrying that set's mark infinitely often; with
no acceptance set at all, every infinite run is. A Büchi automaton with accepting states is the special case of
one set whose mark is on all edges leaving some states and on no other edge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from everafter.ltl.display import Displayed
from everafter.ltl.functions import FALSE, TRUE, Cube, Functions
from everafter.record import dataclass


class Edge(NamedTuple):
    """A step: the letters it reads, the acceptance sets it belongs to as a bit mask, and where it leads."""

    label: int
    marks: int
    target: int


@dataclass(frozen=True, slots=True)
class Automaton(Displayed):
    """States 0, 1, 2, …, each with its outgoing edges. Labels are functions kept in `functions`.

    Bit i of a valuation is proposition i; a label must not depend on any other variable.
    """

    propositions: tuple[str, ...]
    functions: Functions
    initial: int
    outgoing: tuple[tuple[Edge, ...], ...]
    acceptance_sets: int

    @property
    def states(self) -> range:
        """All states."""
        return range(len(self.outgoing))

    @property
    def edges(self) -> Iterator[tuple[int, Edge]]:
        """All edges with their sources."""
        return ((state, edge) for state in self.states for edge in self.outgoing[state])

    @property
    def edge_count(self) -> int:
        """How many edges there are."""
        return sum(map(len, self.outgoing))

    @property
    def all_marks(self) -> int:
        """The mask of all acceptance sets."""
        return (1 << self.acceptance_sets) - 1

    def reads(self, label: int, valuation: int) -> bool:
        """Return whether `label` is true where the propositions in the mask `valuation` hold and the others do not."""
        return self.functions.holds(label, valuation)

    def cubes(self, label: int) -> tuple[Cube, ...]:
        """A label as a short sum of products, each a mask of propositions that hold and one of those that do not."""
        return self.functions.cubes(label)

    def valuation(self, letter: Iterable[str]) -> int:
        """The bit mask of the propositions that hold; others are not this automaton's business."""
        holding = set(letter)
        return sum(1 << index for index, name in enumerate(self.propositions) if name in holding)

    def successors(self, state: int, valuation: int) -> Iterator[Edge]:
        """Return the edges out of `state` that can be taken on reading the letter `valuation`."""
        return (edge for edge in self.outgoing[state] if self.functions.holds(edge.label, valuation))

    @property
    def accepting_states(self) -> frozenset[int]:
        """The states all of whose outgoing edges carry every mark."""
        full = self.all_marks
        return frozenset(s for s in self.states if self.outgoing[s] and all(e.marks == full for e in self.outgoing[s]))

    @property
    def has_state_acceptance(self) -> bool:
        """Whether this is a Büchi automaton with accepting states: one set, marked by state."""
        accepting = self.accepting_states
        return self.acceptance_sets == 1 and all(edge.marks == 0 for s, edge in self.edges if s not in accepting)

    @property
    def is_deterministic(self) -> bool:
        """Whether every letter can be read in at most one way in every state."""
        conjoin, disjoin = self.functions.conjoin, self.functions.disjoin
        for edges in self.outgoing:
            seen = FALSE
            for edge in edges:
                if conjoin(seen, edge.label) != FALSE:
                    return False
                seen = disjoin(seen, edge.label)
        return True

    def eager(self) -> Automaton:
        """The same automaton, with the edges of each state in another order: what leads nearest to acceptance is first.

        A search that takes them in this order meets an accepting cycle early, if there is one.
        """
        away = self._steps_to_acceptance()
        return self.with_edges([sorted(edges, key=lambda edge: away[edge.target]) for edges in self.outgoing])

    def _steps_to_acceptance(self) -> list[int]:
        """How many steps away from each state the next accepting one is; more than there are states if none is."""
        away = [len(self.outgoing) + 1] * len(self.outgoing)
        before: list[list[int]] = [[] for _ in self.states]
        for source, edge in self.edges:
            before[edge.target].append(source)
        level, steps = sorted(self.accepting_states), 0
        while level:
            for state in level:
                away[state] = steps
            steps += 1
            level = sorted({each for state in level for each in before[state] if away[each] > steps})
        return away

    def with_edges(
        self, outgoing: Sequence[Iterable[Edge]], initial: int | None = None, acceptance_sets: int | None = None
    ) -> Automaton:
        """Return an automaton over the same propositions with the edges `outgoing` of its states 0, 1, 2, …

        `initial` and `acceptance_sets` are those of this automaton where they are not given.
        """
        return Automaton(
            self.propositions,
            self.functions,
            self.initial if initial is None else initial,
            tuple(map(tuple, outgoing)),
            self.acceptance_sets if acceptance_sets is None else acceptance_sets,
        )


def nothing(propositions: tuple[str, ...], functions: Functions) -> Automaton:
    """Return the automaton over `propositions` that accepts no word; its labels are kept in `functions`."""
    return Automaton(propositions, functions, 0, ((),), 0)


def everything(propositions: tuple[str, ...], functions: Functions) -> Automaton:
    """Return the automaton over `propositions` that accepts every word; its labels are kept in `functions`."""
    return Automaton(propositions, functions, 0, ((Edge(TRUE, 0, 0),),), 0)


def joined_edges(functions: Functions, edges: Sequence[tuple[int, int, int]]) -> tuple[Edge, ...]:
    """Return `edges`, those of one state, sorted, with the labels of equal marks and target joined in `functions`.

    Each of `edges` is a label, marks and a target. A letter that two edges to one target read is left to the one with
    more marks.
    """
    if are_joined(edges):
        return tuple([Edge(label, marks, target) for label, marks, target in edges])
    labels: dict[tuple[int, int], int] = {}
    for label, marks, target in edges:
        if label != FALSE:
            key = (target, marks)
            known = labels.get(key, FALSE)
            labels[key] = functions.disjoin(known, label) if known else label
    in_order = sorted(labels.items())
    if len({target for target, _ in labels}) == len(labels):
        return tuple([Edge(label, marks, target) for (target, marks), label in in_order])
    result: list[Edge] = []
    by_target: dict[int, list[tuple[int, int]]] = {}
    for (target, marks), label in in_order:
        by_target.setdefault(target, []).append((marks, label))
    for (target, marks), label in in_order:
        rest = label
        for other_marks, other in by_target[target]:
            if other_marks != marks and other_marks & marks == marks:
                rest = functions.minus(rest, other)
        if rest != FALSE:
            result.append(Edge(rest, marks, target))
    return tuple(result)


def are_joined(edges: Sequence[tuple[int, int, int]]) -> bool:
    """Whether `joined_edges` has nothing to do, as far as a glance can tell: one edge for each target, in order."""
    last = -1
    for label, _, target in edges:
        if target <= last or label == FALSE:
            return False
        last = target
    return True


def on_alphabet(automaton: Automaton, propositions: tuple[str, ...], functions: Functions) -> Automaton:
    """Return `automaton` over `propositions`, which are its own and perhaps more, in any order.

    Its labels are translated into `functions`.
    """
    if automaton.propositions == propositions and automaton.functions is functions:
        return automaton
    renaming = {index: propositions.index(name) for index, name in enumerate(automaton.propositions)}
    labels: dict[int, int] = {}
    for _, edge in automaton.edges:
        if edge.label not in labels:
            labels[edge.label] = functions.translated(edge.label, automaton.functions, renaming)
    outgoing = tuple(tuple(e._replace(label=labels[e.label]) for e in edges) for edges in automaton.outgoing)
    return Automaton(propositions, functions, automaton.initial, outgoing, automaton.acceptance_sets)
