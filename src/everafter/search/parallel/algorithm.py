"""The parallel searches as values, which each engine runs over its own store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from everafter.search.parallel.acyclic import BASE, search_acyclic, stemmed_lasso
from everafter.search.parallel.cndfs import search_cndfs
from everafter.search.parallel.pndfs import (
    search_pndfs,
    search_pndfs_all_red,
    search_pndfs_early,
    search_pndfs_early_all_red,
)
from everafter.search.parallel.space import SharedStore
from everafter.search.parallel.swarm import search_swarm
from everafter.search.space import Answered


@dataclass(frozen=True, slots=True)
class ParallelAlgorithm:
    """What each worker runs over its store, what that must keep for it, and how to read an answer off it."""

    kernel: Callable[[SharedStore], int]
    """Comes to COMPLETED, ANSWERED, or else: STOPPED or UNDECIDED, after which the worker's part says nothing."""
    columns: tuple[str, ...] = ()
    """The columns that the kernel needs: `parent` one for all, others one for each worker."""
    explain: Callable[[Answered[Any]], Any] = Answered.lasso
    """Names the answer of a worker that came to ANSWERED: a `Lasso`, or a tuple of states."""
    base: int = 0
    """The frame at which paths begin."""

    def depth(self, deepest: int) -> int:
        """How many states there are on the longest path, if it ends below this frame."""
        return max(deepest - self.base, 0)


PARALLEL_ALGORITHMS: Mapping[str, ParallelAlgorithm] = MappingProxyType(
    {
        "swarm": ParallelAlgorithm(search_swarm),
        "pndfs": ParallelAlgorithm(search_pndfs),
        "pndfs-early": ParallelAlgorithm(search_pndfs_early),
        "pndfs-all-red": ParallelAlgorithm(search_pndfs_all_red),
        "pndfs-early-all-red": ParallelAlgorithm(search_pndfs_early_all_red),
        "cndfs": ParallelAlgorithm(search_cndfs, ("component",)),
        "acyclic": ParallelAlgorithm(search_acyclic, ("parent",), stemmed_lasso, BASE),
    }
)
"""Every parallel search for an accepting cycle, by name. There is none when every worker came to COMPLETED."""

FALLBACK = "cndfs"
"""Decides where another search is UNDECIDED."""
