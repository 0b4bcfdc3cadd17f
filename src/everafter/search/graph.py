"""What a search needs of a graph, and small graphs made from data or from other graphs.

A graph is never built: it gives its initial states, and the successors of one state at a time, so it may be
generated on the fly. States are any hashable values; equal states are the same state.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Generic, Protocol, TypeVar

from everafter.record import dataclass

S = TypeVar("S", bound=Hashable)


class Transitions(Protocol[S]):
    """A graph without accepting states: enough to ask what is reachable."""

    def initial(self) -> Iterable[S]:
        """The states a run may start in."""
        ...

    def successors(self, state: S, /) -> Iterable[S]:
        """The states one step away; the same ones at each call."""
        ...


class Graph(Transitions[S], Protocol[S]):
    """A Büchi automaton without letters: a run is accepted when it meets accepting states for ever."""

    def is_accepting(self, state: S, /) -> bool:
        """Whether the state is accepting."""
        ...


class GeneralisedGraph(Protocol[S]):
    """A generalised Büchi automaton: a run is accepted when it takes transitions of every acceptance set for ever."""

    @property
    def acceptance_sets(self) -> int:
        """How many acceptance sets there are. With none, every infinite run is accepted."""
        ...

    def initial(self) -> Iterable[S]:
        """The states a run may start in."""
        ...

    def successors(self, state: S, /) -> Iterable[tuple[int, S]]:
        """Each transition as (mask, target); bit i of the mask says that the transition is in acceptance set i."""
        ...


@dataclass(frozen=True)
class ExplicitGraph(Generic[S]):
    """A graph given as data. A state that is no key of `edges` has no successors."""

    edges: Mapping[S, Collection[S]]
    starts: Collection[S]
    accepting: Collection[S] = ()

    def initial(self) -> Iterable[S]:
        """The starts."""
        return self.starts

    def successors(self, state: S, /) -> Iterable[S]:
        """The targets of the edges that leave the state."""
        return self.edges.get(state, ())

    def is_accepting(self, state: S, /) -> bool:
        """Whether the state is among the accepting ones."""
        return state in self.accepting


@dataclass(frozen=True)
class Generalised(Generic[S]):
    """A Büchi graph seen as a generalised one: what leaves an accepting state is in the one acceptance set.

    A run leaves a state as often as it meets it, so both accept the same runs.
    """

    graph: Graph[S]

    @property
    def acceptance_sets(self) -> int:
        """One: the transitions that leave accepting states."""
        return 1

    def initial(self) -> Iterable[S]:
        """The initial states of the graph."""
        return self.graph.initial()

    def successors(self, state: S, /) -> Iterator[tuple[int, S]]:
        """The successors, each marked when the state they leave is accepting."""
        mask = 1 if self.graph.is_accepting(state) else 0
        for target in self.graph.successors(state):
            yield mask, target


@dataclass(frozen=True)
class Degeneralised(Generic[S]):
    """A generalised graph seen as a Büchi graph over (state, level): the accepting runs are the same.

    The level is the number of acceptance sets met in turn since the count last started, and a full count is accepting
    (Gastin and Oddoux, CAV 2001). A transition may climb several levels at once.
    """

    graph: GeneralisedGraph[S]

    def initial(self) -> Iterator[tuple[S, int]]:
        """The initial states, with nothing counted."""
        for state in self.graph.initial():
            yield state, 0

    def successors(self, pair: tuple[S, int], /) -> Iterator[tuple[S, int]]:
        """The successors with their levels; a full count starts again."""
        state, level = pair
        start = 0 if level == self.graph.acceptance_sets else level
        for mask, target in self.graph.successors(state):
            climbed = start
            while climbed < self.graph.acceptance_sets and mask >> climbed & 1:
                climbed += 1
            yield target, climbed

    def is_accepting(self, pair: tuple[S, int], /) -> bool:
        """Whether every acceptance set has been met since the count last started."""
        return pair[1] == self.graph.acceptance_sets
