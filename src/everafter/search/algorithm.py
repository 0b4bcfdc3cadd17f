"""An algorithm as one value, which each engine runs over its own store: interpreted on any graph, or compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from everafter.record import dataclass, replace
from everafter.search.graph import Generalised, Graph, S
from everafter.search.lasso import Lasso
from everafter.search.meter import Meter
from everafter.search.space import ACCEPTING, NO_STATE, GeneralisedSpace, Searched, Space

Question = Literal["reachability", "cycle"]
"""Can a target be reached? Is there an accepting cycle?"""
Workers = Literal["one", "team"]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What to run over a store, what the store must keep for it, and how to read the answer off the store."""

    name: str
    """What the command line calls it."""
    question: Question
    workers: Workers
    """Whether one worker searches alone, over a `Store`, or a team together, each over a `SharedStore`."""
    kernel: Callable[[Any], int]
    """Searches; comes to COMPLETED, ANSWERED, STOPPED or UNDECIDED. After the last two, a worker's part says nothing.

    There is no answer when every worker came to COMPLETED.
    """
    explain: Callable[[Any], Any]
    """Names the answer, after the kernel came to ANSWERED: a path as a tuple of states, or a `Lasso`."""
    paper: str = ""
    """The publication that describes it; empty where none is known."""
    columns: tuple[str, ...] = ()
    """The columns that the kernel reads and writes."""
    unread: tuple[str, ...] = ()
    """The columns that the kernel writes, and neither it nor `explain` reads."""
    explaining: tuple[str, ...] = ()
    """The columns that only `explain` needs."""
    base: int = 0
    """The frame at which paths begin."""
    gives_path: bool = True
    """Whether the answer is the whole path; else it is the state found, and a path is found among stored states."""
    one_suffices: bool = False
    """Whether a single worker of a team that came to COMPLETED has searched everything."""
    fallback: str | None = None
    """The algorithm that decides where this one comes to UNDECIDED; None where it never does."""

    def run(self, space: Searched[Any]) -> Any:
        """The answer, or None if the search is complete without one; raises `Stopped` when it was stopped."""
        return self.explain(space) if space.answered(self.kernel(space)) else None

    def depth(self, deepest: int) -> int:
        """How many states there are on the longest path, if it ends below this frame."""
        return max(deepest - self.base, 0)

    @property
    def ranks(self) -> bool:
        """Whether, completed, it leaves ranks that no edge raises and that fall behind accepting states.

        One worker leaves the number of each strongly connected component, a team what `draw_rank` has given.
        """
        return not {"member", "below"}.isdisjoint(self.columns + self.unread)

    def keeping(self) -> Algorithm:
        """Return the same algorithm with all columns that it writes kept, to be read when the search is complete."""
        return replace(self, columns=self.columns + self.unread, unread=())

    @property
    def every_column(self) -> tuple[str, ...]:
        """All columns that a store which must have what is written needs."""
        return self.columns + self.unread + self.explaining

    @property
    def reads_sets(self) -> bool:
        """Whether it asks for the acceptance sets of each transition."""
        return "masks" in self.columns


def accepting_lasso(algorithm: Algorithm, graph: Graph[S], meter: Meter | None = None) -> Lasso[S] | None:
    """Run `algorithm`, by one worker, on `graph`; return the accepting lasso it finds, or None. `meter` may stop it."""
    lasso: Lasso[S] | None = algorithm.run(_space(algorithm, graph, meter))
    return lasso


def _space(algorithm: Algorithm, graph: Graph[S], meter: Meter | None) -> Space[S]:
    """The store of a graph's states, with acceptance as the algorithm asks for it: on transitions, or on states."""

    def label(state: S) -> int:
        return ACCEPTING if graph.is_accepting(state) else NO_STATE

    if algorithm.reads_sets:
        marked = Generalised(graph)
        columns = algorithm.every_column
        return GeneralisedSpace(marked.initial(), marked.successors, marked.acceptance_sets, meter, columns)
    return Space(graph.initial(), graph.successors, label, meter, algorithm.every_column)
