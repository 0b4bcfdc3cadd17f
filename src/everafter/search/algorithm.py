"""An algorithm as one value, which each engine runs over its own store: interpreted on any graph, or compiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from everafter.search.graph import Graph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.space import ACCEPTING, NO_STATE, Searched, Space, Store


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What to run over a store, what the store must keep for it, and how to read the answer off the store."""

    kernel: Callable[[Store], int]
    """Searches; comes to COMPLETED, ANSWERED or STOPPED."""
    explain: Callable[[Searched[Any]], Any]
    """Names the answer, after the kernel came to ANSWERED: a path as a tuple of states, or a `Lasso`."""
    columns: tuple[str, ...] = ()
    """The columns that the kernel reads and writes."""
    unread: tuple[str, ...] = ()
    """The columns that the kernel writes and nobody reads."""
    explaining: tuple[str, ...] = ()
    """The columns that only `explain` needs."""

    def run(self, space: Searched[Any]) -> Any:
        """The answer, or None if the search is complete without one; raises `Stopped` when it was stopped."""
        return self.explain(space) if space.answered(self.kernel(space)) else None

    @property
    def every_column(self) -> tuple[str, ...]:
        """All columns that a store which must have what is written needs."""
        return self.columns + self.unread + self.explaining


def accepting_lasso(algorithm: Algorithm, graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Run an algorithm that finds accepting cycles on the graph; the lasso it answers with."""

    def label(state: S) -> int:
        return ACCEPTING if graph.is_accepting(state) else NO_STATE

    space = Space(graph.initial(), graph.successors, label, meter, algorithm.every_column)
    lasso: Lasso[S] | None = algorithm.run(space)
    return lasso
