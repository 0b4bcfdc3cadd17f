"""A run for ever, written down in finite space: a prefix, and a cycle that repeats."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Generic

from everafter.record import dataclass
from everafter.search.graph import GeneralisedGraph, Graph, S, Transitions


@dataclass(frozen=True, slots=True)
class Lasso(Generic[S]):
    """The run prefix · cycle · cycle · …; the last state of the cycle is followed by its first.

    The cycle is never empty. When the prefix is empty, the first state of the cycle is the initial one.
    """

    prefix: tuple[S, ...]
    cycle: tuple[S, ...]

    def __post_init__(self) -> None:
        if not self.cycle:
            raise ValueError("the cycle of a lasso has at least one state")

    def __len__(self) -> int:
        """How many states are written down."""
        return len(self.prefix) + len(self.cycle)

    def states(self) -> tuple[S, ...]:
        """The states of the run up to where it starts to repeat."""
        return self.prefix + self.cycle

    def folded(self) -> Lasso[S]:
        """The same run, written with the shortest prefix: what the cycle repeats anyway is left to the cycle."""
        length = len(self.cycle)
        folds = 0
        while folds < len(self.prefix) and self.prefix[-1 - folds] == self.cycle[-1 - folds % length]:
            folds += 1
        turn = length - folds % length
        return Lasso(self.prefix[: len(self.prefix) - folds], self.cycle[turn:] + self.cycle[:turn])

    def steps(self) -> Iterator[tuple[S, S]]:
        """Every step of the run once: those of the prefix, into the cycle, and around it."""
        return pairwise((*self.prefix, *self.cycle, self.cycle[0]))

    def cycle_steps(self) -> Iterator[tuple[S, S]]:
        """The steps that repeat."""
        return pairwise((*self.cycle, self.cycle[0]))


def flaw(graph: Graph[S], lasso: Lasso[S]) -> str | None:
    """Return why `lasso` is no accepting run of `graph`, or None when it is one."""
    if not any(graph.is_accepting(state) for state in lasso.cycle):
        return "no state of the cycle is accepting"
    return path_flaw(graph, (*lasso.prefix, *lasso.cycle, lasso.cycle[0]))


def generalised_flaw(graph: GeneralisedGraph[S], lasso: Lasso[S]) -> str | None:
    """Return why `lasso` is no accepting run of the generalised `graph`, or None when it is one.

    Parallel transitions count together, since the run may take each of them in turn.
    """
    if lasso.states()[0] not in graph.initial():
        return f"{lasso.states()[0]!r} is not initial"
    for source, target in lasso.steps():
        if all(target != successor for _, successor in graph.successors(source)):
            return f"{target!r} does not follow {source!r}"
    met = 0
    for source, target in lasso.cycle_steps():
        for mask, successor in graph.successors(source):
            if successor == target:
                met |= mask
    missing = [number for number in range(graph.acceptance_sets) if not met >> number & 1]
    return f"the cycle takes no transition of acceptance set {missing[0]}" if missing else None


def path_flaw(graph: Transitions[S], path: tuple[S, ...]) -> str | None:
    """Return why `path` is no path of `graph` from an initial state, or None when it is one."""
    if not path:
        return "a path has at least one state"
    if path[0] not in graph.initial():
        return f"{path[0]!r} is not initial"
    for source, target in pairwise(path):
        if target not in graph.successors(source):
            return f"{target!r} does not follow {source!r}"
    return None
