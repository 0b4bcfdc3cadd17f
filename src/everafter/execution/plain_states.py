"""States as plain text, and back: the rows that go with a program in its plain form.

    (state HOLDER LAST MOMENT (GLOBAL...) ((PROCTYPE PLACE PRIORITY LOCAL...)...) ((DECLARATION (FIELD...)...)...))

verified/README.md says more. Two states are the same exactly if their texts are.
"""

from __future__ import annotations

from everafter.execution.state import NO_PROCESS, Channel, Process, State
from everafter.program.program import Program


class PlainStates:
    """Writes the states of one program."""

    def __init__(self, program: Program) -> None:
        self._hidden = frozenset(number for number, cell in enumerate(program.memory.cells) if cell.hidden)
        self._uses_priority = program.uses_priority
        self._is_rendezvous = [kind.capacity == 0 for kind in program.channels]
        self._has_trace = program.trace is not None
        self._processes: dict[Process, str] = {}

    def text(self, state: State) -> str:
        """Return `state` in the plain form."""
        holder = "none" if state.holder == NO_PROCESS else str(state.holder)
        cells = " ".join("0" if cell in self._hidden else str(value) for cell, value in enumerate(state.memory))
        processes = " ".join(map(self._process, state.processes))
        channels = " ".join(map(self._channel, state.channels))
        moment = state.event if self._has_trace else 1
        return f"(state {holder} {state.last} {moment} ({cells}) ({processes}) ({channels}))"

    def _process(self, process: Process) -> str:
        known = self._processes.get(process)
        if known is None:
            priority = process.priority if self._uses_priority else 1
            numbers = (process.proctype, process.node, priority, *process.memory)
            known = self._processes[process] = f"({' '.join(map(str, numbers))})"
        return known

    def _channel(self, channel: Channel) -> str:
        messages = () if self._is_rendezvous[channel.type] else channel.messages
        return f"({' '.join((str(channel.type), *(_numbers(message) for message in messages)))})"


def _numbers(values: tuple[int, ...]) -> str:
    return f"({' '.join(map(str, values))})"
