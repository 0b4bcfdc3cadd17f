"""Channel operations. A channel is known by its number; where it is and which shape it has is fixed, or looked up.

A buffered channel is a count and as many messages as it has room for, the unused ones zero. The message of a rendezvous
is never in a row: it waits in the control block while the other half is looked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, assert_never

from everafter.engine.emit.cells import load
from everafter.engine.emit.control_block import MESSAGE, Word, read
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts, Shape
from everafter.engine.emit.writer import FALSE, TRUE, Writer
from everafter.program.layout import ChannelLayout
from everafter.program.program import ProcessType
from everafter.promela.model import Argument, ChannelQuery, Expression, Match, Poll, Reference, Variable
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """A channel: its number, where it is, and its shape, which is None if it has to be looked up in `packed`."""

    number: str
    offset: str
    shape: int | None
    is_own: bool = False
    """Whether the offset counts from the start of the process, not of the row."""
    packed: str = ""


class OperandCode(Protocol):
    """What finds a channel from expressions, and compares messages."""

    def value(self, frame: Frame, expression: Expression) -> str:
        """Return the value of `expression` in `frame`."""

    def read(self, frame: Frame, reference: Reference) -> str:
        """Return the value of the variable that `reference` names in `frame`."""

    def position(self, frame: Frame, variable: Variable, index: Expression) -> str:
        """Return the value of `index` in `frame`, which must be in the range of `variable`."""


@dataclass(frozen=True, slots=True)
class Channels:
    """Writes code about channels: which one, how full, and which message."""

    facts: Facts
    writer: Writer
    values: OperandCode

    # Which channel

    def channel(self, frame: Frame, expression: Expression, dead: str) -> Found:
        """The channel an expression means; goes to the label `dead` if it died with its process."""
        variable = self.facts.fixed_channel(expression)
        if variable is not None and isinstance(expression, Reference):
            return self._fixed(frame, expression, variable)
        w = self.writer
        number = self.values.value(frame, expression)
        w.when(w.compare("eq", number, 0), frame.raised)
        packed = w.get(f"call i64 @channel(ptr {frame.row}, i64 {number})")
        w.when(w.compare("slt", packed, 0), dead)
        offset = w.get(f"and i64 {packed}, {0xFFFFFFFF}")
        shape = 0 if len(self.facts.shapes) == 1 else None
        return Found(number, offset, shape, packed=packed)

    def _fixed(self, frame: Frame, reference: Reference, variable: Variable) -> Found:
        w = self.writer
        element = "0" if reference.index is None else self.values.position(frame, variable, reference.index)
        if variable.proctype is None:
            first = self.facts.first_number(variable)
            kind, offset = self.facts.layout.global_channels[first - 1]
            number = w.add(element, first)
        else:
            assert frame.kind is not None
            kind, offset = self.own_channel(frame.kind, variable)
            number = self.values.read(frame, reference)
        place = w.add(offset, w.times(element, self.facts.layout.channels[kind].size))
        return Found(number, place, self.facts.shape(kind), is_own=variable.proctype is not None)

    def place_of(self, frame: Frame, found: Found) -> str:
        """Return the address of the channel `found` in the row of `frame`."""
        return self.writer.at(frame.own if found.is_own else frame.row, found.offset)

    def own_channel(self, kind: ProcessType, variable: Variable) -> tuple[int, int]:
        """Return the type of the channel that a process of `kind` creates for `variable`, and its offset there."""
        return self.facts.layout.processes[kind.index].channels[self.facts.local_channel(kind, variable)]

    def by_shape(self, found: Found, write: Callable[[int], None]) -> None:
        """Let `write` emit code for the shape of the channel `found`; for each if only the run can tell it."""
        w = self.writer
        if found.shape is not None:
            write(found.shape)
            return
        shapes = range(len(self.facts.shapes))
        if not shapes:
            w.end("unreachable")  # where no channel is ever created none is found
            return
        labels = [w.fresh("shape") for _ in shapes]
        done = w.fresh("done")
        cases = [(kind, labels[shape]) for shape in shapes for kind in self.facts.types_of(shape)]
        w.switch(w.get(f"lshr i64 {found.packed}, 32"), labels[0], cases)
        for shape in shapes:
            w.label(labels[shape])
            write(shape)
            w.jump(done)
        w.label(done)

    def layout_of_shape(self, shape: int) -> ChannelLayout:
        """The bytes of the channels of a shape."""
        return self.facts.layout.channels[self.facts.types_of(shape)[0]]

    # How full it is

    def handshake(self, frame: Frame) -> str:
        """The channel on which the other half of a rendezvous waits."""
        return read(self.writer, Word.HANDSHAKE) if frame.meets == "somebody" else "0"

    def messages(self, place: str) -> str:
        """How many messages are in the buffered channel at an address."""
        return self.writer.load(place, self.facts.layout.count_bytes)

    def set_messages(self, place: str, count: str) -> None:
        """Write `count` as the number of messages of the buffered channel at the address `place`."""
        self.writer.store(place, count, self.facts.layout.count_bytes)

    def length(self, frame: Frame, found: Found, shape: Shape) -> str:
        """Return how many messages are in the channel `found`, of `shape`, in `frame`.

        In a rendezvous channel it is one while the other half is looked for.
        """
        w = self.writer
        if shape.capacity:
            return self.messages(self.place_of(frame, found))
        if frame.meets == "nobody":
            return "0"
        return w.number(w.compare("eq", self.handshake(frame), found.number))

    def count(self, frame: Frame, channel: Expression) -> str:
        """Return how many messages are in `channel` in `frame`, none in a dead one."""
        w = self.writer
        arrivals: list[tuple[str, str]] = []
        dead, done = w.fresh("dead"), w.fresh("done")
        found = self.channel(frame, channel, dead)

        def measure(shape: int) -> None:
            arrivals.append((self.length(frame, found, self.facts.shapes[shape]), w.block))
            w.jump(done)

        self.by_shape(found, measure)
        w.end("unreachable")
        if found.packed:
            w.label(dead)
            arrivals.append(("0", dead))
            w.jump(done)
        w.label(done)
        return w.phi("i64", *arrivals)

    def query(self, frame: Frame, query: ChannelQuery) -> str:
        """Return whether the channel of `query` is as it says in `frame`: empty or full, or not."""
        w = self.writer
        match query.query:
            case "empty":
                return w.compare("eq", self.count(frame, query.channel), 0)
            case "nempty" | "len":
                return w.compare("ne", self.count(frame, query.channel), 0)
            case "full":
                return self.full(frame, self.channel(frame, query.channel, frame.raised))
            case "nfull":
                return w.negated(self.full(frame, self.channel(frame, query.channel, frame.raised)))
            case _:
                assert_never(query.query)

    def full(self, frame: Frame, found: Found) -> str:
        """Return whether the channel `found` has no room in `frame`."""
        return self.chosen(found, lambda shape: self.is_full(frame, found, self.facts.shapes[shape]))

    def chosen(self, found: Found, answer: Callable[[int], str]) -> str:
        """Return the condition that `answer` writes for the shape of `found`, chosen at run time if need be."""
        w = self.writer
        arrivals: list[tuple[str, str]] = []
        done = w.fresh("done")

        def ask(shape: int) -> None:
            arrivals.append((answer(shape), w.block))
            w.jump(done)

        if found.shape is not None:
            return answer(found.shape)
        self.by_shape(found, ask)
        w.end("unreachable")
        w.label(done)
        return w.phi("i1", *arrivals) if arrivals else FALSE

    def is_full(self, frame: Frame, found: Found, shape: Shape) -> str:
        """Return whether the channel `found`, of `shape`, has no room in `frame`; a rendezvous is never full."""
        if not shape.capacity:
            return FALSE
        return self.writer.compare("uge", self.messages(self.place_of(frame, found)), shape.capacity)

    # Messages

    def message(self, frame: Frame, found: Found, shape: int, position: str) -> str:
        """Return the address of the message at `position` of the buffered channel `found`, of `shape`, in `frame`."""
        layout = self.layout_of_shape(shape)
        return self.writer.at(
            self.place_of(frame, found),
            self.writer.add(self.facts.layout.count_bytes, self.writer.times(position, layout.message)),
        )

    def field(self, shape: int, message: str, position: int) -> str:
        """Return the field at `position` of `message`, in a channel of `shape`."""
        layout = self.layout_of_shape(shape)
        return load(
            self.writer, self.writer.at(message, layout.fields[position]), self.facts.shapes[shape].widths[position]
        )

    def waiting_field(self, position: int) -> str:
        """A field of the message that waits in a rendezvous."""
        return self.writer.load(self.writer.at("%c", MESSAGE + 8 * position), 8)

    def wanted(self, frame: Frame, patterns: tuple[Argument, ...]) -> list[tuple[int, str]]:
        """Return the values that the fields must have by `patterns`, evaluated once in `frame`."""
        return [
            (position, self.values.value(frame, pattern.value))
            for position, pattern in enumerate(patterns)
            if isinstance(pattern, Match)
        ]

    def find(
        self, frame: Frame, found: Found, shape: int, patterns: tuple[Argument, ...], anywhere: bool, missing: str
    ) -> str:
        """The position of the message a receive takes; goes to the label `missing` if there is none.

        In a rendezvous channel the message waits.
        """
        w = self.writer
        wanted = self.wanted(frame, patterns)
        if not self.facts.shapes[shape].capacity:
            for number, value in wanted:
                fits = number < len(self.facts.shapes[shape].widths)
                w.unless(w.compare("eq", self.waiting_field(number), value) if fits else FALSE, missing)
            return "0"
        length = self.messages(self.place_of(frame, found))
        if not anywhere or not wanted:
            w.when(w.compare("eq", length, 0), missing)
            w.unless(self._fits_at(frame, found, shape, "0", wanted), missing)
            return "0"
        look, more, match = w.fresh("look"), w.fresh("more"), w.fresh("match")
        before, test = w.block, w.fresh("test")
        w.label(look)
        following = f"%{w.fresh()}"
        position = w.phi("i64", ("0", before), (following, more))
        w.branch(w.compare("ult", position, length), test, missing)
        w.label(test)
        w.branch(self._fits_at(frame, found, shape, position, wanted), match, more)
        w.label(more)
        w.do(f"{following} = add i64 {position}, 1")
        w.jump(look)
        w.label(match)
        return position

    def _fits_at(self, frame: Frame, found: Found, shape: int, position: str, wanted: list[tuple[int, str]]) -> str:
        message = self.message(frame, found, shape, position)
        count = len(self.facts.shapes[shape].widths)
        condition = TRUE
        for number, value in wanted:
            if number >= count:
                return FALSE
            condition = self.writer.both(
                condition, self.writer.compare("eq", self.field(shape, message, number), value)
            )
        return condition

    def poll(self, frame: Frame, poll: Poll) -> str:
        """Return whether the receive of `poll` would be executable in `frame`. A rendezvous cannot be polled."""
        w = self.writer
        missing, done = w.fresh("missing"), w.fresh("done")
        found = self.channel(frame, poll.channel, missing)
        present: list[tuple[str, str]] = []

        def look(shape: int) -> None:
            if not self.facts.shapes[shape].capacity:
                w.jump(frame.raised)
                return
            self.find(frame, found, shape, poll.arguments, poll.anywhere, missing)
            present.append((TRUE, w.block))
            w.jump(done)

        self.by_shape(found, look)
        w.end("unreachable")
        w.label(missing)
        present.append((FALSE, w.block))
        w.label(done)
        return w.phi("i1", *present)
