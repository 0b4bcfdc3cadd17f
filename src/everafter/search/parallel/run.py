"""A parallel search of any graph in plain Python. The workers move in turns drawn from a seed: a run can be repeated.

It is not faster than one worker. It is what the native engine is compared with.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from everafter.search.catalogue import TEAM
from everafter.search.graph import Graph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.parallel.space import SharedStore
from everafter.search.parallel.stepwise import PRIVATE, Request, perform, stepwise
from everafter.search.parallel.table import WorkerSpace, worker_spaces
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, UNDECIDED
from everafter.source import OptionError

TURNS = (1, 1, 2, 3, 8, 40)  # short turns mix the workers, long ones let one hurry ahead


class Worker:
    """One worker: its store, its steps, what it is about to do (None at its end), and then what it has come to."""

    def __init__(self, kernel: Callable[[SharedStore], int], space: SharedStore) -> None:
        self.space = space
        self.steps = stepwise(kernel)(space)
        self.outcome = STOPPED
        self.request: Request | None = None
        self._send(None)

    def move(self) -> None:
        """Do what the worker requests, and what concerns no other worker after it."""
        if self.request is not None:
            self._send(perform(self.space, self.request))

    def _send(self, answer: object) -> None:
        try:
            self.request = self.steps.send(answer)
            while self.request[0] in PRIVATE:
                self.request = self.steps.send(perform(self.space, self.request))
        except StopIteration as end:
            self.request = None
            self.outcome = end.value


def run_workers(kernel: Callable[[SharedStore], int], spaces: list[WorkerSpace[S]], seed: int = 0) -> list[int]:
    """Run `kernel` by one worker for each of `spaces`, in turns drawn from `seed`; return the outcome of each."""
    draw = random.Random(seed)
    workers = [Worker(kernel, space) for space in spaces]
    active = workers
    while active:
        worker = draw.choice(active)
        for _ in range(draw.choice(TURNS)):
            worker.move()
        active = [worker for worker in active if worker.request is not None]
    return [worker.outcome for worker in workers]


def parallel_nested_dfs(
    graph: Graph[S], workers: int = 2, algorithm: str = "cndfs", seed: int = 0, meter: Meter | None = None
) -> Lasso[S] | None:
    """Return a reachable accepting cycle of `graph`, or None, by `algorithm`, which is one for teams of `workers`.

    `seed` draws the turns and the orders of successors; `meter` counts the states of all and may stop the search.
    """
    if algorithm not in TEAM:
        raise OptionError(f"there is no algorithm {algorithm!r}", f"choose one of {', '.join(TEAM)}")
    if workers < 1:
        raise OptionError(f"workers of parallel_nested_dfs is a whole number from 1 on, not {workers}")
    search = TEAM[algorithm]
    spaces = worker_spaces(graph, workers, search.every_column, seed, meter)
    outcomes = run_workers(search.kernel, spaces, seed)
    spaces[0].meter.depth = search.depth(spaces[0].deepest[0])
    if ANSWERED in outcomes:
        lasso: Lasso[S] = search.explain(spaces[outcomes.index(ANSWERED)])
        return lasso
    if search.fallback is not None and UNDECIDED in outcomes:
        return parallel_nested_dfs(graph, workers, search.fallback, seed, meter)
    for space, outcome in zip(spaces, outcomes, strict=True):
        if outcome != COMPLETED:
            space.answered(outcome)  # raises Stopped
    return None
