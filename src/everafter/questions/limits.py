"""How long and how large a check may become, and the watch that each search has over it."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from os.path import isdir
from typing import Final

from everafter.flags import LIMIT, check_options, option
from everafter.record import dataclass
from everafter.source import OptionError

MOST: Final = 1 << 62
"""More bytes, or states, than any machine has room for."""
NO_DISK: Final = "none"
"""Instead of a folder: nothing goes to the disk."""


def _check_disk(folder: str) -> None:
    if folder != NO_DISK and not isdir(folder):
        raise OptionError(f"there is no folder {folder!r}", "name one that is on a disk, or write none")


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a check. When one is reached the verdict is `incomplete`, and the reason says which."""

    seconds: float | None = option(
        None,
        LIMIT,
        "stop, incomplete, after this time",
        flag="--time",
        metavar="60s",
        kind="duration",
        may_change=True,
        resumed="stop after this time, instead of the time before",
        says="bounds the whole check, from reading the model to printing the counterexample: see below",
    )
    memory: int | None = option(
        None,
        LIMIT,
        "stop, incomplete, above this much memory",
        metavar="4G",
        kind="size",
        may_change=True,
        resumed="stop above this much memory, instead of the limit before",
        says="stop there, with verdict `incomplete`; when three quarters are in use, a line says so, and what would "
        "help",
    )
    states: int | None = None
    """For each property, counted as in the report."""
    disk: str | None = option(
        None,
        LIMIT,
        "where stacks and queues go when memory is short; without it, the folder of temporary files",
        metavar="FOLDER|none",
        check=_check_disk,
        may_change=True,
        resumed="where stacks go when memory is short, instead of the folder before",
        says="where stacks, queues and parents go when memory is short (Linux); without it, the folder of temporary "
        "files if that is on a disk; `none`: nowhere",
    )

    def __post_init__(self) -> None:
        check_options(self)
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
