"""What a step on memory may see: the model of C11 without cycles of reads from what is only written later.

A location has messages, in the order in which they were written: every atomic write of the store reads what it
replaces, so that this is the only order. A worker has a view, the messages that it must have seen; it may read any
message that is not older. Who acquires a message that was released takes over the view it was written with. A
sequentially consistent read sees the last sequentially consistent write, or a later one. There are no fences.

Two accesses to a location, of which one writes and one is plain, must be ordered by views: else they race.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

from oracles.engine.memory_order.orders import Step
from oracles.engine.memory_order.text import WORD, Request

View = frozenset[tuple[int, ...]]
"""Messages, by location and number; and reads, by location, number and worker, of what may be written plainly."""
NOTHING: Final[View] = frozenset()
WEAKEST: Final = "monotonic"
SLOTS_IN_LINE: Final = 8
HALF_WORD: Final = (1 << 32) - 1
HINTS: Final = (0, 1, 2)
"""A hint may be any bits; no more slots than these two are filled."""


class RaceError(Exception):
    """Two accesses race, so that nothing is promised about what is read."""


@dataclass(frozen=True)
class Message:
    """A value written to a location."""

    value: int
    view: View = NOTHING
    plain: bool = False
    strong: bool = False


@dataclass(frozen=True)
class Memory:
    """All messages, and how often each worker has read what may be written plainly later."""

    messages: frozenset[tuple[int, tuple[Message, ...]]] = frozenset()
    reads: frozenset[tuple[tuple[int, int], int]] = frozenset()


Outcome = tuple[Any, Memory, View]
"""What a step answers, and what is then."""


@dataclass
class Model:
    """How steps behave: their orders, which locations are only touched by sequentially consistent steps, so that their
    last message is all that matters, and which are written plainly when they were read before."""

    orders: dict[str, Step]
    consistent: range
    rewritten: Callable[[int], bool]

    def outcomes(self, request: Request, worker: int, memory: Memory, seen: View) -> Iterator[Outcome]:
        """All that the step of a worker may come to."""
        name, *numbers = request
        words = _Words(self, dict(memory.messages), dict(memory.reads), worker, seen)
        match name:
            case "load":
                yield words.plain_read(numbers[0]), *words.end()
            case "store":
                words.plain_write(*numbers)
                yield None, *words.end()
            case "hinted" | "hinted_slots" | "hinted_tags":
                for bits in HINTS:
                    yield bits, memory, seen
            case "surveyed" | "vacant" | "surveyed_slots" | "surveyed_apart" | "believed_apart":
                yield from self._survey(name, numbers, words)
            case _:
                yield from self._step(name, numbers, words)

    def _survey(self, name: str, numbers: list[int], words: _Words) -> Iterator[Outcome]:
        line = [numbers[0] + WORD * index for index in range(SLOTS_IN_LINE)]
        step = self.orders["surveyed_apart" if name == "believed_apart" else name]
        for chosen in product(*(words.readable(place, step) for place in line)):
            each = words.copy()
            values = [each.read(place, index, step) for place, index in zip(line, chosen, strict=True)]
            yield _seen(name, numbers[1:], values), *each.end()

    def _step(self, name: str, numbers: list[int], words: _Words) -> Iterator[Outcome]:
        weak = name.startswith("weak_")
        name = name.removeprefix("weak_")
        step = self.orders[name]
        if weak:
            step = replace(step, order=WEAKEST)
        place = numbers[0]
        last = len(words.at(place)) - 1
        readable = words.readable(place, step)
        if name == "shared":
            for index in readable:
                each = words.copy()
                yield each.read(place, index, step), *each.end()
            return
        if name == "swap_if":
            for index in readable:
                if words.at(place)[index].value != numbers[1]:
                    each = words.copy()
                    yield each.read(place, index, step), *each.end()
            if words.at(place)[last].value != numbers[1]:
                return
        before = words.read(place, last, step)
        value = {"share": numbers[-1], "swap_if": numbers[-1], "add": before + numbers[-1]}[name]
        words.write(place, value, step)
        yield before, *words.end()


def _seen(name: str, numbers: list[int], values: list[int]) -> int:
    """What a look at a line with these words answers."""
    if name == "vacant":
        return _bits(value == 0 for value in values)
    if name == "surveyed":
        tag, shift = numbers
        return _bits(value >> shift == tag for value in values) | _bits(value == 0 for value in values) << SLOTS_IN_LINE
    slots = [value >> shift & HALF_WORD for value in values for shift in (0, 32)]
    if name == "surveyed_slots":
        tag, shift = numbers
        return _bits(slot != 0 and slot >> shift == tag for slot in slots) | _bits(slot == 0 for slot in slots) << 16
    tags = [value >> shift & 255 for value in values[6:] for shift in range(0, 64, 8)][:12]
    alike = (numbers[0],) if name == "believed_apart" else (numbers[0], 0)
    matches = _bits(slot != 0 and tag in alike for slot, tag in zip(slots, tags, strict=False))
    return matches | _bits(slot == 0 for slot in slots[:12]) << 16


def _bits(answers: Iterable[bool]) -> int:
    return sum(answer << index for index, answer in enumerate(answers))


class _Words:
    """Memory while one worker takes one step."""

    def __init__(self, model: Model, messages: dict[int, Any], reads: dict[Any, int], worker: int, seen: View) -> None:
        self.model, self.messages, self.reads, self.worker = model, messages, reads, worker
        self.seen = seen

    def copy(self) -> _Words:
        return _Words(self.model, dict(self.messages), dict(self.reads), self.worker, self.seen)

    def end(self) -> tuple[Memory, View]:
        memory = Memory(frozenset(self.messages.items()), frozenset(self.reads.items()))
        return memory, self.seen

    def at(self, place: int) -> tuple[Message, ...]:
        found: tuple[Message, ...] = self.messages.get(place, (Message(0),))
        return found

    def _oldest(self, place: int) -> int:
        """The number of the last message that the worker must have seen."""
        return next((index for index in range(len(self.at(place)) - 1, 0, -1) if (place, index) in self.seen), 0)

    def readable(self, place: int, step: Step) -> range:
        """The numbers of the messages that an atomic read may see."""
        messages = self.at(place)
        oldest = self._oldest(place)
        if any(each.plain for each in messages[oldest + 1 :]):
            raise RaceError("an atomic read races with a plain write")
        if step.order == "seq_cst":
            oldest = max([oldest, *(index for index, each in enumerate(messages) if each.strong or each.plain)])
        return range(oldest, len(messages))

    def read(self, place: int, index: int, step: Step) -> int:
        message = self.at(place)[index]
        self._note_message(place, index)
        self._note_read(place)
        if step.acquires:
            self.seen |= message.view
        return message.value

    def write(self, place: int, value: int, step: Step) -> None:
        """Write what replaces the last message, which the same step has read."""
        messages = self.at(place)
        self._note_message(place, len(messages))
        view = messages[-1].view | (self.seen if step.releases else frozenset({(place, len(messages))}))
        self._append(place, Message(value, view, strong=step.order == "seq_cst"))

    def plain_read(self, place: int) -> int:
        messages = self.at(place)
        if self._oldest(place) < len(messages) - 1:
            raise RaceError("a plain read races with a write")
        self._note_read(place)
        return messages[-1].value

    def plain_write(self, place: int, value: int) -> None:
        messages = self.at(place)
        if self._oldest(place) < len(messages) - 1:
            raise RaceError("a plain write races with a write")
        for (where, worker), count in self.reads.items():
            if where == place and worker != self.worker and (place, count, worker) not in self.seen:
                raise RaceError("a plain write races with a read")
        self._note_message(place, len(messages))
        self._append(place, Message(value, NOTHING, plain=True))

    def _append(self, place: int, message: Message) -> None:
        self.messages[place] = (message,) if place in self.model.consistent else (*self.at(place), message)

    def _note_message(self, place: int, index: int) -> None:
        if index and place not in self.model.consistent:
            self.seen |= {(place, index)}

    def _note_read(self, place: int) -> None:
        if self.model.rewritten(place):
            count = self.reads.get((place, self.worker), 0) + 1
            self.reads[place, self.worker] = count
            self.seen |= {(place, count, self.worker)}
