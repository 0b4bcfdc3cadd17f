"""Workers of the search for any cycle beside the machine that is proved: the same accesses, parents and lasso.

Every comparison raises AssertionError if the two differ.
"""

import random
from itertools import pairwise

from proofs import searching_for_cycle as proved
from proofs.searching_for_cycle import SearchingForCycle

from everafter.search.catalogue import TEAM
from everafter.search.framework import TOGETHER
from everafter.search.lasso import Lasso
from everafter.search.parallel.acyclic import BASE, search_acyclic, stemmed_lasso
from everafter.search.parallel.space import ORDERED
from everafter.search.parallel.table import WorkerSpace, worker_spaces
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, UNDECIDED
from oracles.search.machines import Beside, Kernel, Marked, take_turns
from oracles.search.parallel.planted import with_other
from oracles.search.proved import Graph

Machines = type[SearchingForCycle]
MODES: tuple[tuple[Kernel, int], ...] = ((search_acyclic, 1), (with_other(ALONE=0), TOGETHER))
"""The search as it begins, with one free state at a time, and as it goes on, with many."""
ENDS = {ANSWERED: proved.ANSWERED, COMPLETED: proved.COMPLETED, UNDECIDED: proved.UNDECIDED}


class Pair(Beside):
    """A worker, and its machine."""

    def __init__(self, space: WorkerSpace[int], machine: SearchingForCycle, kernel: Kernel) -> None:
        self.machine = machine
        super().__init__(space, machine, kernel)

    def move(self) -> None:
        """Let the worker do what it asks for: then it has noted the same parents."""
        super().move()
        assert all(self.space.parent[node] == before for node, before in self.machine.parent.items())

    def check_end(self) -> None:
        """The worker has come to what its machine has, unless it was told to stop."""
        assert self.outcome is not None
        if self.outcome != STOPPED:
            # That it tells the others to stop is no access that both are compared in: the machine is about to.
            if self.wants is not None:
                assert self.wants == ("raise_abort",)
                self._tell(None)
            assert self.wants is None
            assert self.machine.stage == ENDS[self.outcome]
        if self.outcome == ANSWERED:
            assert list(self.space.stack[BASE : self.space.found[0] + 1]) == self.machine.path.stack
            assert self.space.found[1] == self.machine.found

    def check_lasso(self, graph: Graph) -> None:
        """When all is over, the answer is read off as it is proved, and is a lasso."""
        if self.outcome == ANSWERED:
            assert self.machine.path.stack[0] in self.machine.parent
            stem, cycle = map(self.space.named, self.machine.lasso())
            assert stemmed_lasso(self.space) == Lasso(stem, cycle).folded()
            run = (*stem, *cycle, cycle[0])
            assert run[0] in graph.initial()
            assert all(after in graph.successors(before) for before, after in pairwise(run))
            assert any(map(graph.is_accepting, cycle))


def compare_acyclic(
    graph: Graph,
    ordered: set[int],
    workers: int,
    seed: int,
    machines: Machines = SearchingForCycle,
    mode: tuple[Kernel, int] = MODES[0],
) -> list[int | None]:
    """Let a team search the graph, beside its machines, in turns drawn from the seed; what each worker comes to."""
    kernel, together = mode
    spaces = worker_spaces(graph, workers, TEAM["acyclic"].columns, seed)
    for state in range(len(graph.edges)):
        node = spaces[0].number(state)
        spaces[0].colour[node] = spaces[0].colour[node] & ~ORDERED | (ORDERED if state in ordered else 0)
    parent: dict[int, int] = {}
    pairs = [
        Pair(space, machines(list(space.initial), Marked(space), Marked(space, ORDERED), parent, together), kernel)
        for space in spaces
    ]
    take_turns(pairs, random.Random(seed))
    for pair in pairs:
        pair.check_end()
        pair.check_lasso(graph)
    return [pair.outcome for pair in pairs]
