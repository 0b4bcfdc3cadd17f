"""States to bytes and back. Two states are the same exactly if their bytes are."""

from __future__ import annotations

from everafter.execution.state import Channel, Process, State
from everafter.program.layout import Layout, layout_of
from everafter.program.program import Program


class Packer:
    """Packs the states of one program.

    Most parts of a state are those of other states too: parts seen before are not packed or unpacked again.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout: Layout = layout_of(program)
        self._packed: dict[object, bytes] = {}
        self._memories: dict[bytes, tuple[int, ...]] = {}
        self._processes: dict[bytes, Process] = {}
        self._channels: dict[tuple[int, bytes], Channel] = {}

    def pack(self, state: State) -> bytes:
        """The bytes of a state."""
        layout = self.layout
        parts = [
            layout.header.pack((len(state.processes), state.holder + 1, state.last, state.event)),
            self._memory(state.memory),
        ]
        parts += [self._process(process) for process in state.processes]
        parts += [self._channel(channel) for channel in state.channels]
        return b"".join(parts)

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
            packed = self.layout.processes[process.proctype].pack(self._process_values(process))
            self._packed[key] = packed
        return packed

    def _process_values(self, process: Process) -> tuple[int, ...]:
        if self.program.model.uses_priority:
            return (process.proctype, process.node, process.priority, *process.memory)
        return (process.proctype, process.node, *process.memory)

    def _channel(self, channel: Channel) -> bytes:
        key = ("channel", channel)
        packed = self._packed.get(key)
        if packed is None:
            kind = self.program.channels[channel.type]
            row = self.layout.channels[channel.type]
            fields = [field for message in channel.messages for field in message]
            fields += [0] * (kind.capacity * len(kind.widths) - len(fields))
            packed = row.pack([len(channel.messages), *fields]) if kind.capacity else b""
            self._packed[key] = packed
        return packed

    def unpack(self, data: bytes) -> State:
        """The state back from its bytes; hidden variables are 0."""
        layout = self.layout
        position = layout.header.size
        count, holder, last, event = layout.header.unpack(data[:position])
        memory = self._unpack_memory(data[position : position + layout.memory.size])
        position += layout.memory.size
        processes: list[Process] = []
        types = list(layout.global_channels)
        for _ in range(count):
            size = layout.processes[self._proctype(data, position)].size
            process = self._unpack_process(data[position : position + size])
            processes.append(process)
            types += layout.local_channels[process.proctype]
            position += size
        channels: list[Channel] = []
        for kind in types:
            size = layout.channels[kind].size
            channels.append(self._unpack_channel(kind, data[position : position + size]))
            position += size
        return State(memory, tuple(processes), tuple(channels), holder - 1, last, event)

    def _unpack_memory(self, data: bytes) -> tuple[int, ...]:
        memory = self._memories.get(data)
        if memory is None:
            cells = [0] * len(self.program.memory.cells)
            for cell, value in zip(self.layout.visible, self.layout.memory.unpack(data), strict=True):
                cells[cell] = value
            memory = self._memories[data] = tuple(cells)
        return memory

    def _proctype(self, data: bytes, position: int) -> int:
        bits = self.layout.processes[0].widths[0].bits
        return int.from_bytes(data[position : position + (bits + 7) // 8], "little") & ((1 << bits) - 1)

    def _unpack_process(self, data: bytes) -> Process:
        process = self._processes.get(data)
        if process is None:
            proctype = self._proctype(data, 0)
            values = self.layout.processes[proctype].unpack(data)
            if self.program.model.uses_priority:
                process = Process(proctype, values[1], values[3:], values[2])
            else:
                process = Process(proctype, values[1], values[2:], 1)
            self._processes[data] = process
        return process

    def _unpack_channel(self, kind: int, data: bytes) -> Channel:
        channel = self._channels.get((kind, data))
        if channel is None:
            fields = len(self.program.channels[kind].widths)
            length, *cells = self.layout.channels[kind].unpack(data) or (0,)
            messages = tuple(tuple(cells[i * fields : (i + 1) * fields]) for i in range(length))
            channel = self._channels[kind, data] = Channel(kind, messages)
        return channel
