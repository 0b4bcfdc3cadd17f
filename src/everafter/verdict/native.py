"""Searches on native code under the limits of a check, and their answers as runs of the reference."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from everafter.engine.emit.module import VIOLATION_ROW
from everafter.engine.run.model import NativeModel
from everafter.engine.run.outcome import Ending, Figures, SearchOutcome
from everafter.execution.state import NOBODY
from everafter.product.product import VIOLATION, Product, ProductState
from everafter.search import Lasso
from everafter.search.catalogue import TEAM
from everafter.verdict.limits import Limits, memory_in_use
from everafter.verdict.replay import ReplayError

_LEAST_MEMORY = 1 << 24
_SHARE_OF_MEMORY = 0.8
_PATIENCE = 300_000
_NOTHING = Figures(0, 0, 0, 0, 0, 0, 0.0)
T = TypeVar("T")


@dataclass(slots=True)
class NativeRun:
    """One search: how far it came, and how it ended. `outcome` is None if it was interrupted."""

    limits: Limits
    threads: int | None = 1
    """How many may work together where they can; None for as many as there are processors if the search is large."""
    figures: Figures = _NOTHING
    outcome: SearchOutcome | None = None
    workers: int = 1
    """How many worked on the last search."""
    algorithm: str = ""
    """What they ran."""
    used_before: int = field(default_factory=memory_in_use)
    """The memory in use before any search: each search gives its own back."""

    def decide(self, model: NativeModel, algorithm: str, together: str) -> SearchOutcome:
        """Run the search, or the one of a team that answers the same question.

        Without a number of threads, one begins alone. If that takes long, a team starts anew: little is lost, and a
        small search is over before a team would have met.
        """
        if self.threads is not None:
            return self.go(model, algorithm) if self.threads == 1 else self.go_together(model, together, self.threads)
        processors = len(os.sched_getaffinity(0))
        if processors == 1:
            return self.go(model, algorithm)
        outcome = self.go(model, algorithm, patience=_PATIENCE)
        if outcome.ending is Ending.STOPPED_BY_CALLER and self.limits.reached is None:
            return self.go_together(model, together, processors)
        return outcome

    def go(self, model: NativeModel, algorithm: str, patience: int | None = None) -> SearchOutcome:
        """Run the search until it ends, a limit is reached, or it has found more states than it has patience for."""
        search = model.search(algorithm, self._memory(), self.limits.tell)
        self.workers, self.algorithm = 1, algorithm
        return self._ended(
            search.run(lambda figures: self._observe(figures) or (patience is not None and figures.states > patience))
        )

    def go_together(self, model: NativeModel, algorithm: str, workers: int) -> SearchOutcome:
        """Run the search by several workers until it ends or a limit is reached."""
        search = model.team_search(algorithm, workers, self._memory(), self.limits.tell)
        self.workers, self.algorithm = workers, algorithm
        outcome = self._ended(search.run(self._observe))
        fallback = TEAM[algorithm].fallback
        if fallback is not None and outcome.ending is Ending.UNDECIDED:
            return self.go_together(model, fallback, workers)
        return outcome

    def _ended(self, outcome: SearchOutcome) -> SearchOutcome:
        self.outcome = outcome
        self.figures = self.outcome.figures
        if self.outcome.ending is Ending.OUT_OF_MEMORY:
            limit = self.limits.memory or self._memory()
            self.limits.reached = f"the memory limit of {limit / 2**20:,.0f} MiB was reached"
        elif self.outcome.ending is Ending.MODEL_FAILED:
            self.limits.reached = "a state, or all its successors together, are too large for the native engine"
        return self.outcome

    def _observe(self, figures: Figures) -> bool:
        self.figures = figures
        return self.limits.passed(figures.states, figures.transitions, figures.depth)

    def _memory(self) -> int:
        """The bytes that states may take: what the limit leaves, or most of what the machine has."""
        if self.limits.memory is not None:
            return max(self.limits.memory - self.used_before, _LEAST_MEMORY)
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * _SHARE_OF_MEMORY)

    @property
    def bytes_per_state(self) -> float:
        """The memory for states, hash table and stacks, shared out over the states."""
        return self.figures.bytes / max(self.figures.states, 1)


def bridged(
    start: T, targets: Collection[T], successors: Callable[[T], Iterable[T]], passes: Callable[[T], bool]
) -> list[T]:
    """The states after `start` on a shortest way to a target that leads only through states that `passes` allows.

    One step of compiled code is a whole atomic sequence; the reference takes it statement by statement. A violation
    is a target, too: with all steps it may come earlier than in a reduced search.
    """
    before: dict[T, T] = {}
    queue = deque([start])
    while queue:
        source = queue.popleft()
        for state in successors(source):
            if state in targets:
                way = [state]
                while source != start:
                    way.append(source)
                    source = before[source]
                return way[::-1]
            if passes(state) and state not in before and state != start:
                before[state] = source
                queue.append(state)
    raise ReplayError("the native engine found a step that the reference does not have")


def product_lasso(product: Product, found: Lasso[bytes]) -> Lasso[ProductState]:
    """The lasso of the reference's product that rows of the native one stand for."""
    rows = named_lasso(found)
    around = [*rows.states(), rows.cycle[0]]
    states = [around[0]]
    position = 0
    for number, (source, target) in enumerate(pairwise(around)):
        if number == len(rows.prefix):
            position = len(states) - 1
        states += bridged(source, (target, VIOLATION), product.successors, lambda pair: is_inside(product, pair))
        if states[-1] == VIOLATION:
            return Lasso(tuple(states[:-1]), (VIOLATION,))
    return Lasso(tuple(states[:position]), tuple(states[position:-1]))


def named_lasso(found: Lasso[bytes]) -> Lasso[ProductState]:
    """The same lasso with the names that the reference has for its states; atomic sequences are still single steps."""
    return Lasso(tuple(map(_product_state, found.prefix)), tuple(map(_product_state, found.cycle)))


def _product_state(row: bytes) -> ProductState:
    if row == VIOLATION_ROW:
        return VIOLATION
    claim = int.from_bytes(row[6:8], "little", signed=False)
    return row[:6] + b"\0\0" + row[8:], claim if claim != 0xFFFF else -1


def is_inside(product: Product, pair: ProductState) -> bool:
    """Whether a product state is in the middle of an atomic sequence."""
    return pair != VIOLATION and product.expansion(pair[0]).state.holder != NOBODY
