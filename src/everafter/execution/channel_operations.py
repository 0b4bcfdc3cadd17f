"""What sending and receiving mean."""

from __future__ import annotations

from collections.abc import Callable

from everafter.execution.assignment import writing
from everafter.execution.channel_watch import ChannelWatch
from everafter.execution.evaluate import Evaluator
from everafter.execution.state import Channel, Draft, Problem, ReadableState, RuntimeProblem
from everafter.promela.model import Bind, Receive, Send

Condition = Callable[[ReadableState, int, bool], bool]
"""Whether the process of that number may do something now; the flag is `timeout`."""
Deed = Callable[[Draft, int, bool], None]
"""Does it; the flag is `timeout`."""


def may_send(evaluator: Evaluator, send: Send) -> Condition:
    """Return the condition that there is room for `send`; `evaluator` says what its channel is.

    A rendezvous send may be done; that a partner is ready is for the step to see.
    """
    asked, loses_messages = evaluator.channel(send.channel), evaluator.program.loses_messages

    def may(view: ReadableState, number: int, timeout: bool) -> bool:
        _, channel = asked(view, number, timeout)
        if channel is None:
            raise RuntimeProblem("this channel died with the process that created it", send.place)
        return loses_messages or not evaluator.is_full(channel)

    return may


def sending(evaluator: Evaluator, watch: ChannelWatch, send: Send) -> Deed:
    """Return the deed that does `send`: it puts a message into a channel, and `watch` follows it.

    A rendezvous is then to be completed in the same step. `evaluator` says what the arguments mean.
    """
    asked = evaluator.channel(send.channel)
    arguments = [evaluator.value(argument) for argument in send.arguments]

    def do(draft: Draft, number: int, timeout: bool) -> None:
        at, channel = asked(draft, number, timeout)
        assert channel is not None
        kind = evaluator.program.channels[channel.type]
        values = [argument(draft, number, timeout) for argument in arguments]
        if len(values) != len(kind.widths):
            few = "few" if len(values) < len(kind.widths) else "many"
            message = f"too {few} fields in this message: {len(values)}, not {len(kind.widths)}"
            draft.report(Problem("runtime", message, send.place))
            values = (values + [0] * len(kind.widths))[: len(kind.widths)]
        if evaluator.is_full(channel):
            return  # lost, which may_send allows only if the model may lose messages
        sent = tuple([width.store(value) for width, value in zip(kind.widths, values, strict=True)])
        messages = channel.messages
        position = len(messages)
        if send.is_sorted:
            position = next((i for i, other in enumerate(messages) if tuple(values) < other), position)
        changed = Channel(channel.type, (*messages[:position], sent, *messages[position:]))
        draft.changing_channels()[at - 1] = changed
        watch.follow(draft, number, "send", at, sent, send.place)
        if kind.capacity == 0:
            draft.handshake = at

    return do


Position = Callable[[ReadableState, int, bool], int | None]


def _position(evaluator: Evaluator, receive: Receive) -> Position:
    """Which message a receive would take; None while there is none."""
    asked, search = evaluator.channel(receive.channel), evaluator.message_search(receive.arguments, receive.anywhere)

    def position(view: ReadableState, number: int, timeout: bool) -> int | None:
        at, channel = asked(view, number, timeout)
        if channel is None:
            return None
        is_rendezvous = evaluator.program.channels[channel.type].capacity == 0
        if is_rendezvous and receive.keeps:
            raise RuntimeProblem("a rendezvous channel keeps no message", receive.place)
        handshake = view.handshake if isinstance(view, Draft) else None
        if (is_rendezvous or handshake is not None) and handshake != at:
            return None
        return search(view, number, timeout, channel)

    return position


def may_receive(evaluator: Evaluator, receive: Receive) -> Condition:
    """Return the condition that there is a message for `receive` to take; `evaluator` says what it matches."""
    position = _position(evaluator, receive)
    return lambda view, number, timeout: position(view, number, timeout) is not None


def receiving(evaluator: Evaluator, watch: ChannelWatch, receive: Receive) -> Deed:
    """Return the deed that does `receive`: it takes a message, or looks at one, and writes its fields into variables.

    `evaluator` says what channel and patterns mean; `watch` follows what is taken.
    """
    asked, position = evaluator.channel(receive.channel), _position(evaluator, receive)
    written = [
        (field, writing(evaluator, pattern.target))
        for field, pattern in enumerate(receive.arguments)
        if isinstance(pattern, Bind)
    ]

    def do(draft: Draft, number: int, timeout: bool) -> None:
        taken = position(draft, number, timeout)
        at, channel = asked(draft, number, timeout)
        assert taken is not None
        assert channel is not None
        messages = channel.messages
        message = messages[taken]
        _check_fields(draft, message, receive)
        if not receive.keeps:
            watch.follow(draft, number, "receive", at, message, receive.place)
            # Taken off before the variables are written, which may change what the channel's name means.
            draft.changing_channels()[at - 1] = Channel(channel.type, messages[:taken] + messages[taken + 1 :])
            draft.handshake = None
        for field, write in written:
            if field < len(message):
                write(draft, number, message[field])

    return do


def _check_fields(draft: Draft, message: tuple[int, ...], receive: Receive) -> None:
    wanted = len(receive.arguments)
    if wanted == len(message) or (receive.keeps and wanted < len(message)):
        return
    text = f"the message has {len(message)} fields, not {wanted}"
    if wanted > len(message) > 1:
        raise RuntimeProblem(text, receive.place)
    draft.report(Problem("runtime", text, receive.place))
