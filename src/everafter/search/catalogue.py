"""Every algorithm there is. What offers, compiles or tests the searches takes them from here.

An algorithm is written beside its kernel, and entered here: nowhere else is there a list of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from everafter.search.algorithm import Algorithm, Question, Workers
from everafter.search.breadth import BREADTH_FIRST_ALGORITHM
from everafter.search.components import TARJAN_ALGORITHM
from everafter.search.generalised import COUVREUR_ALGORITHM
from everafter.search.nested import COURCOUBETIS_ALGORITHM, HOLZMANN_ALGORITHM, SCHWOON_ESPARZA_ALGORITHM
from everafter.search.parallel.acyclic import ACYCLIC_ALGORITHM
from everafter.search.parallel.cndfs import CNDFS_ALGORITHM
from everafter.search.parallel.pndfs import PNDFS_ALGORITHMS
from everafter.search.parallel.reachability import TEAM_DEPTH_FIRST_ALGORITHM
from everafter.search.parallel.swarm import SWARM_ALGORITHM
from everafter.search.parallel.unordered import TEAM_UNORDERED_ALGORITHM
from everafter.search.reachability import DEPTH_FIRST_ALGORITHM
from everafter.search.streett import STREETT_ALGORITHM
from everafter.search.trimming import OWCTY_ALGORITHM
from everafter.search.unordered import UNORDERED_ALGORITHM

CATALOGUE: Final[tuple[Algorithm, ...]] = (
    BREADTH_FIRST_ALGORITHM,
    DEPTH_FIRST_ALGORITHM,
    UNORDERED_ALGORITHM,
    SCHWOON_ESPARZA_ALGORITHM,
    HOLZMANN_ALGORITHM,
    COURCOUBETIS_ALGORITHM,
    TARJAN_ALGORITHM,
    COUVREUR_ALGORITHM,
    STREETT_ALGORITHM,
    OWCTY_ALGORITHM,
    SWARM_ALGORITHM,
    *PNDFS_ALGORITHMS,
    CNDFS_ALGORITHM,
    ACYCLIC_ALGORITHM,
    TEAM_UNORDERED_ALGORITHM,
    TEAM_DEPTH_FIRST_ALGORITHM,
)


def _by_name(workers: Workers) -> Mapping[str, Algorithm]:
    return MappingProxyType({each.name: each for each in CATALOGUE if each.workers == workers})


ALONE: Final = _by_name("one")
"""The searches by one worker, by name."""
TEAM: Final = _by_name("team")
"""The searches by several workers, by name."""


def names(question: Question, workers: Workers) -> tuple[str, ...]:
    """Return the names of the algorithms that answer `question` with `workers`: one worker or a team."""
    return tuple(each.name for each in CATALOGUE if (each.question, each.workers) == (question, workers))
