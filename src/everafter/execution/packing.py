"""States to bytes and back. Two states are the same exactly if their bytes are."""

from __future__ import annotations

from everafter.execution.state import Channel, Process, State
from everafter.program.layout import Layout, layout_of
from everafter.program.program import Program


class Packer:
    """Packs the states of one program. Parts seen before are not packed again, since most parts of a state stay."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout: Layout = layout_of(program)
        self._packed: dict[object, bytes] = {}

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
        visible = layout.memory.unpack(data[position : position + layout.memory.size])
        position += layout.memory.size
        memory = [0] * len(self.program.memory.cells)
        for cell, value in zip(layout.visible, visible, strict=True):
            memory[cell] = value
        processes: list[Process] = []
        types = list(layout.global_channels)
        for _ in range(count):
            process, size = self._unpack_process(data[position:])
            processes.append(process)
            types += layout.local_channels[process.proctype]
            position += size
        channels: list[Channel] = []
        for kind in types:
            size = layout.channels[kind].size
            channels.append(self._unpack_channel(kind, data[position : position + size]))
            position += size
        return State(tuple(memory), tuple(processes), tuple(channels), holder - 1, last, event)

    def _unpack_process(self, data: bytes) -> tuple[Process, int]:
        kind_bits = self.layout.processes[0].widths[0].bits
        proctype = int.from_bytes(data[: (kind_bits + 7) // 8], "little") & ((1 << kind_bits) - 1)
        row = self.layout.processes[proctype]
        values = row.unpack(data[: row.size])
        if self.program.model.uses_priority:
            return Process(proctype, values[1], values[3:], values[2]), row.size
        return Process(proctype, values[1], values[2:], 1), row.size

    def _unpack_channel(self, kind: int, data: bytes) -> Channel:
        fields = len(self.program.channels[kind].widths)
        values = self.layout.channels[kind].unpack(data)
        if not values:
            return Channel(kind, ())
        length, cells = values[0], values[1:]
        return Channel(kind, tuple(cells[i * fields : (i + 1) * fields] for i in range(length)))
