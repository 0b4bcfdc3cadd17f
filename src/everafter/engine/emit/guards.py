"""Whether an action may be done: `Actor.may` of `execution/perform.py` as code."""

from __future__ import annotations

from typing import assert_never

from everafter.engine.emit.channel_code import Channels
from everafter.engine.emit.frame import Frame
from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.values import Values
from everafter.engine.emit.writer import Writer
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Terminate
from everafter.program.layout import COUNT
from everafter.promela.model import (
    Assert,
    Assign,
    Basic,
    Declare,
    Else,
    Print,
    Receive,
    RunExpression,
    Send,
    SetPriority,
    Test,
)
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class Guards:
    """Writes guards into a function."""

    facts: Facts
    writer: Writer
    values: Values

    @property
    def channels(self) -> Channels:
        """What emits code about channels."""
        return self.values.channels

    def test(self, frame: Frame, effect: Effect, blocked: str) -> None:
        """Go to the label `blocked` if an action may not be done now."""
        w = self.writer
        match effect:
            case Test(condition=RunExpression()):
                pass
            case Test(condition=condition):
                w.unless(self.values.condition(frame, condition), blocked)
            case Send():
                found = self.channels.channel(frame, effect.channel, frame.raised)
                if not self.facts.program.loses_messages:
                    w.when(self.channels.full(frame, found), blocked)
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
            self.test(frame, guard, following)
            w.jump(done)
            w.label(following)
        w.jump(blocked)
        w.label(done)

    def _receive_guard(self, frame: Frame, receive: Receive, blocked: str) -> None:
        w = self.writer
        found = self.channels.channel(frame, receive.channel, blocked)

        def look(shape: int) -> None:
            is_rendezvous = not self.facts.shapes[shape].capacity
            if is_rendezvous and (receive.keeps or frame.meets == "nobody"):
                w.jump(frame.raised if receive.keeps else blocked)
                return
            if frame.meets == "somebody":
                expected = found.number if is_rendezvous else "0"
                w.unless(w.compare("eq", self.channels.handshake(frame), expected), blocked)
            self.channels.find(frame, found, shape, receive.arguments, receive.anywhere, blocked)

        self.channels.by_shape(found, look)
