"""What the bytes of a row are called, for all rows with the same processes: entries of a trace in words."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from everafter.engine.emit.walk_trace import PLACES, RENAMING, SIZE_SHIFT
from everafter.engine.run.native_walk import TraceTable
from everafter.execution.packing import Packer
from everafter.execution.state import State
from everafter.program.layout import COUNT, MOST_WORDS, WORD, bytes_of
from everafter.program.storage import Cell, Width
from everafter.promela.model import Kind
from everafter.verdict.changes import Difference, channel_name, in_words, message_in_words, process_name

_EVENT_BYTES = 2
_MOST_MAPS = 32
MOST_KNOWN = 1 << 14
"""The most texts that are known at a time."""
_PROCESSES, _CHANNELS = 1 << SIZE_SHIFT, 2 << SIZE_SHIFT
"""What is said of processes follows what is said of cells, and then comes what is said of channels."""
_SIZES = (RENAMING >> SIZE_SHIFT) - 1

RowKind = tuple[tuple[int, ...], ...]
"""What all rows of a map have in common: their proctypes, and which variables hold which channels."""


class _RowLocal(NamedTuple):
    """A cell of a process."""

    process: int
    cell: Cell


class _RowChannel(NamedTuple):
    """A channel: its number, and its type."""

    channel: int
    kind: int


_What = Cell | _RowLocal | _RowChannel | None
"""What a part of a row is. None is what no text tells of."""


class _RowParts:
    """The parts of rows: first those `before`, then others one behind the other, of which each has its size."""

    def __init__(self, before: _RowParts | None, start: int, parts: Iterable[tuple[int, _What]]) -> None:
        self.whats: dict[int, _What] = dict(before.whats) if before is not None else {COUNT: None}
        """What they are, by their places."""
        self.numbers: array[int] = array("I", before.numbers if before is not None else (0,) * start)
        """For each byte, the number of its part."""
        self.names: array[int] = array(
            "Q", before.names if before is not None else (0, 0, COUNT | 1 << SIZE_SHIFT | RENAMING, 0)
        )
        """For each number, the name of the part, and 0."""
        if before is None:
            self.numbers[COUNT] = 1
        for size, what in parts:
            place = len(self.numbers)
            if what is None:
                self.numbers.extend((0,) * size)
            elif size:
                self.numbers.extend((len(self.names) // 2,) * size)
                self.names.extend((place | size << SIZE_SHIFT | (RENAMING if _holds_channel(what) else 0), 0))
                self.whats[place] = what

    @property
    def largest(self) -> int:
        """More bytes than an entry has in which all of them are."""
        return len(self.numbers) + WORD * len(self.names) + 2 * WORD


class RowMap:
    """The map of the rows of states like `state`, which have these `parts` and fewer than `longest` bytes."""

    def __init__(self, packer: Packer, state: State, parts: _RowParts, longest: int) -> None:
        self.program = packer.program
        self.state = state
        self.known: dict[bytes, tuple[str, str, str, str]] = {}
        """What is said of entries of the trace, once it is known."""
        self.movers: dict[bytes, tuple[str, str, str]] = {}
        """What is said of labels."""
        self._texts: dict[bytes, tuple[int, str]] = {}
        self._messages: dict[tuple[int, bytes], str] = {}
        self._layout = packer.layout
        self._whats = parts.whats
        numbers = parts.numbers + array("I", bytes(parts.numbers.itemsize * max(longest - len(parts.numbers), 0)))
        self.table = TraceTable(numbers, parts.names, parts.largest)

    def effects(self, entry: bytes, after: RowMap) -> list[str]:
        """Return what is changed by a step with the trace `entry`, behind which `after` is the map, in words.

        The order is that of `verdict.changes`.
        """
        known = self._texts if after is self else {}
        if len(known) > MOST_KNOWN:
            known.clear()
        told = []
        for part in _parts(entry):
            text = known.get(part)
            if text is None:
                text = known[part] = self._text(part, after.state)
            told.append(text)
        if after is not self:
            told += self._starts_and_ends(after.state)
        return [text for _, text in sorted(told) if text]

    def _text(self, part: bytes, after: State) -> tuple[int, str]:
        """What is said of a part that has changed, nothing if it is gone; and a number by which texts are in order."""
        name = int.from_bytes(part[:WORD], "little") & (RENAMING - 1)
        place, data = name & PLACES, part[WORD : WORD + (name >> SIZE_SHIFT)]
        program = self.program
        match self._whats[place]:
            case Cell() as cell:
                return place, in_words(program, after, _value(cell, data))
            case _RowLocal(process, cell) if process < len(after.processes):
                return place, in_words(program, after, _value(cell, data, f"{process_name(program, after, process)}."))
            case _RowChannel(channel, kind) if channel <= len(after.channels):
                return _CHANNELS + channel, f"{channel_name(program, after, channel)} = {self._contents(kind, data)}"
            case _:
                return 0, ""

    def _contents(self, kind: int, data: bytes) -> str:
        """The messages in the bytes of a channel, in words; those of each message are made once."""
        start, size = self._layout.count_bytes, self._layout.channels[kind].message
        end = start + size * int.from_bytes(data[:start], "little")
        messages = (data[place : place + size] for place in range(start, end, size))
        return f"[{', '.join(self._messages.get((kind, each)) or self._message(kind, each) for each in messages)}]"

    def _message(self, kind: int, data: bytes) -> str:
        if len(self._messages) > MOST_KNOWN:
            self._messages.clear()
        places, widths = self._layout.channels[kind].fields, self.program.channels[kind].widths
        values = (_number(data[at : at + bytes_of(width)], width) for at, width in zip(places, widths, strict=True))
        text = self._messages[kind, data] = message_in_words(self.program, kind, tuple(values))
        return text

    def _starts_and_ends(self, after: State) -> Iterator[tuple[int, str]]:
        """The processes that are not in one of the two states, likewise."""
        for state, other in ((after, self.state), (self.state, after)):
            for number in range(len(other.processes), len(state.processes)):
                name = process_name(self.program, state, number)
                yield _PROCESSES + number, in_words(self.program, after, (name, None, number))


class RowMaps:
    """All maps of the rows that `packer` packs, which have fewer than `longest` bytes."""

    def __init__(self, packer: Packer, longest: int) -> None:
        self._packer = packer
        layout, memory = packer.layout, packer.program.memory
        cells = [memory.cells[cell] for cell in layout.visible]
        start = WORD + (_EVENT_BYTES if layout.event is not None else 0)
        self._globals = _RowParts(None, start, ((bytes_of(cell.width), cell) for cell in cells))
        self._longest = min(longest, MOST_WORDS * WORD) + WORD
        self._maps: dict[RowKind, RowMap] = {}

    def of(self, state: State) -> RowMap:
        """Return the map of the row of `state`, which may be a view of a row that does not change."""
        kind = self._kind(state)
        known = self._maps.get(kind)
        if known is None:
            if len(self._maps) >= _MOST_MAPS:
                self._maps.clear()
            parts = _RowParts(self._globals, 0, _channels_and_processes(self._packer, state))
            known = self._maps[kind] = RowMap(self._packer, state, parts, self._longest)
        return known

    def _kind(self, state: State) -> RowKind:
        program = self._packer.program
        holding = [tuple(state.memory[cell] for cell in program.memory.channels)]
        for process in state.processes:
            holding.append(tuple(process.memory[cell] for cell in program.processes[process.proctype].memory.channels))
        return tuple(process.proctype for process in state.processes), *holding


def _channels_and_processes(packer: Packer, state: State) -> Iterator[tuple[int, _What]]:
    """What is behind the global cells in the row of `state`."""
    layout = packer.layout
    number = 0
    for kind, _ in layout.global_channels:
        number += 1
        yield layout.channels[kind].size, _RowChannel(number, kind)
    for process, its in enumerate(state.processes):
        parts, cells = layout.processes[its.proctype], packer.program.processes[its.proctype].memory.cells
        yield parts.row.size - sum(bytes_of(cell.width) for cell in cells), None
        for cell in cells:
            yield bytes_of(cell.width), _RowLocal(process, cell)
        for kind, _ in parts.channels:
            number += 1
            yield layout.channels[kind].size, _RowChannel(number, kind)


def _holds_channel(what: _What) -> bool:
    cell = what.cell if isinstance(what, _RowLocal) else what
    return isinstance(cell, Cell) and getattr(cell.variable.type, "kind", None) is Kind.CHAN


def _value(cell: Cell, data: bytes, owner: str = "") -> Difference:
    """That the bytes of a cell are `data` now."""
    return owner + cell.name, cell.variable.type, _number(data, cell.width)


def _number(data: bytes, width: Width) -> int:
    return int.from_bytes(data, "little", signed=width.signed)


def _parts(entry: bytes) -> Iterator[bytes]:
    """The parts in an entry, which is without its size: each with its name and its bytes."""
    at = WORD  # behind the label
    while at < len(entry):
        size = int.from_bytes(entry[at : at + WORD], "little") >> SIZE_SHIFT & _SIZES
        behind = at + WORD + -(-size // WORD) * WORD
        yield entry[at:behind]
        at = behind
