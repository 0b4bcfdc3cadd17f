"""What watches channel operations: trace assertions, and the promises `xr` and `xs`."""

from __future__ import annotations

from typing import Literal, NamedTuple, assert_never

from everafter.execution.evaluate import Evaluator, Value
from everafter.execution.state import NO_PROCESS, Draft, Problem
from everafter.program.control_flow import DeterministicStep, Jump, Terminate, Transition
from everafter.program.program import ProcessType
from everafter.promela.model import (
    Assert,
    Assign,
    Constant,
    Declare,
    Else,
    Expression,
    Match,
    Print,
    Receive,
    Send,
    SetPriority,
    Test,
)
from everafter.source import Place

Operation = Literal["send", "receive"]


class _Promise(NamedTuple):
    """A process that says `xr q` promises to be the only one that receives from q; `xs` likewise for sending."""

    operation: Operation
    channel: Value
    owner: str
    text: str


class _Event(NamedTuple):
    """A transition of a trace: which operation on which channel, and the constants that it names."""

    operation: Operation
    channel: Value
    fields: tuple[tuple[int, Value], ...]
    target: int


class ChannelWatch:
    """All that watches the channels of one program."""

    def __init__(self, evaluator: Evaluator) -> None:
        program = evaluator.program
        self.trace = program.trace
        self._promises = [_promises(evaluator, kind) for kind in program.processes]
        self._makes_promises = any(self._promises)
        nodes = self.trace.graph.nodes if self.trace is not None else {}
        self._events = {
            number: [event for step in node.transitions if (event := _event(evaluator, step)) is not None]
            for number, node in nodes.items()
        }

    def follow(
        self, draft: Draft, number: int, operation: Operation, channel: int, message: tuple[int, ...], place: Place
    ) -> None:
        """Tell the watchers that process `number` does `operation`, a send or a receive of `message`, on `channel`.

        What is wrong with that is reported to `draft`, the next state, at `place`.
        """
        if self._makes_promises:
            self._check_promises(draft, number, operation, channel, place)
        if self.trace is not None:
            self._follow_trace(draft, self.trace, operation, channel, message, place)

    def _check_promises(self, draft: Draft, number: int, operation: Operation, channel: int, place: Place) -> None:
        for other, process in enumerate(draft.processes):
            if other == number:
                continue
            for promise in self._promises[process.proctype]:
                if promise.operation == operation and promise.channel(draft, other, False) == channel:
                    text = f"{promise.owner}({other}) has this channel to itself by '{promise.text}'"
                    draft.report(Problem("runtime", text, place))

    def _follow_trace(
        self,
        draft: Draft,
        trace: ProcessType,
        operation: Operation,
        channel: int,
        message: tuple[int, ...],
        place: Place,
    ) -> None:
        """Move the trace along, if the channel is one it speaks of."""

        def speaks_of(event: _Event) -> bool:
            return event.operation == operation and event.channel(draft, NO_PROCESS, False) == channel

        if not any(speaks_of(event) for events in self._events.values() for event in events):
            return
        for event in self._events.get(draft.event, ()):
            if speaks_of(event) and _fits(draft, event, message):
                draft.event = event.target
                if trace.role == "notrace" and is_final(trace, event.target):
                    draft.report(Problem("trace", "every event of the notrace has happened", place))
                return
        if trace.role == "notrace":
            draft.event = next(node.number for node in trace.graph.nodes.values() if is_final(trace, node.number))
        else:
            draft.report(Problem("trace", "this event does not fit the trace", place))


def _promises(evaluator: Evaluator, kind: ProcessType) -> list[_Promise]:
    return [
        _Promise(
            "send" if promise == "xs" else "receive",
            evaluator.value(channel),
            kind.name,
            f"{promise} {channel.leaf.name}",
        )
        for promise, channel in kind.declaration.exclusive
    ]


def _event(evaluator: Evaluator, step: Transition) -> _Event | None:
    fields: list[tuple[int, Expression]]
    match step.effect:
        case Send(arguments=arguments):
            operation: Operation = "send"
            fields = [(at, each) for at, each in enumerate(arguments) if isinstance(each, Constant)]
        case Receive(arguments=patterns):
            operation = "receive"
            fields = [(at, each.value) for at, each in enumerate(patterns) if isinstance(each, Match)]
        case Test() | Else() | Assign() | Declare() | Assert() | Print() | SetPriority():
            return None
        case Jump() | Terminate() | DeterministicStep():
            return None
        case _:
            assert_never(step.effect)
    constants = tuple((at, evaluator.value(expression)) for at, expression in fields)
    return _Event(operation, evaluator.value(step.effect.channel), constants, step.target)


def _fits(draft: Draft, event: _Event, message: tuple[int, ...]) -> bool:
    """Whether a message has the constants that an event names; everything else in the event is ignored."""
    return all(at < len(message) and value(draft, NO_PROCESS, False) == message[at] for at, value in event.fields)


def is_final(trace: ProcessType, number: int) -> bool:
    """Return whether the place `number` of `trace` is its end."""
    node = trace.graph.nodes.get(number)
    return node is not None and any(step.text == "-end-" for step in node.transitions)
