"""Every search that a team of workers can run, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from everafter.search.parallel import PARALLEL_ALGORITHMS, ParallelAlgorithm
from everafter.search.parallel.unordered import search_unordered_shared
from everafter.search.unordered import found_state

TEAM_ALGORITHMS: Final[Mapping[str, ParallelAlgorithm]] = MappingProxyType(
    {**PARALLEL_ALGORITHMS, "unordered": ParallelAlgorithm(search_unordered_shared, explain=found_state)}
)
"""The last looks for a TARGET, the others for an accepting cycle."""
