"""How a search on native code ends, how far it came, and what it found."""

from __future__ import annotations

from enum import Enum
from typing import Final

from everafter.engine import block
from everafter.record import dataclass
from everafter.search.lasso import Lasso


class SearchEnding(Enum):
    """How a search ended."""

    COMPLETED = "completed"
    """Everything was searched, without an answer."""
    ANSWERED = "answered"
    STOPPED_BY_CALLER = "stopped by the caller"
    OUT_OF_MEMORY = "out of memory"
    MODEL_FAILED = "the model failed"
    UNDECIDED = "undecided"
    """The search is not one for this model, and another is needed."""


REASONS: Final = {
    block.BY_CALLER: SearchEnding.STOPPED_BY_CALLER,
    block.MEMORY: SearchEnding.OUT_OF_MEMORY,
    block.MODEL_FAILED: SearchEnding.MODEL_FAILED,
    block.UNFIT: SearchEnding.UNDECIDED,
}


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """How far a search has come."""

    states: int
    """Distinct rows that count as states."""
    rows: int
    """Distinct rows."""
    transitions: int
    """Successors generated; what a search generates twice counts twice."""
    depth: int
    """As in everafter.search.meter.Statistics."""
    expansions: int
    """How often successors were computed."""
    entered: int
    """How often those of a state were computed: one that is searched from twice counts twice."""
    bytes: int
    """Memory in use by rows, hash table and stacks."""
    seconds: float
    """Processor time of the search alone, known when it has ended."""
    disk: int = 0
    """Bytes of stacks, queues and parents that are on disk, and not in memory."""
    has_met: bool = False
    """Whether the search has its answer, and only the way to it is still looked for."""

    @property
    def searched(self) -> int:
        """States that were searched from, as SPIN counts those it stores: the others only wait to be.

        After a complete search these are all. Where states are entered twice, by a nested search or by another worker
        of a team, it may be fewer.
        """
        return min(self.states, self.entered)


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search came to."""

    ending: SearchEnding
    figures: SearchFigures
    answer: tuple[bytes, ...] | Lasso[bytes] | None = None
    code: int = 0
    """What the model returned when it failed."""
    limit: int = 0
    """The bytes that rows, hash table and stacks could have: less than the limit where addresses are limited."""
    workers: int = 1
    """How many workers searched: fewer than wanted where addresses are limited."""
    cut: SearchEnding | None = None
    """What has ended the search for the way to an answer that was met: then there is no `answer`, but there are …"""
    candidates: tuple[bytes, ...] = ()
    """… rows of states, one of which is the last before the answer, if the search knows them."""
    expansions: int = 0
    """How often successors were computed to find the way …"""
    stored: int = 0
    """… and how many rows were stored meanwhile."""
