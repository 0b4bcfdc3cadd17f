"""The stores of several workers over one table of states, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from everafter.search.fields import Field
from everafter.search.graph import Graph, S
from everafter.search.meter import Meter
from everafter.search.parallel.acyclic import BASE
from everafter.search.parallel.space import ORDERED, SHARED_FIELDS, SharedStore
from everafter.search.space import ACCEPTING, NO_STATE, Space


class WorkerSpace(Space[S], SharedStore):
    """The store of one worker. The first worker's is made for a graph; the others' share the table of the first.

    Workers meet successors in different orders, so that they spread: the first in the order of the graph, the others
    in one drawn from their seeds.
    """

    fields: ClassVar[Mapping[str, Field]] = SHARED_FIELDS

    def __init__(
        self,
        graph: Graph[S],
        worker: int,
        seed: int,
        meter: Meter,
        columns: Iterable[str],
        first: WorkerSpace[S] | None,
    ) -> None:
        self.first = first
        marked = ACCEPTING | ORDERED
        super().__init__((), graph.successors, lambda s: marked if graph.is_accepting(s) else NO_STATE, meter, columns)
        self.stack, self.cursor, self.limit = ([0] * (BASE + 1) for _ in range(3))
        self.pending = [0]
        self.worker[0] = worker
        self.order = random.Random(f"{seed} {worker}")

    def keep(self, columns: frozenset[str]) -> None:
        """Make the worker's own fields, and take the others, and the table of states, from the first worker."""
        super().keep(columns)
        if self.first is not None:
            self.states, self.index = self.first.states, self.first.index
            for name, field in self.fields.items():
                if field.team == "own" and field.grows and (field.always or name in columns):
                    self.first.growing.append(getattr(self, name))
                elif field.team != "own":
                    setattr(self, name, getattr(self.first, name))
            self.growing = self.first.growing
            self.deepest = self.first.deepest  # one figure for all, as the meter has one

    def expand(self, node: int, depth: int) -> bool:
        """Write the successors of `node` into frame `depth`, in an order of this worker's; false to stop."""
        goes_on = super().expand(node, depth)
        if self.worker[0]:
            successors = list(self.pending[self.cursor[depth] :])
            self.order.shuffle(successors)
            self.pending[self.cursor[depth] :] = successors
        return goes_on


def worker_spaces(
    graph: Graph[S], workers: int, columns: Iterable[str] = (), seed: int = 0, meter: Meter | None = None
) -> list[WorkerSpace[S]]:
    """Return the stores of `workers` workers on `graph`, each with `columns`, over one table of states.

    `seed` draws the order in which each worker meets successors; `meter` counts the states of all.
    """
    meter = Meter() if meter is None else meter
    kept = tuple(columns)
    first = WorkerSpace(graph, 0, seed, meter, kept, None)
    spaces = [first, *(WorkerSpace(graph, worker, seed, meter, kept, first) for worker in range(1, workers))]
    initial = list(dict.fromkeys(map(first.number, graph.initial())))
    for space in spaces:
        space.initial = initial
    meter.states = len(first.states)
    return spaces
