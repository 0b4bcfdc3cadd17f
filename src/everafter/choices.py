"""Among what users choose, by name: a command knows its options without all that they stand for."""

from __future__ import annotations

from typing import Final, Literal, get_args

Fairness = Literal["weak", "strong"]
"""Which runs are looked at: those fair to a process that can move all the time, or that can again and again."""
ReductionWish = str
"""Names of reductions, with commas between them: each is used where it is sound."""
REDUCTIONS: Final = ("ample", "merge", "dead")
"""The reductions that are used by default: `static` is all of them, and `none` none."""
ON_DEMAND: Final = ("symmetry",)
"""Those that are used where they are named."""
StoreKind = Literal["plain", "tree", "packed", "bitstate", "compact"]
"""Whether rows are kept as they are, as trees of which equal parts are kept once, packed to bits in the hash table, or
only while they are needed."""
STORES: Final[tuple[StoreKind, ...]] = get_args(StoreKind)
LOSSY: Final[tuple[StoreKind, ...]] = ("bitstate", "compact")
"""Those that may take a state for another, and so miss some."""
ALGORITHMS: Final = (
    *("breadth-first", "depth-first", "unordered", "schwoon-esparza", "holzmann", "courcoubetis", "tarjan", "couvreur"),
    *("streett", "owcty", "swarm", "pndfs", "pndfs-early", "pndfs-all-red", "pndfs-early-all-red", "cndfs", "acyclic"),
)
"""The searches of everafter.search.catalogue."""
MOST_WORKERS: Final = 64
"""A team has no more."""
