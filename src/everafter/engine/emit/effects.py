"""What an action does to the draft of the next row: `Actor.deed` of `execution/perform.py` as code."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from everafter.engine.emit.cells import cut, keep
from everafter.engine.emit.channel_code import Channels, Found
from everafter.engine.emit.control_block import MESSAGE, REPORTED, Word, write
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.guards import Guards
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.step_draft import note_reached
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import Writer
from everafter.execution.perform import MAXIMUM_INSTRUCTIONS
from everafter.execution.printf import printed_arguments
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Select, Terminate
from everafter.program.layout import COUNT, LENGTH, WORD
from everafter.program.storage import width_of
from everafter.promela.model import (
    Assert,
    Assign,
    Basic,
    Bind,
    Declare,
    Else,
    Expression,
    Predefined,
    Print,
    Receive,
    Reference,
    RunExpression,
    Send,
    SetPriority,
    Test,
)
from everafter.record import dataclass, replace


def report(w: Writer) -> None:
    """Note a problem that does not stop the step."""
    write(w, Word.PROBLEM, REPORTED)


@dataclass(frozen=True, slots=True)
class Effects:
    """Writes what actions do into a function."""

    facts: Facts
    writer: Writer
    values: Values
    guards: Guards

    @property
    def channels(self) -> Channels:
        """What emits code about channels."""
        return self.values.channels

    @staticmethod
    def of(facts: Facts, writer: Writer) -> Effects:
        """Return an instance with all the parts it needs, for `facts` and `writer`."""
        values = Values(facts, writer)
        return Effects(facts, writer, values, Guards(facts, writer, values))

    def perform(self, frame: Frame, effect: Effect) -> None:
        """Perform `effect`, which is executable, on the draft in `frame`."""
        w = self.writer
        match effect:
            case Test(condition=RunExpression() as run):
                self.values.value(frame, run)
            case Test() | Else() | Declare() | Jump():
                pass
            case Assign(target=target, value=value):
                self.assign(frame, target, self.values.value(frame, value))
            case Assert(condition=condition, place=place):
                self._assert(frame, condition, self.facts.program.expected.requires(place))
            case Print():
                for argument in printed_arguments(effect):
                    if self.values.may_raise(argument):
                        self.values.value(frame, argument)
            case SetPriority():
                self._set_priority(frame, effect)
            case Send():
                self.send(frame, effect, lambda: w.jump(frame.raised))
            case Receive():
                self._receive(frame, effect)
            case Terminate():
                self._terminate(frame)
            case DeterministicStep():
                self._run_to_end(frame, effect)
            case _:
                assert_never(effect)

    def assign(self, frame: Frame, target: Reference | Predefined, value: str) -> None:
        """Assign `value`, cut to the width of its cell, to `target` in `frame`."""
        w = self.writer
        if isinstance(target, Predefined):
            if target.name == "_priority" and self.facts.layout.priority is not None:
                w.store(w.at(frame.own, self.facts.layout.priority), value, 1)
            return
        place = self.values.place(replace(frame, timeout="0"), target)
        if place is not None:
            keep(w, place, width_of(target.leaf), value)

    def _assert(self, frame: Frame, condition: Expression, is_required: bool) -> None:
        """Its condition is evaluated in any case: that may go wrong, too."""
        w = self.writer
        failed, done = w.fresh("failed"), w.fresh("done")
        truth = self.values.condition(frame, condition)
        if not is_required:
            return
        w.branch(truth, done, failed)
        w.label(failed)
        report(w)
        w.label(done)

    def _set_priority(self, frame: Frame, effect: SetPriority) -> None:
        w = self.writer
        number, priority = self.values.value(frame, effect.process), self.values.value(frame, effect.priority)
        alive, done = w.fresh("alive"), w.fresh("done")
        w.branch(self.values.is_alive(frame, number), alive, done)
        w.label(alive)
        w.unless(w.compare("ult", w.add(priority, -1), 255), frame.raised)
        assert self.facts.layout.priority is not None
        w.store(w.at(self.values.located(frame, number), self.facts.layout.priority), priority, 1)
        w.label(done)

    def _terminate(self, frame: Frame) -> None:
        """The youngest process goes; its place and that of its channels become zero."""
        w = self.writer
        w.do(f"call void @llvm.memset.p0.i64(ptr {frame.own}, i8 0, i64 {WORD}, i1 false)")
        w.store(w.at(frame.row, COUNT), frame.pid, 1)
        start = w.get(f"ptrtoint ptr {frame.row} to i64")
        end = w.get(f"ptrtoint ptr {frame.own} to i64")
        size = w.get(f"sub i64 {end}, {start}")
        w.store(w.at(frame.row, LENGTH), w.get(f"lshr i64 {w.add(size, WORD - 1)}, 3"), 2)

    # Channels

    def send(self, frame: Frame, send: Send, meet: Callable[[], None]) -> None:
        """Put a message into a channel; on a rendezvous it waits, and `meet` writes what comes of that."""
        w = self.writer
        found = self.channels.channel(frame, send.channel, frame.raised)
        values = [self.values.value(frame, argument) for argument in send.arguments]

        def put(shape: int) -> None:
            widths = self.facts.shapes[shape].widths
            if len(values) != len(widths):
                report(w)
            given, zeros = [*values, *["0"] * len(widths)], self.facts.shapes[shape].zeros
            fitted = ["0" if zeros >> at & 1 else given[at] for at in range(len(widths))]
            if self.facts.shapes[shape].capacity:
                self._put(frame, found, shape, fitted, send)
                return
            for position, (width, value) in enumerate(zip(widths, fitted, strict=True)):
                w.store(w.at("%c", MESSAGE + 8 * position), cut(w, width, value), 8)
            self.watch(frame, "send", found, [self.channels.waiting_field(position) for position in range(len(widths))])
            write(w, Word.HANDSHAKE, found.number)
            meet()

        self.channels.by_shape(found, put)

    def _put(self, frame: Frame, found: Found, shape: int, values: list[str], send: Send) -> None:
        w = self.writer
        kind, layout = self.facts.shapes[shape], self.channels.layout_of_shape(shape)
        lost = w.fresh("lost")
        if self.facts.program.loses_messages:
            w.when(self.channels.is_full(frame, found, kind), lost)
        place = self.channels.place_of(frame, found)
        length = self.channels.messages(place)
        position = self._sorted_position(frame, found, shape, values, length) if send.is_sorted else length
        target = self.channels.message(frame, found, shape, position)
        if send.is_sorted:
            moved = w.times(w.get(f"sub i64 {length}, {position}"), layout.message)
            behind = w.at(target, layout.message)
            w.do(f"call void @llvm.memmove.p0.p0.i64(ptr {behind}, ptr {target}, i64 {moved}, i1 false)")
        for offset, width, value in zip(layout.fields, kind.widths, values, strict=True):
            keep(w, w.at(target, offset), width, value)
        self.channels.set_messages(place, w.add(length, 1))
        self.watch(frame, "send", found, [cut(w, *pair) for pair in zip(kind.widths, values, strict=True)])
        w.label(lost)

    def _sorted_position(self, frame: Frame, found: Found, shape: int, values: list[str], length: str) -> str:
        """Where a sorted send puts a message: before the first that is greater."""
        w = self.writer
        look, test, more, here, before = w.fresh("look"), w.fresh("test"), w.fresh("more"), w.fresh("here"), w.block
        w.label(look)
        following = f"%{w.fresh()}"
        position = w.phi("i64", ("0", before), (following, more))
        w.branch(w.compare("ult", position, length), test, here)
        w.label(test)
        message = self.channels.message(frame, found, shape, position)
        for number, value in enumerate(values):
            other = self.channels.field(shape, message, number)
            w.when(w.compare("slt", value, other), here)
            w.unless(w.compare("eq", value, other), more)
        w.label(more)
        w.do(f"{following} = add i64 {position}, 1")
        w.jump(look)
        w.label(here)
        return position

    def _receive(self, frame: Frame, receive: Receive) -> None:
        found = self.channels.channel(frame, receive.channel, frame.raised)
        self.channels.by_shape(found, lambda shape: self._take(frame, receive, found, shape))

    def _take(self, frame: Frame, receive: Receive, found: Found, shape: int) -> None:
        kind = self.facts.shapes[shape]
        too_many = len(receive.arguments) > len(kind.widths) > 1
        if too_many or (not kind.capacity and frame.meets == "nobody"):
            self.writer.jump(frame.raised)
            return
        position = "0"
        if receive.anywhere:
            position = self.channels.find(frame, found, shape, receive.arguments, True, frame.raised)
        if kind.capacity:
            message = self.channels.message(frame, found, shape, position)
            fields = [self.channels.field(shape, message, number) for number in range(len(kind.widths))]
        else:
            fields = [self.channels.waiting_field(number) for number in range(len(kind.widths))]
        if len(receive.arguments) > len(fields) or (len(receive.arguments) < len(fields) and not receive.keeps):
            report(self.writer)
        if not receive.keeps:
            self.watch(frame, "receive", found, fields)
            self._remove(frame, found, shape, position)
        for pattern, value in zip(receive.arguments, fields, strict=False):
            if isinstance(pattern, Bind):
                self.assign(frame, pattern.target, value)

    def _remove(self, frame: Frame, found: Found, shape: int, position: str) -> None:
        """Take a message out of a channel; those behind it move up."""
        w = self.writer
        kind, layout = self.facts.shapes[shape], self.channels.layout_of_shape(shape)
        if not kind.capacity:
            write(w, Word.HANDSHAKE, 0)
            return
        place = self.channels.place_of(frame, found)
        gap = self.channels.message(frame, found, shape, position)
        rest = str((kind.capacity - 1) * layout.message)
        if position != "0":
            rest = w.get(f"sub i64 {rest}, {w.times(position, layout.message)}")
        if kind.capacity > 1:
            behind = w.at(gap, layout.message)
            w.do(f"call void @llvm.memmove.p0.p0.i64(ptr {gap}, ptr {behind}, i64 {rest}, i1 false)")
        last = w.at(place, self.facts.layout.count_bytes + (kind.capacity - 1) * layout.message)
        w.do(f"call void @llvm.memset.p0.i64(ptr {last}, i8 0, i64 {layout.message}, i1 false)")
        self.channels.set_messages(place, w.add(self.channels.messages(place), -1))

    def watch(self, frame: Frame, operation: str, found: Found, fields: list[str]) -> None:
        """Let trace assertions, `xr` and `xs` see that `operation` on `found` in `frame` moves `fields`."""
        if not self.facts.watches:
            return
        w = self.writer
        for position, value in enumerate(fields):
            w.store(w.at("%c", self.facts.rooms.seen + 8 * position), value, 8)
        arguments = f"ptr %c, ptr {frame.row}, i64 {frame.pid}, i64 {found.number}, i64 {len(fields)}"
        w.do(f"call void @watch_{operation}({arguments})")

    # d_step

    def _run_to_end(self, frame: Frame, step: DeterministicStep) -> None:
        """Run a d_step: at a choice the first executable option, and blocking is an error."""
        if step.start is None:
            return
        w = self.writer
        done = w.fresh("ended")
        tested = {number: w.fresh("instruction") for number in step.instructions}
        chosen = {number: w.fresh("chosen") for number in step.instructions}
        write(w, Word.D_STEP_COUNT, 0)
        w.jump(tested[step.start])
        for number, instruction in step.instructions.items():
            w.label(tested[number])
            self._count_instruction(frame)
            if isinstance(instruction, Select):
                self._select(frame, step, instruction, tested, chosen, done)
                continue
            self.guards.test(frame, instruction.statement, frame.raised)
            w.label(chosen[number])
            if frame.kind is not None:
                note_reached(w, self.facts, frame.kind, number)
            self._perform_inside(frame, instruction.statement)
            w.jump(done if instruction.next is None else tested[instruction.next])
        w.label(done)

    def _count_instruction(self, frame: Frame) -> None:
        w = self.writer
        place = w.at("%c", Word.D_STEP_COUNT)
        count = w.load(place, 8)
        w.when(w.compare("uge", count, MAXIMUM_INSTRUCTIONS), frame.raised)
        w.store(place, w.add(count, 1), 8)

    def _select(
        self,
        frame: Frame,
        step: DeterministicStep,
        select: Select,
        tested: dict[int, str],
        chosen: dict[int, str],
        done: str,
    ) -> None:
        w = self.writer
        for option in select.options:
            if option is None:
                w.jump(done)
                return
            instruction = step.instructions[option]
            if not isinstance(instruction, Perform):
                w.jump(tested[option])
                return
            following = w.fresh("other")
            self.guards.test(frame, instruction.statement, following)
            self._count_instruction(frame)
            w.jump(chosen[option])
            w.label(following)
        w.jump(frame.raised)

    def _perform_inside(self, frame: Frame, statement: Basic) -> None:
        w = self.writer
        self.perform(frame, statement)
        if isinstance(statement, Send) and frame.meets == "somebody":
            w.unless(w.compare("eq", self.channels.handshake(frame), 0), frame.raised)
