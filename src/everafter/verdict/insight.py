"""What is known beside a verdict, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from everafter.verdict.rows import Spot

FairVerdict = Literal["holds", "violated", "not decided"]


@dataclass(frozen=True, slots=True)
class UnderFairness:
    """What becomes of a violated property if only fair runs count. What holds under weak holds under strong."""

    weak: FairVerdict = "not decided"
    strong: FairVerdict = "not decided"


@dataclass(frozen=True, slots=True)
class Unreached:
    """A statement that was never executed. `-end-` is the end of a process."""

    proctype: str
    spot: Spot
    statement: str


@dataclass(frozen=True, slots=True)
class Coverage:
    """Which statements a search that visited all reachable states has met."""

    statements: int
    """How many there are in all proctypes together."""
    unstarted: tuple[str, ...] = ()
    """Proctypes of which no process was ever started; their statements are not listed."""
    unreached: tuple[Unreached, ...] = ()
    """Statements that were never executed, though a process of their proctype was started."""
    is_exact: bool = True
    """Whether these can never be executed. If not, a reduction has left out steps, and others were not tried."""
