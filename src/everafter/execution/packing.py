"""States to bytes and back. Two states are the same exactly if their bytes are."""

from __future__ import annotations

import struct

from everafter.execution.state import Channel, Process, State
from everafter.program.layout import MOST_WORDS, WORD, Layout, StateTooLargeError, layout_of
from everafter.program.program import Program

_HEADER = struct.Struct("<BBHBBH")
_EVENT = struct.Struct("<H")
_REMEMBERED = 1 << 16


class Packer:
    """Packs the states of one program.

    Most parts of a state are those of other states too: parts seen lately are not packed or unpacked again.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout: Layout = layout_of(program)
        self._packed: dict[object, bytes] = {}
        self._memories: dict[bytes, tuple[int, ...]] = {}
        self._processes: dict[bytes, Process] = {}
        self._channels: dict[tuple[int, bytes], Channel] = {}

    def pack(self, state: State, claim: int = 0) -> bytes:
        """The row of a state, in a product also of a state of the claim. Its colour is 0. Raises StateTooLargeError."""
        if len(self._packed) > _REMEMBERED:
            self._packed.clear()
        layout = self.layout
        parts = [_EVENT.pack(state.event)] if layout.event is not None else []
        parts.append(self._memory(state.memory))
        channels = iter(state.channels)
        parts += [self._channel(next(channels)) for _ in layout.global_channels]
        for process in state.processes:
            parts.append(self._process(process))
            created = layout.processes[process.proctype].channels
            parts += [self._channel(next(channels)) for _ in created]
        body = b"".join(parts)
        words = (WORD + len(body) + WORD - 1) // WORD
        if words > MOST_WORDS:
            raise StateTooLargeError(len(body))
        head = _HEADER.pack(0, len(state.processes), words, state.holder + 1, state.last, claim)
        return (head + body).ljust(words * WORD, b"\0")

    def _memory(self, memory: tuple[int, ...]) -> bytes:
        packed = self._packed.get(memory)
        if packed is None:
            packed = self.layout.memory.pack([memory[cell] for cell in self.layout.visible])
            self._packed[memory] = packed
        return packed

    def _process(self, process: Process) -> bytes:
        key = ("process", process)
        packed = self._packed.get(key)
        if packed is None:
            packed = self.layout.processes[process.proctype].row.pack(self._process_values(process))
            self._packed[key] = packed
        return packed

    def _process_values(self, process: Process) -> tuple[int, ...]:
        if self.program.uses_priority:
            return (process.proctype, process.node, process.priority, *process.memory)
        return (process.proctype, process.node, *process.memory)

    def _channel(self, channel: Channel) -> bytes:
        key = ("channel", channel)
        packed = self._packed.get(key)
        if packed is None:
            kind = self.program.channels[channel.type]
            row = self.layout.channels[channel.type].row
            fields = [field for message in channel.messages for field in message]
            fields += [0] * (kind.capacity * len(kind.widths) - len(fields))
            packed = row.pack([len(channel.messages), *fields]) if kind.capacity else b""
            self._packed[key] = packed
        return packed

    def unpack(self, data: bytes) -> State:
        """The state back from its row; hidden variables are 0."""
        for known in (self._memories, self._processes, self._channels):
            if len(known) > _REMEMBERED:
                known.clear()
        layout = self.layout
        _, count, _, holder, last, _ = _HEADER.unpack_from(data)
        event = _EVENT.unpack_from(data, layout.event)[0] if layout.event is not None else 0
        start = WORD + (_EVENT.size if layout.event is not None else 0)
        memory = self._unpack_memory(data[start : start + layout.memory.size])
        channels = [self._unpack_channel(kind, data, offset) for kind, offset in layout.global_channels]
        processes: list[Process] = []
        position = layout.first_process
        for _ in range(count):
            kind = layout.processes[data[position]]
            processes.append(self._unpack_process(data[position : position + kind.row.size]))
            channels += [self._unpack_channel(channel, data, position + offset) for channel, offset in kind.channels]
            position += kind.size
        return State(memory, tuple(processes), tuple(channels), holder - 1, last, event)

    def _unpack_memory(self, data: bytes) -> tuple[int, ...]:
        memory = self._memories.get(data)
        if memory is None:
            cells = [0] * len(self.program.memory.cells)
            for cell, value in zip(self.layout.visible, self.layout.memory.unpack(data), strict=True):
                cells[cell] = value
            memory = self._memories[data] = tuple(cells)
        return memory

    def _unpack_process(self, data: bytes) -> Process:
        process = self._processes.get(data)
        if process is None:
            proctype = data[0]
            values = self.layout.processes[proctype].row.unpack(data)
            if self.program.uses_priority:
                process = Process(proctype, values[1], values[3:], values[2])
            else:
                process = Process(proctype, values[1], values[2:], 1)
            self._processes[data] = process
        return process

    def _unpack_channel(self, kind: int, row: bytes, offset: int) -> Channel:
        layout = self.layout.channels[kind]
        data = row[offset : offset + layout.size]
        channel = self._channels.get((kind, data))
        if channel is None:
            fields = len(layout.fields)
            length, *cells = layout.row.unpack(data) or (0,)
            messages = tuple(tuple(cells[i * fields : (i + 1) * fields]) for i in range(length))
            channel = self._channels[kind, data] = Channel(kind, messages)
        return channel
