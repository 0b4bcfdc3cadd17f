"""The messages of a run: who sent each of them in which step, and who received it when.

A state says what is in a channel, not how it got there. So each channel is followed from state to state: what has come
is put down to the process that moved, what has gone likewise. Equal messages are distinguished by their order, which is
the order in which they are received.
"""

from __future__ import annotations

from collections.abc import Sequence

from everafter.execution.perform import actor_of, value_of
from everafter.execution.state import Channel, State
from everafter.execution.step import Step
from everafter.page.content import NOT_YET, Message
from everafter.page.program_view import Drawn
from everafter.promela.model import Send
from everafter.verdict.changes import channel_name

Contents = tuple[tuple[int, ...], ...]


class Post:
    """Follows the messages of a run. Its first state must have none that matter."""

    def __init__(self, drawn: Drawn, start: State) -> None:
        self._drawn = drawn
        self._found: list[Message] = []
        self._waiting: list[list[int | None]] = [[None] * len(channel.messages) for channel in start.channels]
        """For each channel, which of the messages found are in it; None for one that was there before."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages found so far, in the order in which they were sent."""
        return tuple(self._found)

    def follow(self, number: int, step: Step, before: State) -> None:
        """Follow the messages of `step`, the one with this `number` in the run, taken in the state `before`."""
        after = step.state
        if after is None:
            return
        if step.partner is not None:
            self._meet(number, step, before)
        elif before.channels is not after.channels:
            for position, (old, new) in enumerate(zip(before.channels, after.channels, strict=False)):
                if old is not new and old.messages != new.messages:
                    self._exchange(number, step.process, position, old, new, after)
            del self._waiting[len(after.channels) :]
            self._waiting += [[None] * len(channel.messages) for channel in after.channels[len(self._waiting) :]]
        elif isinstance(step.transition.effect, Send):
            self._lose(number, step, step.transition.effect, before)

    def _meet(self, number: int, step: Step, before: State) -> None:
        """A rendezvous: the message goes from hand to hand, and no state has it."""
        effect, partner = step.transition.effect, step.partner
        if isinstance(effect, Send) and partner is not None:
            channel, text = self._sent(effect, step.process, before)
            self._found.append(Message(number, step.process, number, partner, channel, text))

    def _lose(self, number: int, step: Step, send: Send, before: State) -> None:
        channel, text = self._sent(send, step.process, before)
        self._found.append(Message(number, step.process, NOT_YET, NOT_YET, channel, text, lost=True))

    def _sent(self, send: Send, process: int, before: State) -> tuple[str, str]:
        """The name of the channel that a statement sends to, and the message."""
        program = self._drawn.program
        channel_number, channel = actor_of(program).channel(send.channel)(before, process, False)
        values = tuple(value_of(program, before, process, argument) for argument in send.arguments)
        name = channel_name(program, before, channel_number)
        return name, self._text(channel.type if channel is not None else None, values)

    def _exchange(self, number: int, process: int, position: int, old: Channel, new: Channel, after: State) -> None:
        waiting = self._waiting[position]
        came, gone = compared(old.messages, new.messages)
        for place in reversed(gone):
            message = waiting.pop(place)
            if message is not None:
                self._found[message] = self._found[message]._replace(received=number, receiver=process)
        name = channel_name(self._drawn.program, after, position + 1) if came else ""
        for place in came:
            waiting.insert(place, len(self._found))
            text = self._text(new.type, new.messages[place])
            self._found.append(Message(number, process, NOT_YET, NOT_YET, name, text))

    def _text(self, kind: int | None, values: Sequence[int]) -> str:
        if kind is None:
            return ", ".join(map(str, values))
        fields = self._drawn.program.channels[kind].fields
        return ", ".join(self._drawn.text_of(field, value) for field, value in zip(fields, values, strict=False))


def compared(old: Contents, new: Contents) -> tuple[list[int], list[int]]:
    """The places in `new` of the messages that came, and those in `old` of the messages that have gone.

    One statement takes the first of several equal messages, and puts one behind those equal to it. A d_step may do
    more: then it is assumed to take from the front and to put at the back, if that explains what is seen.
    """
    if len(new) == len(old) + 1:
        place = next((i for i, message in enumerate(old) if message != new[i]), len(old))
        if old[place:] == new[place + 1 :]:
            return [place], []
    if len(new) + 1 == len(old):
        place = next((i for i, message in enumerate(new) if message != old[i]), len(new))
        if old[place + 1 :] == new[place:]:
            while place and old[place - 1] == old[place]:
                place -= 1
            return [], [place]
    taken = next(count for count in range(len(old) + 1) if old[count:] == new[: len(old) - count])
    return list(range(len(old) - taken, len(new))), list(range(taken))
