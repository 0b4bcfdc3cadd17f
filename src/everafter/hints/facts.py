"""What is known beside a verdict, as data."""

from __future__ import annotations

from typing import Literal

from everafter.record import dataclass
from everafter.source import Spot

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
    """Proctypes of which no process ever takes a step; their statements are not listed."""
    unreached: tuple[Unreached, ...] = ()
    """Statements that were never executed, though a process of their proctype takes steps."""
    is_exact: bool = True
    """Whether these can never be executed. If not, a reduction has left out steps, and others were not tried."""


@dataclass(frozen=True, slots=True)
class Needless:
    """A part of a formula, at one place in it, that could be something else: the formula would hold all the same."""

    part: str
    could_be: bool
    """The value that it could have in every state, which makes the formula say most."""
    occurrence: int = 1
    """Which of the parts that read the same it is, from left to right: of several, one at a time could be so …"""
    occurrences: int = 1
    """… and how many there are."""


@dataclass(frozen=True, slots=True)
class Vacuity:
    """Whether a formula holds for a reason that is not the one meant."""

    is_valid: bool = False
    """Whether it is true of every run, of whatever model."""
    unmet: tuple[str, ...] = ()
    """The premises of implications that are never true."""
    needless: tuple[Needless, ...] = ()
    undecided: int = 0
    """How many parts were not decided, for lack of effort or time."""
