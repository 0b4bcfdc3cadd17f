"""Workers of a team beside the machines that are proved: the same accesses to what they share, in the same order.

Every comparison raises AssertionError if the two differ.
"""

import random
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import Any, Protocol

from proofs.machines import Machine, SharingBlue, SharingRed

from everafter.search.catalogue import TEAM
from everafter.search.parallel.space import SharedStore
from everafter.search.parallel.stepwise import PRIVATE, Request, perform, stepwise
from everafter.search.parallel.table import WorkerSpace, worker_spaces
from everafter.search.space import ACCEPTING, ANSWERED, COMPLETED
from oracles.search.proved import Graph

SAME = ("colour", "count", "colour_shared", "add_shared")
"""The accesses that both make. The flag a worker may read at any step, in the proof."""
Making = Callable[[list[int], set[int]], Machine]
Kernel = Callable[[SharedStore], int]
MACHINES: dict[str, Making] = {
    "cndfs": SharingBlue,
    "pndfs": SharingRed,
    "pndfs-early": partial(SharingRed, early=True),
    "pndfs-all-red": partial(SharingRed, redden=True),
    "pndfs-early-all-red": partial(SharingRed, early=True, redden=True),
}
"""By algorithm: what its workers are proved to be."""


class Proved(Protocol):
    """Whatever a worker can be compared with."""

    def run(self) -> Generator[Request, Any, None]:
        """All steps, to the end."""


class Marked(set[int]):
    """The states of a store with a bit of their colour, the accepting ones by default. It meets them as it goes."""

    def __init__(self, space: WorkerSpace[int], bit: int = ACCEPTING) -> None:
        super().__init__()
        self.space = space
        self.bit = bit

    def __contains__(self, node: object) -> bool:
        assert isinstance(node, int)
        return bool(self.space.colour[node] & self.bit)

    def __rand__(self, nodes: Any) -> set[int]:
        return {node for node in nodes if node in self}


class Beside:
    """A worker, and a machine beside it, which is sent whatever the worker reads."""

    def __init__(self, space: WorkerSpace[int], machine: Proved, kernel: Kernel) -> None:
        self.space = space
        self.steps: Generator[Request, Any, int] = stepwise(kernel)(space)
        self.proved: Generator[Request, Any, None] = machine.run()
        self.wants = next(self.proved, None)
        self.outcome: int | None = None
        self.request: Request | None = next(self.steps)

    def move(self) -> None:
        """Let the worker do what it asks for."""
        assert self.request is not None
        name = self.request[0]
        if name in SAME:
            assert self.wants == self.request
        answer = perform(self.space, self.request)
        if name == "expand":
            node, depth = self.request[1:]
            assert self.wants == ("expand", node)
            self._tell(list(self.space.pending[self.space.cursor[depth] : self.space.limit[depth]]))
        elif name in SAME:
            self._tell(answer)
        try:
            self.request = self.steps.send(answer)
        except StopIteration as end:
            self.request = None
            self.outcome = end.value

    def _tell(self, answer: object) -> None:
        try:
            self.wants = self.proved.send(answer)
        except StopIteration:
            self.wants = None


class Pair(Beside):
    """A worker of a nested search, and its machine."""

    def __init__(self, space: WorkerSpace[int], machine: Making, kernel: Kernel) -> None:
        self.machine = machine(list(space.initial), Marked(space))
        super().__init__(space, self.machine, kernel)

    def check_end(self) -> None:
        """The worker has come to what its machine has, unless it was told to stop."""
        if self.outcome == ANSWERED:
            depth, node = self.space.found
            assert self.machine.answer == (list(self.space.stack[: depth + 1]), node)
        elif self.outcome == COMPLETED:
            assert self.machine.answer is None
            assert self.wants is None


def take_turns(pairs: Sequence[Beside], draw: random.Random) -> None:
    """Let all workers come to their end, in turns that are drawn."""
    active = list(pairs)
    while active:
        pair = draw.choice(active)
        for _ in range(draw.choice((1, 2, 5))):
            if pair.request is not None:
                pair.move()
                while pair.request is not None and pair.request[0] in PRIVATE:
                    pair.move()
        active = [pair for pair in active if pair.request is not None]


def compare_team(
    graph: Graph, name: str, workers: int, seed: int, machine: Making | None = None, kernel: Kernel | None = None
) -> list[int | None]:
    """Let a team search the graph, beside its machines, in turns drawn from the seed; what each worker comes to.

    Another machine or kernel than that of the algorithm may be put into its place.
    """
    spaces = worker_spaces(graph, workers, TEAM[name].every_column, seed)
    pairs = [Pair(space, machine or MACHINES[name], kernel or TEAM[name].kernel) for space in spaces]
    take_turns(pairs, random.Random(seed))
    for pair in pairs:
        pair.check_end()
    return [pair.outcome for pair in pairs]
