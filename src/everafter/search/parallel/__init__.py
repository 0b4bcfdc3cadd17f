"""Nested depth-first search by several workers on one graph: each algorithm one text, as docs/parallel.md explains."""

from everafter.search.parallel.algorithm import FALLBACK, PARALLEL_ALGORITHMS, ParallelAlgorithm
from everafter.search.parallel.run import parallel_nested_dfs
from everafter.search.parallel.space import SharedStore

__all__ = ["FALLBACK", "PARALLEL_ALGORITHMS", "ParallelAlgorithm", "SharedStore", "parallel_nested_dfs"]
