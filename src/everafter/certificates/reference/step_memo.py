"""The steps from rows, most of them remembered: the interpreter says what they are, and need not say it again.

What a process can do depends on its own bytes, on those of the variables and channels that its statements name
(`reads.py`), and on the header; a rendezvous also on the bytes of the process that answers, and on what that one names.
What comes of it is a change of some of these bytes. So the interpreter is called once for each content of these bytes,
and the change is then made in every row that has the same.

A row is a number here, its first byte the lowest. Where the state of a claim stands, it has zeros.
"""

from __future__ import annotations

from typing import Final

from everafter.certificates.reference.reads import Reads, read_set_from
from everafter.execution.packing import Packer
from everafter.execution.perform import actor_of, value_of
from everafter.execution.state import RuntimeProblem, State
from everafter.execution.step import steps_of
from everafter.program.layout import COUNT, HOLDER, Layout, size_in_bytes
from everafter.program.program import Program
from everafter.promela.model import Variable

Change = tuple[int, int]
"""What of a row stays, and what is added to it."""
Known = dict[int, tuple[Change, ...]]
EVERYTHING: Final = -1
"""The bytes that matter where more may matter than is known: nothing is remembered then."""
_ALONE, _WITH_ANYBODY = -1, -2
_MOST_REMEMBERED: Final = 1 << 20


def bits_of(begin: int, size: int) -> int:
    """Return the bits of `size` bytes, from byte `begin` on."""
    return ((1 << 8 * size) - 1) << 8 * begin


HEADER: Final = bits_of(1, 5)
"""All of the header but the colour and the state of the claim."""


class RowShape:
    """Where the parts of a row are that has processes of these proctypes."""

    def __init__(self, program: Program, layout: Layout, proctypes: tuple[int, ...]) -> None:
        self.proctypes = proctypes
        self.parts: list[tuple[int, int, int, dict[bytes, ControlPlace]]] = []
        """Of each process: its number, where it begins and ends, and what is known of it by its bytes."""
        self.created: list[int] = []
        """The bits of the channels that each process has created."""
        self.channels: list[tuple[int, bool]] = []
        """The bits of each channel, number 1 first, and whether it is a rendezvous."""
        self.nodes = 0
        """The bits of all proctypes and places of control."""
        self._add(program, layout, layout.global_channels, 0)
        position = layout.first_process
        for number, proctype in enumerate(proctypes):
            kind = layout.processes[proctype]
            self.parts.append((number, position, position + kind.row.size, {}))
            self.nodes |= bits_of(position, layout.node + layout.node_bytes)
            self.created.append(self._add(program, layout, kind.channels, position))
            position += kind.size
        self.processes = bits_of(layout.first_process, position - layout.first_process)
        self.every_channel = sum(bits for bits, _ in self.channels)

    def _add(self, program: Program, layout: Layout, placed: tuple[tuple[int, int], ...], begin: int) -> int:
        added = [(bits_of(begin + offset, layout.channels[kind].size), kind) for kind, offset in placed]
        self.channels += [(bits, program.channels[kind].capacity == 0) for bits, kind in added]
        return sum(bits for bits, _ in added)


class ControlPlace:
    """A process with certain bytes, in rows of one shape; or two of them, the first of which sends to the second."""

    __slots__ = ("changed", "mask", "meetings", "number", "partner", "read_sets", "seen")

    def __init__(
        self, number: int, partner: int, read_sets: tuple[tuple[int, Reads], ...], mask: int, changed: int
    ) -> None:
        self.number = number
        self.partner = partner
        """The number of the process that answers, or that none does, or that any may."""
        self.read_sets = read_sets
        """What the statements of each name; empty if more matters."""
        self.mask = mask
        """The bits of the variables among that, and of the header."""
        self.changed = changed
        """The bits of the processes themselves."""
        self.seen: dict[int, tuple[int, Known]] = {}
        """By these: the bits of the channels that matter, and what can be done, by these bits."""
        self.meetings: dict[tuple[int, bytes], ControlPlace] | None = None
        """The same with each partner, by the bytes of that one; None where no partner needs to answer."""


class Remembered:
    """The steps of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._packer = Packer(program)
        self._layout = self._packer.layout
        self._shapes: dict[tuple[int, ...], RowShape] = {}
        self._read_sets: dict[tuple[int, int], Reads] = {}
        self._last: tuple[bytes, State] = (b"", State((), (), ()))
        self._remembered = 0
        self._is_watched = program.trace is not None or any(kind.declaration.exclusive for kind in program.processes)
        self._meets = any(kind.capacity == 0 for kind in program.channels)

    def shape(self, row: bytes) -> RowShape:
        """The shape of a row. Raises IndexError if it has none."""
        position, proctypes = self._layout.first_process, []
        for _ in range(row[COUNT]):
            proctypes.append(row[position])
            position += self._layout.processes[row[position]].size
        key = tuple(proctypes)
        shape = self._shapes.get(key)
        if shape is None:
            shape = self._shapes[key] = RowShape(self._program, self._layout, key)
        return shape

    def state(self, row: bytes) -> State:
        """The state of a row; the last one is not unpacked again."""
        if row is not self._last[0]:
            self._last = row, self._packer.unpack(row)
        return self._last[1]

    def variables(self, named: frozenset[Variable]) -> int:
        """The bits of global variables."""
        offsets = self._layout.offsets
        return sum(bits_of(offsets[each], each.cells * size_in_bytes(each)) for each in named if each in offsets)

    def successors(self, row: bytes, number: int, shape: RowShape) -> list[int] | None:
        """Return the rows one step away from `row`, which is the number `number` and has this `shape`.

        None where that is not all: something goes wrong in a step, or none is possible as long as time is not out.
        """
        holder = row[HOLDER]
        found: list[int] = []
        for process, begin, end, places in shape.parts if holder == 0 else shape.parts[holder - 1 : holder]:
            place = places.get(row[begin:end])
            if place is None:
                place = places[row[begin:end]] = self._place(shape, row, process)
            if not self._go(shape, row, number, place, found):
                return None
            if place.meetings is not None and not self._meet(shape, row, number, place, found):
                return None
        return found or None

    def _meet(self, shape: RowShape, row: bytes, number: int, place: ControlPlace, found: list[int]) -> bool:
        """Add where a rendezvous leads, with each process that may answer; false if something goes wrong."""
        meetings = place.meetings
        assert meetings is not None
        for other, begin, end, _ in shape.parts:
            if other != place.number:
                key = (other, row[begin:end])
                meeting = meetings.get(key)
                if meeting is None:
                    meeting = meetings[key] = self._meeting(shape, row, place, other)
                if not self._go(shape, row, number, meeting, found):
                    return False
        return True

    def _go(self, shape: RowShape, row: bytes, number: int, place: ControlPlace, found: list[int]) -> bool:
        """Add where the steps from a place lead; false if something goes wrong."""
        seen = place.seen.get(number & place.mask)
        if seen is None:
            seen = place.seen[number & place.mask] = self._see(shape, row, place)
        mask, known = seen
        changes = known.get(number & mask)
        if changes is None:
            changes = self._ask(row, number, place, mask, known)
            if changes is None:
                return False
        for stays, added in changes:
            found.append(number & stays | added)
        return True

    # What is not remembered yet

    def _place(self, shape: RowShape, row: bytes, number: int) -> ControlPlace:
        """What is known of a process before its channels are looked at."""
        read_set = self._read_set(row, number)
        bits = self._own(shape, number)
        if read_set is None:
            return ControlPlace(number, _WITH_ANYBODY, (), 0, bits)
        mask = HEADER | self.variables(read_set.variables)
        if not (self._meets and read_set.sends and self._is_plain(row, number)):
            return ControlPlace(number, _WITH_ANYBODY, ((number, read_set),), mask, bits)
        place = ControlPlace(number, _ALONE, ((number, read_set),), mask, bits)
        place.meetings = {}
        return place

    def _meeting(self, shape: RowShape, row: bytes, sender: ControlPlace, other: int) -> ControlPlace:
        """What is known of two processes that may meet."""
        read_set, bits = self._read_set(row, other), sender.changed | self._own(shape, other)
        if read_set is None:
            return ControlPlace(sender.number, other, (), 0, bits)
        mask = sender.mask | self.variables(read_set.variables)
        return ControlPlace(sender.number, other, (*sender.read_sets, (other, read_set)), mask, bits)

    def _read_set(self, row: bytes, number: int) -> Reads | None:
        """What the statements of a process name; None if more matters to them."""
        process = self.state(row).processes[number]
        key = process.proctype, process.node
        read_set = self._read_sets.get(key)
        if read_set is None:
            read_set = self._read_sets[key] = read_set_from(self._program, *key)
        more = read_set.others or self._program.uses_priority or (self._is_watched and read_set.channels)
        return None if more else read_set

    def _is_plain(self, row: bytes, number: int) -> bool:
        """Whether no statement of a process depends on what becomes of those before it."""
        process = self.state(row).processes[number]
        actions = actor_of(self._program).actions(process.proctype, process.node)
        if self._program.processes[process.proctype].declaration.deterministic:
            return False
        return not any(action.begins_with_else or action.transition.escape for action in actions)

    @staticmethod
    def _own(shape: RowShape, number: int) -> int:
        _, begin, end, _ = shape.parts[number]
        return bits_of(begin, end - begin)

    def _see(self, shape: RowShape, row: bytes, place: ControlPlace) -> tuple[int, Known]:
        """Which channels matter to the steps from a place."""
        self._count()
        mask = 0 if place.read_sets else EVERYTHING
        for number, read_set in place.read_sets:
            bits = self._channels(shape, row, number, read_set, place.partner == _WITH_ANYBODY)
            mask = EVERYTHING if bits == EVERYTHING else mask | bits
        return mask, {}

    def _channels(self, shape: RowShape, row: bytes, number: int, read_set: Reads, with_anybody: bool) -> int:
        """The bits of the channels that matter. A send on a rendezvous depends on the process that answers."""
        mask = shape.created[number] if read_set.ends else 0
        if not read_set.is_fixed:
            return EVERYTHING if with_anybody and read_set.sends and self._meets else mask | shape.every_channel
        try:
            meant = [(each, value_of(self._program, self.state(row), number, each)) for each in read_set.channels]
        except RuntimeProblem:
            return EVERYTHING
        for expression, channel in meant:
            if not 0 < channel <= len(shape.channels):
                return EVERYTHING
            bits, meets = shape.channels[channel - 1]
            if meets and with_anybody and any(expression is each for each in read_set.sends):
                return EVERYTHING
            mask |= bits
        return mask

    def _ask(self, row: bytes, number: int, place: ControlPlace, mask: int, known: Known) -> tuple[Change, ...] | None:
        """What the interpreter says can be done; remembered if it concerns only what matters. None if it goes wrong."""
        changes: list[Change] = []
        concerned = 0
        for step in steps_of(self._program, self.state(row), place.number, False):
            answered_by = _ALONE if step.partner is None else step.partner
            if place.partner not in (_WITH_ANYBODY, answered_by):
                continue
            if step.state is None or step.problem is not None:
                return None
            after = int.from_bytes(self._packer.pack(step.state), "little")
            change = number ^ after
            concerned |= change
            changes.append((~change, after & change))
        found = tuple(changes)
        if mask != EVERYTHING and not concerned & ~(place.changed | place.mask | mask):
            known[number & mask] = found
            self._count()
        return found

    def _count(self) -> None:
        """What was remembered is forgotten from time to time."""
        self._remembered += 1
        if self._remembered > _MOST_REMEMBERED:
            self._remembered = 0
            self._shapes.clear()
