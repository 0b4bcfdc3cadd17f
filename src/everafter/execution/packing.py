"""States to bytes and back. Two states are the same exactly if their bytes are, what is erased left aside."""

from __future__ import annotations

import struct
from typing import Any, Protocol, TypeVar

from everafter.execution.state import Channel, Process, State
from everafter.program.erasure import NOWHERE, CellSet, cells_in
from everafter.program.layout import MOST_WORDS, WORD, Layout, StateTooLargeError, layout_of
from everafter.program.program import Program

_HEADER = struct.Struct("<BBHBBH")
_EVENT = struct.Struct("<H")
_REMEMBERED = 1 << 16


class RowBytes(Protocol):
    """The bytes of a row: of a copy, or where the row is."""

    def __getitem__(self, place: Any, /) -> Any:
        """Return the byte at an index, or the bytes of a slice, `place`."""


class Packer:
    """Packs the states of one program.

    Most parts of a state are those of other states too: parts seen lately are not packed or unpacked again.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout: Layout = layout_of(program)
        self._erased = program.erased
        self._symmetry = program.symmetry
        self._owners = [kind for kind, cells in enumerate(self._erased.owned) if cells] if self._erased else []
        self._packed_memories: dict[tuple[int, ...], bytes] = {}
        self._packed_processes: dict[Process, bytes] = {}
        self._packed_channels: dict[Channel, bytes] = {}
        self._memories: dict[bytes, tuple[int, ...]] = {}
        self._processes: dict[bytes, Process] = {}
        self._channels: dict[tuple[int, bytes], Channel] = {}
        self._process_sizes = [kind.row.size for kind in self.layout.processes]
        self._channel_sizes = [kind.size for kind in self.layout.channels]

    def pack(self, state: State, claim: int = 0) -> bytes:
        """Return the row of `state`, in a product also of the state `claim` of the claim. Its colour is 0.

        Of a symmetric program it is that of the state that stands for all that differ by exchanges of processes.

        Raises StateTooLargeError.
        """
        layout = self.layout
        parts = [_EVENT.pack(state.event)] if layout.event is not None else []
        cells = state.memory if self._erased is None else self._left(state)
        memory = self._packed_memories.get(cells)
        parts.append(self._pack_memory(cells) if memory is None else memory)
        channels = iter(state.channels)
        parts += [self._pack_channel(channel) for _, channel in zip(layout.global_channels, channels, strict=False)]
        for process in state.processes:
            packed = self._packed_processes.get(process)
            parts.append(self._pack_process(process) if packed is None else packed)
            created = layout.processes[process.proctype].channels
            parts += [self._pack_channel(channel) for _, channel in zip(created, channels, strict=False)]
        body = b"".join(parts)
        words = (WORD + len(body) + WORD - 1) // WORD
        if words > MOST_WORDS:
            raise StateTooLargeError(len(body))
        head = _HEADER.pack(0, len(state.processes), words, state.holder + 1, state.last, claim)
        row = (head + body).ljust(words * WORD, b"\0")
        return row if self._symmetry is None else self._symmetry.representative(row)

    def _left(self, state: State) -> tuple[int, ...]:
        """The global cells, with zero for those that are erased."""
        assert self._erased is not None
        erased = self._erased.unread
        if self._owners:
            places = {process.proctype: process.node for process in state.processes}
            for proctype in self._owners:
                erased |= self._erased.at(proctype, places.get(proctype, NOWHERE)).owned
        return _without(state.memory, erased)

    def _pack_memory(self, memory: tuple[int, ...]) -> bytes:
        packed = self.layout.memory.pack([memory[cell] for cell in self.layout.visible])
        return _remember(self._packed_memories, memory, packed)

    def _pack_process(self, process: Process) -> bytes:
        packed = self.layout.processes[process.proctype].row.pack(self._process_values(process))
        return _remember(self._packed_processes, process, packed)

    def _process_values(self, process: Process) -> tuple[int, ...]:
        memory = process.memory
        if self._erased is not None:
            memory = _without(memory, self._erased.at(process.proctype, process.node).local)
        if self.program.uses_priority:
            return (process.proctype, process.node, process.priority, *memory)
        return (process.proctype, process.node, *memory)

    def _pack_channel(self, channel: Channel) -> bytes:
        packed = self._packed_channels.get(channel)
        if packed is None:
            kind = self.program.channels[channel.type]
            zeros = self._erased.fields[channel.type] if self._erased is not None else 0
            messages = [_without(message, zeros) for message in channel.messages]
            fields = [field for message in messages for field in message]
            fields += [0] * (kind.capacity * len(kind.widths) - len(fields))
            row = self.layout.channels[channel.type].row
            packed = row.pack([len(channel.messages), *fields]) if kind.capacity else b""
            _remember(self._packed_channels, channel, packed)
        return packed

    def unpack(self, data: RowBytes) -> State:
        """The state back from its row; hidden variables, and what is erased, are 0."""
        layout = self.layout
        _, count, _, holder, last, _ = _HEADER.unpack(data[:WORD])
        start = WORD + (_EVENT.size if layout.event is not None else 0)
        event = _EVENT.unpack(data[WORD:start])[0] if layout.event is not None else 0
        memory = self._memory(data, start)
        channels = [self._channel(kind, data, offset) for kind, offset in layout.global_channels]
        processes: list[Process] = []
        position = layout.first_process
        for _ in range(count):
            proctype = data[position]
            part = data[position : position + self._process_sizes[proctype]]
            processes.append(self._processes.get(part) or self._unpack_process(part))
            kind = layout.processes[proctype]
            if kind.channels:
                channels += [self._channel(channel, data, position + offset) for channel, offset in kind.channels]
            position += kind.size
        return State(memory, tuple(processes), tuple(channels), holder - 1, last, event)

    def _memory(self, data: RowBytes, start: int) -> tuple[int, ...]:
        """The global cells of a row, of which the first byte is at `start`."""
        part = data[start : start + self.layout.memory.size]
        return self._memories.get(part) or self._unpack_memory(part)

    def _unpack_memory(self, data: bytes) -> tuple[int, ...]:
        cells = [0] * len(self.program.memory.cells)
        for cell, value in zip(self.layout.visible, self.layout.memory.unpack(data), strict=True):
            cells[cell] = value
        return _remember(self._memories, data, tuple(cells))

    def _unpack_process(self, data: bytes) -> Process:
        proctype = data[0]
        values = self.layout.processes[proctype].row.unpack(data)
        if self.program.uses_priority:
            return _remember(self._processes, data, Process(proctype, values[1], values[3:], values[2]))
        return _remember(self._processes, data, Process(proctype, values[1], values[2:], 1))

    def _channel(self, kind: int, row: RowBytes, offset: int) -> Channel:
        data = row[offset : offset + self._channel_sizes[kind]]
        return self._channels.get((kind, data)) or self._unpack_channel(kind, data)

    def _unpack_channel(self, kind: int, data: bytes) -> Channel:
        layout = self.layout.channels[kind]
        fields = len(layout.fields)
        length, *cells = layout.row.unpack(data) or (0,)
        messages = tuple(tuple(cells[i * fields : (i + 1) * fields]) for i in range(length))
        return _remember(self._channels, (kind, data), Channel(kind, messages))


def _without(memory: tuple[int, ...], erased: CellSet) -> tuple[int, ...]:
    """The memory, or message, with zero for these cells, or fields."""
    if not erased:
        return memory
    cells = list(memory)
    for cell in cells_in(erased):
        cells[cell] = 0
    return tuple(cells)


_K = TypeVar("_K")
_V = TypeVar("_V")


def _remember(known: dict[_K, _V], key: _K, value: _V) -> _V:
    """The value, from now on known; what was known is forgotten from time to time."""
    if len(known) > _REMEMBERED:
        known.clear()
    known[key] = value
    return value
