"""How long and how large a check may become, and the watch that each search has over it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from os.path import isdir
from typing import Final

from everafter.source import OptionError

MOST: Final = 1 << 62
"""More bytes, or states, than any machine has room for."""
NO_DISK: Final = "none"
"""Instead of a folder: nothing goes to the disk."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a check. When one is reached the verdict is `incomplete`, and the reason says which."""

    seconds: float | None = None
    """For the whole check, from reading the model to the last counterexample; docs/command-line.md says who gets how
    much of it."""
    memory: int | None = None
    """Bytes that this process may have."""
    states: int | None = None
    """For each property, counted as in the report."""
    disk: str | None = None
    """The folder to which stacks, queues and parents go when memory is short. Without one, that of temporary files;
    `none`: nothing goes there."""

    def __post_init__(self) -> None:
        if self.disk is not None and self.disk != NO_DISK and not isdir(self.disk):
            raise OptionError(f"there is no folder {self.disk!r}", "name one that is on a disk, or write none")
        for name, unit in (("seconds", "60"), ("memory", "4 << 30, for 4 GiB"), ("states", "1_000_000")):
            value = getattr(self, name)
            if value is not None and not 0 < value <= (inf if name == "seconds" else MOST):
                raise OptionError(f"a limit of {name} is a number above 0, not {value!r}", f"write {name}={unit}")


@dataclass(frozen=True, slots=True)
class Sharing:
    """How the workers of a cluster share a search."""

    workers: int
    level: int
    """How many levels are complete."""
    fullest: int
    """The number of the worker with the least memory left …"""
    memory: int
    """… the bytes that its states take …"""
    room: int
    """… the bytes that they may take …"""
    load: float
    """… and the share of the time in which its processor has searched."""
    messages: float
    """Message batches that were sent in a second."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search has come."""

    property: str
    states: int
    """Counted as in the report: those that were searched from."""
    transitions: int
    depth: int
    seconds: float
    memory: int
    """Bytes this process uses."""
    number: int = 1
    """Which of the properties of the request it is …"""
    total: int = 1
    """… and how many there are."""
    limit: float | None = None
    """After how many seconds the search will be stopped, if it will."""
    sharing: Sharing | None = None
    """On a cluster, how its workers share the search."""


class Notice(str):
    """News that a user should still see when the check is over."""

    __slots__ = ()


Observer = Callable[[Progress | str], None]
"""Called with how far a search has come, or with words on what takes its time before one begins."""


def unobserved(_progress: Progress | str) -> None:
    """Report nothing."""
