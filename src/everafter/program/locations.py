"""Parts of the state, and operations on channels: what accesses are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from everafter.promela.model import Variable
from everafter.record import dataclass, replace

Space = Literal[
    "global",
    "local",
    "remote",
    "place",
    "passed",
    "control",
    "processes",
    "channels",
    "promises",
    "priority",
    "last",
    "event",
    "timeout",
    "everything",
]
Operation = Literal["send", "insert", "receive", "pick", "copy", "poll", "offer", "length"]
"""`insert` is a sorted send, `pick` a receive of the first message that matches; `poll` asks whether there is something
to receive, and `offer` whether something could be sent, for which a rendezvous needs a process that receives."""
SENDING: frozenset[Operation] = frozenset({"send", "insert"})
"""The operations that put something into a channel."""
RECEIVING: frozenset[Operation] = frozenset({"receive", "pick"})
"""Those that take something out."""
CHANGING = SENDING | RECEIVING
"""Those that change what is in a channel."""
_OFFERING = SENDING | {"offer"}


@dataclass(frozen=True, slots=True)
class Location:
    """A part of the state.

    `global`, `local` and `remote` (of another process) name a variable, and its cell of the memory if the text says
    which; otherwise any cell of the variable is meant. `place` is whether another process is at a place of control, and
    `passed` that the process itself comes to it or leaves it; their cells are `PlaceNumbers`. The other spaces are
    parts of their own: `control`, where other processes are; `processes`, how many and which there are; `channels`,
    which channels there are; `promises`, who claims a channel by `xr` or `xs`; `priority`; `last`, who moved; `event`,
    where the trace assertion is; `timeout`, whether no process can move; `everything`, the whole state.
    """

    space: Space
    variable: Variable | None = None
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class ChannelAccess:
    """An operation on a channel: on the one that a variable always names, or on any if `channel` is None.

    The variable is a global one, or one of the process itself.
    """

    operation: Operation
    channel: Location | None


@dataclass(frozen=True, slots=True)
class Accesses:
    """What a transition reads and writes, and which channels it works on."""

    reads: frozenset[Location] = frozenset()
    writes: frozenset[Location] = frozenset()
    channels: frozenset[ChannelAccess] = frozenset()

    def __or__(self, other: Accesses) -> Accesses:
        return Accesses(self.reads | other.reads, self.writes | other.writes, self.channels | other.channels)

    def only_reading(self) -> Accesses:
        """The same, for one that asks whether this could be done: operations on channels become questions."""
        asked = frozenset(
            ChannelAccess("offer" if access.operation in _OFFERING else "poll", access.channel)
            for access in self.channels
        )
        return Accesses(self.reads, frozenset(), asked)

    def seen_from_outside(self) -> Accesses:
        """The same, for another process: what is local here is remote there."""
        channels = frozenset(
            ChannelAccess(item.operation, None) if item.channel is not None and item.channel.space == "local" else item
            for item in self.channels
        )
        return Accesses(_from_outside(self.reads), _from_outside(self.writes), channels)


NOTHING = Accesses()


def union(parts: Iterable[Accesses]) -> Accesses:
    """Everything that some part accesses."""
    result = NOTHING
    for part in parts:
        result |= part
    return result


def _from_outside(locations: frozenset[Location]) -> frozenset[Location]:
    return frozenset(replace(item, space="remote") if item.space == "local" else item for item in locations)


def may_be_same(mine: Location | None, theirs: Location | None) -> bool:
    """Return whether the variables `mine` and `theirs`, None for any, may name the same channel.

    A local variable may name any channel; two global ones name the same only if they have a cell in common.
    """
    if mine is None or theirs is None or "local" in (mine.space, theirs.space):
        return True
    return overlap(mine, theirs)


def overlap(one: Location, other: Location) -> bool:
    """Return whether `one` and `other`, locations of the same process, or of none, have a cell in common."""
    if one.space != other.space or one.variable is not other.variable:
        return False
    return one.cell is None or other.cell is None or one.cell == other.cell
