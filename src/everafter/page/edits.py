"""What differs between two states, so that a page can make the one from the other."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.execution.state import Channel, Process, State
from everafter.page.content import ChannelFrame, Edit, FrameView, ProcessFrame
from everafter.program.program import Program
from everafter.verdict.changes import channel_name


def frame_of(program: Program, state: State) -> FrameView:
    """Return `state` of `program` as a whole."""
    return FrameView(
        state.memory,
        tuple(map(_process, state.processes)),
        tuple(_channel(program, state, number) for number in range(1, len(state.channels) + 1)),
    )


def edits(program: Program, before: State, after: State) -> tuple[Edit, ...]:
    """Return what must be done to the state `before` of `program` to get the state `after`, in order.

    What they share is not looked into.
    """
    found: list[Edit] = []
    if before.memory is not after.memory:
        found += [("global", cell, value) for cell, value in _cells(before.memory, after.memory)]
    for number, (old, new) in enumerate(zip(before.processes, after.processes, strict=False)):
        if old is not new:
            found += _moved(number, old, new)
    found += [("end",) for _ in before.processes[len(after.processes) :]]
    found += [("start", _process(process)) for process in after.processes[len(before.processes) :]]
    if before.channels is not after.channels:
        found += _exchanged(program, before, after)
    return tuple(found)


def _process(process: Process) -> ProcessFrame:
    return ProcessFrame(process.proctype, process.node, process.memory)


def _channel(program: Program, state: State, number: int) -> ChannelFrame:
    channel = state.channels[number - 1]
    return ChannelFrame(channel_name(program, state, number), channel.type, channel.messages)


def _cells(old: tuple[int, ...], new: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for cell, (one, other) in enumerate(zip(old, new, strict=True)):
        if one != other:
            yield cell, other


def _moved(number: int, old: Process, new: Process) -> Iterator[Edit]:
    if old.node != new.node:
        yield "node", number, new.node
    if old.memory is not new.memory:
        for cell, value in _cells(old.memory, new.memory):
            yield "local", number, cell, value


def _exchanged(program: Program, before: State, after: State) -> Iterator[Edit]:
    pairs: zip[tuple[Channel, Channel]] = zip(before.channels, after.channels, strict=False)
    for number, (old, new) in enumerate(pairs):
        if old is not new and old.messages != new.messages:
            yield "messages", number, new.messages
    for _ in before.channels[len(after.channels) :]:
        yield ("close",)
    for number in range(len(before.channels), len(after.channels)):
        yield "open", _channel(program, after, number + 1)
