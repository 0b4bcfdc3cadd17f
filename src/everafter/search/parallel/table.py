"""The stores of several workers over one table of states, in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterable

from everafter.search.graph import Graph, S
from everafter.search.meter import Meter
from everafter.search.parallel.acyclic import BASE
from everafter.search.parallel.space import ORDERED
from everafter.search.space import ACCEPTING, NO_STATE, Numbers, Space


class WorkerSpace(Space[S]):
    """The store of one worker. The first worker's is made for a graph; the others' share the table of the first.

    Workers meet successors in different orders, so that they spread: the first in the order of the graph, the others
    in one drawn from their seeds.
    """

    def __init__(self, graph: Graph[S], worker: int, seed: int, meter: Meter, first: WorkerSpace[S] | None) -> None:
        marked = ACCEPTING | ORDERED
        super().__init__((), graph.successors, lambda s: marked if graph.is_accepting(s) else NO_STATE, meter)
        self.stack, self.cursor, self.limit = ([0] * (BASE + 1) for _ in range(3))
        self.pending = [0]
        self.own: Numbers = bytearray()
        self.count: Numbers = bytearray()
        self.abort: Numbers = [0]
        self.worker: Numbers = [worker]
        self.order = random.Random(f"{seed} {worker}")
        if first:
            self.states, self.index, self.growing = first.states, first.index, first.growing
            self.colour, self.count, self.abort = first.colour, first.count, first.abort
            self.deepest = first.deepest  # one figure for all, as the meter has one
        else:
            self.growing.append(self.count)
        self.growing.append(self.own)

    def expand(self, node: int, depth: int) -> bool:
        """Write the successors of the node into frame `depth`, in an order of this worker's; false to stop."""
        goes_on = super().expand(node, depth)
        if self.worker[0]:
            successors = list(self.pending[self.cursor[depth] :])
            self.order.shuffle(successors)
            self.pending[self.cursor[depth] :] = successors
        return goes_on


def worker_spaces(
    graph: Graph[S], workers: int, columns: Iterable[str] = (), seed: int = 0, meter: Meter | None = None
) -> list[WorkerSpace[S]]:
    """The stores of so many workers, each with the columns named."""
    if workers < 1:
        raise ValueError(f"{workers} workers cannot search")
    meter = Meter() if meter is None else meter
    first = WorkerSpace(graph, 0, seed, meter, None)
    spaces = [first, *(WorkerSpace(graph, worker, seed, meter, first) for worker in range(1, workers))]
    for name in columns:
        if name == "parent":
            first.growing.append(first.keep(name))
            for space in spaces:
                space.parent = first.parent
        else:
            for space in spaces:
                space.growing.append(space.keep(name))
    initial = list(dict.fromkeys(map(first.number, graph.initial())))
    for space in spaces:
        space.initial = initial
    meter.states = len(first.states)
    return spaces
