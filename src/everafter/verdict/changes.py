"""What a step changed, in words: `x = 3`, `q = [red, 2]`, `P(2) starts`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from operator import ne

from everafter.execution.state import Channel, State
from everafter.program.naming import numbered_name, value_name
from everafter.program.program import Program
from everafter.program.storage import Region
from everafter.promela.model import Type

Difference = tuple[str, Type | Channel | None, int]
"""What has another value: its name, its type or the channel as it is now, its value. Of a process that starts or that
is gone: its name, None, its number."""


def changes(program: Program, before: State, after: State) -> list[str]:
    """Return the differences between the states `before` and `after` of `program`, skipping what they share."""
    return [in_words(program, after, each) for each in differences(program, before, after)]


def differences(program: Program, before: State, after: State) -> Iterator[Difference]:
    """Yield the differences between the states `before` and `after` of `program`, skipping what they share."""
    if before.memory is not after.memory:
        yield from _differing(program.memory, before.memory, after.memory)
    for number, (old, new) in enumerate(zip(before.processes, after.processes, strict=False)):
        if old.memory is not new.memory and old.proctype == new.proctype:
            owner = process_name(program, after, number)
            yield from _differing(program.processes[new.proctype].memory, old.memory, new.memory, f"{owner}.")
    for number in range(len(before.processes), len(after.processes)):
        yield process_name(program, after, number), None, number
    for number in range(len(after.processes), len(before.processes)):
        yield process_name(program, before, number), None, number
    if before.channels is not after.channels:
        for number, (one, other) in enumerate(zip(before.channels, after.channels, strict=False), start=1):
            if one != other:
                yield channel_name(program, after, number), other, 0


def in_words(program: Program, after: State, difference: Difference) -> str:
    """Return a `difference` of a state of `program` to the next one, `after`, in words."""
    name, kind, value = difference
    if isinstance(kind, Channel):
        return f"{name} = {contents(program, kind)}"
    if kind is not None:
        return f"{name} = {value_name(program, kind, value)}"
    return f"{name} starts" if value < len(after.processes) else f"{name} is gone"


def process_name(program: Program, state: State, number: int) -> str:
    """Return the process `number` of `state` as reports name it, by `program`: `P(2)`."""
    return numbered_name(program, state.processes[number].proctype, number)


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


def _differing(
    region: Region, old: tuple[int, ...], new: tuple[int, ...], owner: str = ""
) -> Iterator[tuple[str, Type, int]]:
    for cell, value in compress(zip(region.cells, new, strict=True), map(ne, old, new)):
        yield owner + cell.name, cell.variable.type, value


def contents(program: Program, channel: Channel) -> str:
    """Return the messages in `channel` of `program`, oldest first: `[red, 2]`."""
    return f"[{', '.join(message_in_words(program, channel.type, message) for message in channel.messages)}]"


def message_in_words(program: Program, kind: int, message: tuple[int, ...]) -> str:
    """Return a `message` in a channel of `program` whose type has the number `kind`: `red` or `(red, 2)`."""
    names = [value_name(program, *each) for each in zip(program.channels[kind].fields, message, strict=True)]
    return names[0] if len(names) == 1 else f"({', '.join(names)})"
