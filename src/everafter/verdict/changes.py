"""What a step changed, in words: `x = 3`, `q = [red, 2]`, `P(2) starts`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from operator import ne

from everafter.execution.state import Channel, Process, State
from everafter.program.naming import proctype_name, value_name
from everafter.program.program import Program
from everafter.program.storage import Region


def changes(program: Program, before: State, after: State) -> list[str]:
    """Return the differences between the states `before` and `after` of `program`, skipping what they share."""
    found: list[str] = []
    if before.memory is not after.memory:
        found += _differing(program, program.memory, before.memory, after.memory)
    for number, (old, new) in enumerate(zip(before.processes, after.processes, strict=False)):
        if old.memory is not new.memory:
            found += [f"{process_name(program, after, number)}.{text}" for text in _local(program, old, new)]
    for number in range(len(before.processes), len(after.processes)):
        found.append(f"{process_name(program, after, number)} starts")
    for number in range(len(after.processes), len(before.processes)):
        found.append(f"{process_name(program, before, number)} is gone")
    if before.channels is not after.channels:
        for number, (one, other) in enumerate(zip(before.channels, after.channels, strict=False), start=1):
            if one != other:
                found.append(f"{channel_name(program, after, number)} = {contents(program, other)}")
    return found


def process_name(program: Program, state: State, number: int) -> str:
    """Return the process `number` of `state` as reports name it, by `program`: `P(2)`."""
    return f"{proctype_name(program, state.processes[number].proctype)}({number})"


def channel_name(program: Program, state: State, number: int) -> str:
    """Return the name of a variable of `program` that holds the channel `number` in `state`, or its number."""
    for name in _holding(program.memory, state.memory, number):
        return name
    for position, process in enumerate(state.processes):
        for name in _holding(program.processes[process.proctype].memory, process.memory, number):
            return f"{process_name(program, state, position)}.{name}"
    return f"channel {number}"


def _holding(region: Region, memory: tuple[int, ...], number: int) -> Iterator[str]:
    for cell in region.channels:
        if memory[cell] == number:
            yield region.cells[cell].name


def _local(program: Program, old: Process, new: Process) -> Iterator[str]:
    if old.proctype == new.proctype:
        yield from _differing(program, program.processes[new.proctype].memory, old.memory, new.memory)


def _differing(program: Program, region: Region, old: tuple[int, ...], new: tuple[int, ...]) -> Iterator[str]:
    for cell, value in compress(zip(region.cells, new, strict=True), map(ne, old, new)):
        yield f"{cell.name} = {value_name(program, cell.variable.type, value)}"


def contents(program: Program, channel: Channel) -> str:
    """Return the messages in `channel` of `program`, oldest first: `[red, 2]`."""
    fields = program.channels[channel.type].fields
    messages = []
    for message in channel.messages:
        names = [value_name(program, field, value) for field, value in zip(fields, message, strict=True)]
        messages.append(names[0] if len(names) == 1 else f"({', '.join(names)})")
    return f"[{', '.join(messages)}]"
