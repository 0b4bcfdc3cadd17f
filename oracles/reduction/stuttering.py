"""Whether two graphs have the same traces up to stuttering: an exact answer, by determinising both at once.

A trace, with repetitions left out, is a sequence of letters that goes on for ever, or stops because its last letter
repeats for ever. For finite graphs two sets of traces are equal if they have the same beginnings, and may stop after
the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from everafter.execution.state import State
from everafter.execution.step import initial_state
from everafter.program.program import Program
from everafter.search import ExplicitGraph, find_cycle
from oracles.reduction.conditions import Whole

Edges = Mapping[State, Iterable[State]]
Letter = Callable[[State], Hashable]


@dataclass(frozen=True, slots=True)
class Traces:
    """A graph whose states have letters. A state without successors repeats its letter for ever."""

    edges: Edges
    letter: Letter

    def closure(self, states: Iterable[State]) -> frozenset[State]:
        """The states that can be reached without a change of letter."""
        found = set(states)
        pending = list(found)
        while pending:
            state = pending.pop()
            for other in self.edges[state]:
                if other not in found and self.letter(other) == self.letter(state):
                    found.add(other)
                    pending.append(other)
        return frozenset(found)

    def changes(self, states: frozenset[State]) -> dict[Hashable, set[State]]:
        """The states one change of letter away, by the new letter."""
        result: dict[Hashable, set[State]] = {}
        for state in states:
            for other in self.edges[state]:
                if self.letter(other) != self.letter(state):
                    result.setdefault(self.letter(other), set()).add(other)
        return result

    def may_stop(self, states: frozenset[State]) -> bool:
        """Whether a run may repeat the letter for ever."""
        inside = {
            state: [other for other in self.edges[state] if other in states] for state in states
        }  # all of one letter
        if any(not list(self.edges[state]) for state in states):
            return True
        return find_cycle(ExplicitGraph(inside, list(inside))) is not None


def difference(one: Traces, other: Traces, start: State) -> str | None:
    """How the traces of two graphs differ, if they do."""
    first = one.closure([start]), other.closure([start])
    seen = {first}
    pending = [first]
    while pending:
        left, right = pending.pop()
        if one.may_stop(left) != other.may_stop(right):
            return "a run may stop changing in only one of them"
        ours, theirs = one.changes(left), other.changes(right)
        if ours.keys() != theirs.keys():
            return f"only one of them goes on with {ours.keys() ^ theirs.keys()}"
        for letter, states in ours.items():
            pair = one.closure(states), other.closure(theirs[letter])
            if pair not in seen:
                seen.add(pair)
                pending.append(pair)
    return None


def trace_difference(program: Program, graph: Whole, letter: Letter) -> str | None:
    """How the traces of the full and of the reduced graph differ, if they do."""
    full = {state: _targets(graph, state, graph.enabled[state]) for state in graph.enabled}
    reduced = {state: _targets(graph, state, graph.ample[state]) for state in graph.enabled}
    return difference(Traces(full, letter), Traces(reduced, letter), initial_state(program))


def _targets(graph: Whole, state: State, actions: Iterable[object]) -> list[State]:
    outcomes = (graph.enabled[state][action] for action in actions)  # type: ignore[index]  # keys of that very dict
    return [outcome.state for outcome in outcomes if outcome.state is not None]
