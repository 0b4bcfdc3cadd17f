"""The packed form of a state: a row of 64-bit words in which every number has its own whole bytes.

A row is a header of one word, the place of the trace if there is one, the global variables, the global channels, and
then each process followed by the channels it created; the rest of the last word is zero. The size of a process is fixed
by its proctype, which is its first byte, so the whole can be unpacked again, and compiled code finds every variable at
a fixed distance from the start of the row or of its process. Hidden variables and the contents of rendezvous channels,
which are empty between steps, are left out.

    byte 0      the colour of the state in a search; not part of the state
    byte 1      how many processes there are
    bytes 2, 3  how many words the row has
    byte 4      1 + the number of the process in the middle of an atomic sequence, or 0
    byte 5      the process that moved last, if the model asks
    bytes 6, 7  the state of the claim, in a product
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from everafter.program.program import ChannelType, ProcessType, Program
from everafter.program.storage import Width, width_of
from everafter.promela.model import Struct, Type, Variable
from everafter.record import dataclass
from everafter.source import EverafterError

WORD = 8
MOST_WORDS = 0xFFFF
"""The header has no room for a larger number of words."""
COUNT, LENGTH, HOLDER, LAST, CLAIM = 1, 2, 4, 5, 6
"""Where the numbers of the header are."""
_EVENT = Width(16)
_CODES = {(1, False): "B", (2, False): "H", (4, False): "I", (1, True): "b", (2, True): "h", (4, True): "i"}


class StateTooLargeError(EverafterError):
    """A state has more words than a row can have."""

    def __init__(self, size: int) -> None:
        super().__init__(f"a state takes {size >> 10:,} KiB, and there is room for {MOST_WORDS * WORD >> 10:,}")


def bytes_of(width: Width) -> int:
    """The bytes that a number of this width takes."""
    return 1 if width.bits <= 8 else 2 if width.bits <= 16 else 4


@dataclass(frozen=True)
class PackedRow:
    """Numbers of fixed widths, one behind the other."""

    widths: tuple[Width, ...]

    @cached_property
    def _format(self) -> struct.Struct:
        return struct.Struct("<" + "".join(_CODES[bytes_of(width), width.signed] for width in self.widths))

    @property
    def size(self) -> int:
        """The bytes of the whole row."""
        return self._format.size

    def pack(self, values: Sequence[int]) -> bytes:
        """The values as bytes. A value that does not fit its width is an error of ours."""
        for value, width in zip(values, self.widths, strict=True):
            if width.store(value) != value:
                raise ValueError(f"{value} does not fit {width.bits} bits")
        return self._format.pack(*values)

    def unpack(self, data: bytes) -> tuple[int, ...]:
        """The values back from their bytes."""
        return self._format.unpack(data)


@dataclass(frozen=True, slots=True)
class ProcessLayout:
    """The bytes of a process: its proctype, its place of control, its priority if that matters, its variables.

    Offsets count from the start of the process.
    """

    row: PackedRow
    offsets: Mapping[Variable, int]
    channels: tuple[tuple[int, int], ...]
    """The type and the offset of every channel that the process creates, in order."""
    size: int
    """All bytes, its channels included."""


@dataclass(frozen=True, slots=True)
class ChannelLayout:
    """The bytes of a channel: how many messages there are, then room for as many as it can hold."""

    row: PackedRow
    fields: tuple[int, ...]
    """Where each field is in a message."""
    message: int
    """The bytes of a message."""

    @property
    def size(self) -> int:
        """All bytes; none for a rendezvous."""
        return self.row.size


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is in a program's rows. Offsets of globals count from the start of the row."""

    event: int | None
    memory: PackedRow
    offsets: Mapping[Variable, int]
    """The global variables that distinguish states."""
    visible: tuple[int, ...]
    """The cells of the global memory that distinguish states."""
    global_channels: tuple[tuple[int, int], ...]
    """The type and the offset of every global channel, number 1 first."""
    first_process: int
    """Where the first process begins."""
    node: int
    """Where in a process its place of control is."""
    node_bytes: int
    priority: int | None
    """Where in a process its priority is."""
    processes: tuple[ProcessLayout, ...]
    channels: tuple[ChannelLayout, ...]
    count_bytes: int
    """The bytes for how many messages are in a channel, the same for all."""
    fields: Mapping[Variable, int]
    """Where each field of a structure is in it."""


def size_in_bytes(kind: Type | Variable) -> int:
    """The bytes that one value of a type, or one element of a variable, takes."""
    if isinstance(kind, Variable):
        return size_in_bytes(kind.type) if isinstance(kind.type, Struct) else bytes_of(width_of(kind))
    assert isinstance(kind, Struct)
    return sum(item.cells * size_in_bytes(item) for item in kind.fields)


def layout_of(program: Program) -> Layout:
    """The layout of a program's rows."""
    node = Width(16) if any(number > 255 for kind in program.processes for number in kind.graph.nodes) else Width(8)
    head = (Width(8), node, *([Width(8)] if program.uses_priority else []))
    count = Width(16) if any(kind.capacity > 255 for kind in program.channels) else Width(8)
    channels = tuple(_channel_layout(kind, count) for kind in program.channels)
    event = WORD if program.trace is not None else None
    start = WORD + (bytes_of(_EVENT) if event is not None else 0)
    cells = program.memory.cells
    offsets, end = _placed((name for name, cell in program.memory.offsets.items() if not cells[cell].hidden), start)
    global_channels, end = _placed_channels(program.created, channels, end)
    visible = tuple(i for i, cell in enumerate(cells) if not cell.hidden)
    return Layout(
        event=event,
        memory=PackedRow(tuple(cells[i].width for i in visible)),
        offsets=offsets,
        visible=visible,
        global_channels=global_channels,
        first_process=end,
        node=1,
        node_bytes=bytes_of(node),
        priority=1 + bytes_of(node) if program.uses_priority else None,
        processes=tuple(_process_layout(kind, head, channels) for kind in program.processes),
        channels=channels,
        count_bytes=bytes_of(count),
        fields=_field_offsets(program),
    )


def _process_layout(kind: ProcessType, head: tuple[Width, ...], channels: tuple[ChannelLayout, ...]) -> ProcessLayout:
    row = PackedRow((*head, *(cell.width for cell in kind.memory.cells)))
    offsets, end = _placed(kind.memory.offsets, PackedRow(head).size)
    created, size = _placed_channels(kind.created, channels, end)
    return ProcessLayout(row, offsets, created, size)


def _channel_layout(kind: ChannelType, count: Width) -> ChannelLayout:
    sizes = [bytes_of(width) for width in kind.widths]
    fields = tuple(sum(sizes[:position]) for position in range(len(sizes)))
    row = PackedRow((count, *(kind.widths * kind.capacity))) if kind.capacity else PackedRow(())
    return ChannelLayout(row, fields, sum(sizes))


def _placed(variables: Iterable[Variable], start: int) -> tuple[Mapping[Variable, int], int]:
    """Where each variable is if they stand one behind the other from `start`, and where they end."""
    offsets: dict[Variable, int] = {}
    for variable in variables:
        offsets[variable] = start
        start += variable.cells * size_in_bytes(variable)
    return MappingProxyType(offsets), start


def _placed_channels(
    created: tuple[int, ...], channels: tuple[ChannelLayout, ...], start: int
) -> tuple[tuple[tuple[int, int], ...], int]:
    """The type and offset of every channel created, one behind the other, and where they end."""
    placed: list[tuple[int, int]] = []
    for kind in created:
        placed.append((kind, start))
        start += channels[kind].size
    return tuple(placed), start


def _field_offsets(program: Program) -> Mapping[Variable, int]:
    offsets: dict[Variable, int] = {}
    for struct_type in program.model.structs.values():
        offsets |= _placed(struct_type.fields, 0)[0]
    return MappingProxyType(offsets)
