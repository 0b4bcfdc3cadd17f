"""Do two footprints share a variable? Sets of bits answer that at once, however many cells each of them has.

What is written gives bits, and what is touched asks for bits: a cell for itself and for a write to any cell of its
variable, a whole variable for a write to some cell of it. Two footprints share something exactly if one asks for a bit
that the other gives.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from everafter.program.locations import Location
from everafter.record import dataclass, replace
from everafter.reduction.footprint import Footprint

_PROCESSES = Location("processes")
_SOME_CELL, _ANY_CELL = "some cell", "any cell"


@dataclass(frozen=True, slots=True)
class Summary:
    """A footprint, channels left aside, in the form in which it is compared."""

    asked: int
    given: int
    is_boundless: bool
    """Whether it sees where other processes are, or everything."""
    sees_processes: bool
    """Whether it asks or changes which processes there are, other than by ending."""
    starts_processes: bool
    ends_processes: bool

    def shares_variables(self, other: Summary) -> bool:
        """Whether one may write what the other reads or writes."""
        if self.is_boundless or other.is_boundless:
            return True
        return bool(self.asked & other.given or other.asked & self.given)

    def shares_processes(self, other: Summary) -> bool:
        """Whether one asks which processes there are while the other starts or ends one.

        That two processes end is not in this: the younger one must be the first.
        """
        if self.sees_processes and (other.starts_processes or other.ends_processes):
            return True
        return other.sees_processes and (self.starts_processes or self.ends_processes)


class Summaries:
    """Makes summaries that can be compared with each other."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._asked: dict[Location, int] = {}
        self._given: dict[Location, int] = {}
        self._known: dict[Footprint, Summary] = {}

    def of(self, footprint: Footprint) -> Summary:
        """The summary of a footprint."""
        found = self._known.get(footprint)
        if found is None:
            found = self._known[footprint] = self._summary(footprint)
        return found

    def _summary(self, footprint: Footprint) -> Summary:
        reads, writes = footprint.reads, footprint.writes
        asked = given = 0
        for item in writes:
            asked |= self._asks(item)
            given |= self._gives(item)
        for item in reads - writes:
            asked |= self._asks(item)
        return Summary(
            asked,
            given,
            is_boundless=any(item.space in ("everything", "control") for part in (reads, writes) for item in part),
            sees_processes=_PROCESSES in reads or _PROCESSES in writes,
            starts_processes=_PROCESSES in writes,
            ends_processes=bool(footprint.ends),
        )

    def _asks(self, item: Location) -> int:
        if item not in self._asked:
            self._asked[item] = self._bits(_asked(item))
        return self._asked[item]

    def _gives(self, item: Location) -> int:
        if item not in self._given:
            self._given[item] = self._bits(_given(item))
        return self._given[item]

    def _bits(self, keys: Iterable[Hashable]) -> int:
        return sum(1 << self._numbers.setdefault(key, len(self._numbers)) for key in keys)


def _asked(item: Location) -> tuple[Hashable, ...]:
    """Which writes of another process matter to one that accesses this."""
    match item.space:
        case "local":
            return (("remote", item.variable),)
        case "remote":
            return (("remote", item.variable), ("local", item.variable))
        case "passed":
            return ()  # where two processes are is a matter of each
        case "processes" | "channels" | "event":
            return ()  # looked at more closely
        case _:
            cells = (_SOME_CELL,) if item.cell is None else (item.cell, _ANY_CELL)
            return tuple((item.space, item.variable, cell) for cell in cells)


def _given(written: Location) -> tuple[Hashable, ...]:
    """What a write is to those who ask; what is local to both is not the same."""
    if written.space in ("local", "remote"):
        return ((written.space, written.variable),)
    if written.space == "passed":
        written = replace(written, space="place")
    cell = _ANY_CELL if written.cell is None else written.cell
    return ((written.space, written.variable, cell), (written.space, written.variable, _SOME_CELL))
