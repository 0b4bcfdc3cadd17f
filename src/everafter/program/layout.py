"""The packed form of a state: every part in exactly the bits it needs.

A state is a header, the global cells, each process and each buffered channel, every part starting at a byte. The size
of a process is fixed by its proctype and that of a channel by its type, and both follow from what stands before them,
so the whole can be unpacked again. Hidden variables and the contents of rendezvous channels, which are empty between
steps, are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from everafter.program.memory import Region, Width
from everafter.program.program import Program
from everafter.promela.model import ChannelShape, Struct, Variable


@dataclass(frozen=True)
class Row:
    """Numbers of fixed widths, one behind the other, the first in the lowest bits."""

    widths: tuple[Width, ...]

    @cached_property
    def bits(self) -> int:
        """The bits of the whole row."""
        return sum(width.bits for width in self.widths)

    @cached_property
    def size(self) -> int:
        """The bytes of the whole row."""
        return (self.bits + 7) // 8

    def pack(self, values: Sequence[int]) -> bytes:
        """The values as bytes. A value that does not fit its width is an error of ours."""
        packed, position = 0, 0
        for value, width in zip(values, self.widths, strict=True):
            if width.store(value) != value:
                raise ValueError(f"{value} does not fit {width.bits} bits")
            packed |= (value & ((1 << width.bits) - 1)) << position
            position += width.bits
        return packed.to_bytes(self.size, "little")

    def unpack(self, data: bytes) -> tuple[int, ...]:
        """The values back from their bytes."""
        packed = int.from_bytes(data, "little")
        values: list[int] = []
        for width in self.widths:
            values.append(width.store(packed & ((1 << width.bits) - 1)))
            packed >>= width.bits
        return tuple(values)


@dataclass(frozen=True, slots=True)
class Layout:
    """The rows of a program's states."""

    header: Row
    memory: Row
    processes: tuple[Row, ...]
    channels: tuple[Row, ...]
    visible: tuple[int, ...]
    global_channels: tuple[int, ...]
    local_channels: tuple[tuple[int, ...], ...]
    """For each proctype, the types of the channels its processes create, in order."""


def layout_of(program: Program) -> Layout:
    """The layout of a program's states."""
    priority = [Width(8)] if program.model.uses_priority else []
    kinds = _bits_for(max(len(program.processes) - 1, 0))
    processes = tuple(
        Row((kinds, _bits_for(max(process.graph.nodes, default=0)), *priority, *_widths(process.memory)))
        for process in program.processes
    )
    channels = tuple(
        Row((_bits_for(kind.capacity), *(kind.widths * kind.capacity))) if kind.capacity else Row(())
        for kind in program.channels
    )
    visible = tuple(i for i, cell in enumerate(program.memory.cells) if not cell.hidden)
    return Layout(
        header=Row((Width(8), Width(9), Width(8), Width(16))),
        memory=Row(tuple(program.memory.cells[i].width for i in visible)),
        processes=processes,
        channels=channels,
        visible=visible,
        global_channels=tuple(_created(program, program.initial)),
        local_channels=tuple(tuple(_created(program, process.initial)) for process in program.processes),
    )


def _widths(region: Region) -> list[Width]:
    return [cell.width for cell in region.cells]


def _bits_for(largest: int) -> Width:
    return Width(max(largest.bit_length(), 1))


def _created(program: Program, variables: Iterable[Variable]) -> list[int]:
    found: list[int] = []
    for variable in variables:
        if isinstance(variable.type, Struct):
            found += _created(program, variable.type.fields) * variable.cells
        elif isinstance(variable.initial, ChannelShape):
            found += [program.channel_index[variable.initial]] * variable.cells
    return found
