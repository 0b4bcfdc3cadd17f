"""What watches channel operations: trace assertions, and the promises `xr` and `xs`."""

from __future__ import annotations

from typing import Literal, assert_never

from everafter.execution.evaluate import Evaluator
from everafter.execution.state import NOBODY, Draft, Problem
from everafter.program.graph import DeterministicStep, Jump, Terminate, Transition
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


def watch(
    draft: Draft, number: int, operation: Operation, channel: int, message: tuple[int, ...], place: Place
) -> None:
    """Tell the watchers that process `number` sends or receives this message on this channel."""
    _check_promises(draft, number, operation, channel, place)
    if draft.program.trace is not None:
        _follow(draft, draft.program.trace, operation, channel, message, place)


def _check_promises(draft: Draft, number: int, operation: Operation, channel: int, place: Place) -> None:
    """A process that says `xr q` promises to be the only one that receives from q; `xs` likewise for sending."""
    wanted = "xs" if operation == "send" else "xr"
    for other, process in enumerate(draft.processes):
        exclusive = draft.program.processes[process.proctype].declaration.exclusive
        if other == number or not exclusive:
            continue
        for promise, reference in exclusive:
            if promise == wanted and Evaluator(draft.program, draft, other).value(reference) == channel:
                owner = draft.program.processes[process.proctype].name
                name = reference.leaf.name
                text = f"{owner}({other}) has this channel to itself by '{promise} {name}'"
                draft.report(Problem("runtime", text, place))


def _follow(
    draft: Draft, trace: ProcessType, operation: Operation, channel: int, message: tuple[int, ...], place: Place
) -> None:
    """Move the trace along, if the channel is one it speaks of."""
    evaluator = Evaluator(draft.program, draft, NOBODY)
    if not any(_channel(evaluator, step) == (operation, channel) for step in trace.graph.transitions()):
        return
    end = trace.graph.nodes.get(draft.event)
    for step in end.transitions if end is not None else ():
        if _channel(evaluator, step) == (operation, channel) and _fits(evaluator, step, message):
            draft.event = step.target
            if trace.role == "notrace" and is_final(trace, step.target):
                draft.report(Problem("trace", "every event of the notrace has happened", place))
            return
    if trace.role == "notrace":
        draft.event = next(node.number for node in trace.graph.nodes.values() if is_final(trace, node.number))
    else:
        draft.report(Problem("trace", "this event does not fit the trace", place))


def _channel(evaluator: Evaluator, step: Transition) -> tuple[Operation, int] | None:
    match step.effect:
        case Send(channel=channel):
            return "send", evaluator.value(channel)
        case Receive(channel=channel):
            return "receive", evaluator.value(channel)
        case Test() | Else() | Assign() | Declare() | Assert() | Print() | SetPriority():
            return None
        case Jump() | Terminate() | DeterministicStep():
            return None
        case _:
            assert_never(step.effect)


def _fits(evaluator: Evaluator, step: Transition, message: tuple[int, ...]) -> bool:
    """Whether a message has the constants that an event names; everything else in the event is ignored."""
    assert isinstance(step.effect, Send | Receive)
    wanted: list[Expression | None] = []
    for argument in step.effect.arguments:
        if isinstance(argument, Match):
            wanted.append(argument.value)
        else:
            wanted.append(argument if isinstance(argument, Constant) else None)
    return all(
        expected is None or (position < len(message) and evaluator.value(expected) == message[position])
        for position, expected in enumerate(wanted)
    )


def is_final(trace: ProcessType, number: int) -> bool:
    """Whether a place of a trace is its end."""
    node = trace.graph.nodes.get(number)
    return node is not None and any(step.text == "-end-" for step in node.transitions)
