"""What an action does to the draft of the next row, and whether it can be done: `execution/perform.py` as code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from everafter.engine.emit.channels import Channels, Found
from everafter.engine.emit.expressions import Frame, may_raise
from everafter.engine.emit.facts import D_STEP_COUNT, HANDSHAKE, MESSAGE, PROBLEM, REPORTED
from everafter.execution.perform import MAXIMUM_INSTRUCTIONS, printed_arguments
from everafter.program.graph import DeterministicStep, Effect, Jump, Perform, Select, Terminate
from everafter.program.layout import COUNT, LENGTH, WORD
from everafter.program.memory import width_of
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
    Run,
    Send,
    SetPriority,
    Test,
)


class Effects(Channels):
    """Writes guards and effects into a function."""

    # Whether an action may be done

    def guard(self, frame: Frame, effect: Effect, blocked: str) -> None:
        """Go to the label `blocked` if an action may not be done now."""
        w = self.writer
        match effect:
            case Test(condition=Run()):
                pass
            case Test(condition=condition):
                w.unless(self.condition(frame, condition), blocked)
            case Send():
                found = self.channel(frame, effect.channel, frame.raised)
                if not self.program.loses_messages:
                    shapes = self.facts.shapes
                    w.when(self.chosen(found, lambda shape: self.is_full(frame, found, shapes[shape])), blocked)
            case Receive():
                self._receive_guard(frame, effect, blocked)
            case Terminate():
                count = w.load(w.at(frame.row, COUNT), 1)
                w.unless(w.compare("eq", w.add(frame.pid, 1), count), blocked)
            case DeterministicStep(guards=guards):
                if guards is not None:
                    self._any_guard(frame, guards, blocked)
            case Assign() | Else() | Assert() | Print() | SetPriority() | Declare() | Jump():
                pass
            case _:
                assert_never(effect)

    def _any_guard(self, frame: Frame, guards: tuple[Basic, ...], blocked: str) -> None:
        w = self.writer
        done = w.fresh("begins")
        for guard in guards:
            following = w.fresh("other")
            self.guard(frame, guard, following)
            w.jump(done)
            w.label(following)
        w.jump(blocked)
        w.label(done)

    def _receive_guard(self, frame: Frame, receive: Receive, blocked: str) -> None:
        w = self.writer
        found = self.channel(frame, receive.channel, blocked)

        def test(shape: int) -> None:
            is_rendezvous = not self.facts.shapes[shape].capacity
            if is_rendezvous and (receive.keeps or frame.meets == "nobody"):
                w.jump(frame.raised if receive.keeps else blocked)
                return
            if frame.meets == "somebody":
                expected = found.number if is_rendezvous else "0"
                w.unless(w.compare("eq", self.handshake(frame), expected), blocked)
            self.find(frame, found, shape, receive.arguments, receive.anywhere, blocked)

        self.by_shape(found, test)

    # Doing it

    def perform(self, frame: Frame, effect: Effect) -> None:
        """Do an action that is executable, on a draft."""
        w = self.writer
        match effect:
            case Test(condition=Run() as run):
                self.value(frame, run)
            case Test() | Else() | Declare() | Jump():
                pass
            case Assign(target=target, value=value):
                self.assign(frame, target, self.value(frame, value))
            case Assert(condition=condition):
                self._assert(frame, condition)
            case Print():
                for argument in printed_arguments(effect):
                    if may_raise(argument):
                        self.value(frame, argument)
            case SetPriority():
                self._set_priority(frame, effect)
            case Send():
                self.send(frame, effect, lambda _found: w.jump(frame.raised))
            case Receive():
                self._receive(frame, effect)
            case Terminate():
                self._terminate(frame)
            case DeterministicStep():
                self._run_to_end(frame, effect)
            case _:
                assert_never(effect)

    def assign(self, frame: Frame, target: Reference | Predefined, value: str) -> None:
        """Assign a value, cut to the width of its cell."""
        w = self.writer
        if isinstance(target, Predefined):
            if target.name == "_priority" and self.layout.priority is not None:
                w.store(w.at(frame.own, self.layout.priority), value, 1)
            return
        place = self.place(replace(frame, timeout="0"), target)
        if place is not None:
            self.keep(place, width_of(target.leaf), value)

    def _assert(self, frame: Frame, condition: Expression) -> None:
        w = self.writer
        failed, done = w.fresh("failed"), w.fresh("done")
        w.branch(self.condition(frame, condition), done, failed)
        w.label(failed)
        self.report()
        w.label(done)

    def report(self) -> None:
        """Note a problem that does not stop the step."""
        self.writer.store(self.writer.at("%c", PROBLEM), REPORTED, 8)

    def _set_priority(self, frame: Frame, effect: SetPriority) -> None:
        w = self.writer
        number, priority = self.value(frame, effect.process), self.value(frame, effect.priority)
        alive, done = w.fresh("alive"), w.fresh("done")
        w.branch(self.is_alive(frame, number), alive, done)
        w.label(alive)
        w.unless(w.compare("ult", w.add(priority, -1), 255), frame.raised)
        assert self.layout.priority is not None
        w.store(w.at(self.located(frame, number), self.layout.priority), priority, 1)
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

    def send(self, frame: Frame, send: Send, meet: Callable[[Found], None]) -> None:
        """Put a message into a channel; on a rendezvous it waits, and `meet` writes what comes of that."""
        w = self.writer
        found = self.channel(frame, send.channel, frame.raised)
        values = [self.value(frame, argument) for argument in send.arguments]

        def put(shape: int) -> None:
            widths = self.facts.shapes[shape].widths
            if len(values) != len(widths):
                self.report()
            fitted = (values + ["0"] * len(widths))[: len(widths)]
            if self.facts.shapes[shape].capacity:
                self._put(frame, found, shape, fitted, send)
                return
            for position, (width, value) in enumerate(zip(widths, fitted, strict=True)):
                w.store(w.at("%c", MESSAGE + 8 * position), self.cut(width, value), 8)
            self.watch(frame, "send", found, [self.waiting_field(position) for position in range(len(widths))])
            w.store(w.at("%c", HANDSHAKE), found.number, 8)
            meet(found)

        self.by_shape(found, put)

    def _put(self, frame: Frame, found: Found, shape: int, values: list[str], send: Send) -> None:
        w = self.writer
        kind, layout = self.facts.shapes[shape], self.layout_of_shape(shape)
        lost = w.fresh("lost")
        if self.program.loses_messages:
            w.when(self.is_full(frame, found, kind), lost)
        place = self.place_of(frame, found)
        length = w.load(place, 1)
        position = self._sorted_position(frame, found, shape, values, length) if send.is_sorted else length
        target = self.message(frame, found, shape, position)
        if send.is_sorted:
            moved = w.times(w.get(f"sub i64 {length}, {position}"), layout.message)
            behind = w.at(target, layout.message)
            w.do(f"call void @llvm.memmove.p0.p0.i64(ptr {behind}, ptr {target}, i64 {moved}, i1 false)")
        for offset, width, value in zip(layout.fields, kind.widths, values, strict=True):
            self.keep(w.at(target, offset), width, value)
        w.store(place, w.add(length, 1), 1)
        self.watch(frame, "send", found, [self.cut(*pair) for pair in zip(kind.widths, values, strict=True)])
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
        message = self.message(frame, found, shape, position)
        for number, value in enumerate(values):
            other = self.field(shape, message, number)
            w.when(w.compare("slt", value, other), here)
            w.unless(w.compare("eq", value, other), more)
        w.label(more)
        w.do(f"{following} = add i64 {position}, 1")
        w.jump(look)
        w.label(here)
        return position

    def _receive(self, frame: Frame, receive: Receive) -> None:
        found = self.channel(frame, receive.channel, frame.raised)
        self.by_shape(found, lambda shape: self._take(frame, receive, found, shape))

    def _take(self, frame: Frame, receive: Receive, found: Found, shape: int) -> None:
        kind = self.facts.shapes[shape]
        too_many = len(receive.arguments) > len(kind.widths) > 1
        if too_many or (not kind.capacity and frame.meets == "nobody"):
            self.writer.jump(frame.raised)
            return
        position = "0"
        if receive.anywhere:
            position = self.find(frame, found, shape, receive.arguments, True, frame.raised)
        if kind.capacity:
            message = self.message(frame, found, shape, position)
            fields = [self.field(shape, message, number) for number in range(len(kind.widths))]
        else:
            fields = [self.waiting_field(number) for number in range(len(kind.widths))]
        if len(receive.arguments) > len(fields) or (len(receive.arguments) < len(fields) and not receive.keeps):
            self.report()
        if not receive.keeps:
            self.watch(frame, "receive", found, fields)
            self._remove(frame, found, shape, position)
        for pattern, value in zip(receive.arguments, fields, strict=False):
            if isinstance(pattern, Bind):
                self.assign(frame, pattern.target, value)

    def _remove(self, frame: Frame, found: Found, shape: int, position: str) -> None:
        """Take a message out of a channel; those behind it move up."""
        w = self.writer
        kind, layout = self.facts.shapes[shape], self.layout_of_shape(shape)
        if not kind.capacity:
            w.store(w.at("%c", HANDSHAKE), 0, 8)
            return
        place = self.place_of(frame, found)
        gap = self.message(frame, found, shape, position)
        rest = str((kind.capacity - 1) * layout.message)
        if position != "0":
            rest = w.get(f"sub i64 {rest}, {w.times(position, layout.message)}")
        if kind.capacity > 1:
            behind = w.at(gap, layout.message)
            w.do(f"call void @llvm.memmove.p0.p0.i64(ptr {gap}, ptr {behind}, i64 {rest}, i1 false)")
        last = w.at(place, 1 + (kind.capacity - 1) * layout.message)
        w.do(f"call void @llvm.memset.p0.i64(ptr {last}, i8 0, i64 {layout.message}, i1 false)")
        w.store(place, w.add(w.load(place, 1), -1), 1)

    def watch(self, frame: Frame, operation: str, found: Found, fields: list[str]) -> None:
        """Tell those who watch channels what is sent or received."""
        if not self.facts.watches:
            return
        w = self.writer
        for position, value in enumerate(fields):
            w.store(w.at("%c", self.facts.seen + 8 * position), value, 8)
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
        w.store(w.at("%c", D_STEP_COUNT), 0, 8)
        w.jump(tested[step.start])
        for number, instruction in step.instructions.items():
            w.label(tested[number])
            self._count_instruction(frame)
            if isinstance(instruction, Select):
                self._select(frame, step, instruction, tested, chosen, done)
                continue
            self.guard(frame, instruction.statement, frame.raised)
            w.label(chosen[number])
            self._perform_inside(frame, instruction.statement)
            w.jump(done if instruction.next is None else tested[instruction.next])
        w.label(done)

    def _count_instruction(self, frame: Frame) -> None:
        w = self.writer
        place = w.at("%c", D_STEP_COUNT)
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
            self.guard(frame, instruction.statement, following)
            self._count_instruction(frame)
            w.jump(chosen[option])
            w.label(following)
        w.jump(frame.raised)

    def _perform_inside(self, frame: Frame, statement: Basic) -> None:
        w = self.writer
        self.perform(frame, statement)
        if isinstance(statement, Send) and frame.meets == "somebody":
            w.unless(w.compare("eq", self.handshake(frame), 0), frame.raised)
