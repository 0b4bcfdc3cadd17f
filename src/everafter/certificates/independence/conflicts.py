"""When what a process can do at a place does not commute with what another may still do: from the text of both.

The answer for two places is nothing, ALWAYS, or `Same`, `Dies`, `Ends` and `Watched`, which are decided in a state:
they compare numbers of channels, and whether a channel is full or empty. The hypotheses of the theorem that this
serves are those of proofs/reduction/programs.v: `compatible` for variables, `excepted` for operations on one channel.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import or_
from typing import Literal, NamedTuple

from everafter.certificates.independence.later_steps import runs_in
from everafter.certificates.independence.sequences import goes_on, passing
from everafter.certificates.independence.touches import (
    CHANGES,
    PUTS,
    TAKES,
    Name,
    Operation,
    Text,
    Touch,
    Use,
    all_of,
    operation_of,
)
from everafter.program.control_flow import Node
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression, Receive, Send
from everafter.record import dataclass, replace

Unless = Literal["never", "not full", "not empty", "executable", "buffered"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """The channel that an expression means now; as long as the process does not move, no other process changes that."""

    expression: Expression


Meant = Name | Spoken | None


@dataclass(frozen=True, slots=True)
class Same:
    """The two mean the same channel, and it is not such that their operations commute all the same."""

    mine: Meant
    theirs: Name | None
    unless: Unless = "never"
    position: int = 0
    """Of the transition that must be possible, if that is the exception."""


@dataclass(frozen=True, slots=True)
class Dies:
    """My channel is one that a younger process created: it may die, or get another number."""

    mine: Meant


@dataclass(frozen=True, slots=True)
class Ends:
    """Their channel is one that I created, and I may end."""

    theirs: Name | None


@dataclass(frozen=True, slots=True)
class Watched:
    """Both operations are events of the trace assertion."""

    mine: Meant
    theirs: Name | None
    first: Name | None
    second: Name | None


Condition = Same | Dies | Ends | Watched
ALWAYS: frozenset[Condition] = frozenset({Same(None, None)})


@dataclass(frozen=True, slots=True)
class Operating:
    """The operation on a channel with which a transition begins."""

    operation: Operation
    channel: Name | Spoken
    lasts: bool
    position: int
    anywhere: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """All that a process can do at a place before it can be interrupted."""

    touch: Touch
    """Without the operations in `first`."""
    first: tuple[Operating, ...]
    claims: tuple[tuple[str, Name | None], ...]
    """What the process promises by `xr` and `xs`, if it may end here."""
    attends: frozenset[Name | None]
    """From which channels it can receive here, or where it comes to rest next: a rendezvous asks for that."""
    creates: bool
    """Whether the process has channels of its own."""

    @property
    def operations(self) -> list[Operating | Use]:
        """Everything that is done to channels."""
        return [*self.first, *self.touch.uses]


class Conflicts:
    """Compares scopes with futures."""

    def __init__(self, program: Program, text: Text) -> None:
        self._program = program
        self._text = text
        self._meets = any(channel.capacity == 0 for channel in program.channels)
        self._creators = frozenset(kind.index for kind in program.processes if kind.created)
        self._events = self._events_of_trace()
        self.watches = bool(self._events)
        """Whether there is a trace assertion that watches channels."""
        self.operations: list[Use] = []
        """The operations on channels in all futures."""
        self._numbers: dict[Use, int] = {}

    # What a process can do at a place

    def scopes(self, kind: ProcessType) -> dict[int, Scope]:
        """What a process of a type can do at each place."""
        nodes = kind.graph.nodes
        own = {number: all_of(self._text.steps(kind, number)) for number in nodes}
        inside = passing(kind, own, or_)
        attended = self._attended(kind, own) if self._meets else {}
        return {number: self._scope(kind, node, inside, attended) for number, node in nodes.items()}

    def _scope(
        self, kind: ProcessType, node: Node, inside: dict[int, Touch], attended: dict[int, frozenset[Name | None]]
    ) -> Scope:
        parts, first = [], []
        for position, (step, own) in enumerate(zip(node.transitions, self._text.steps(kind, node.number), strict=True)):
            begins: set[Use] = set()
            if isinstance(step.effect, Send | Receive):
                first.append(self._operating(step.effect, position))
                begins.add(self._text.use(operation_of(step.effect), step.effect.channel))
            parts.append(replace(own, uses=own.uses - begins))
            if goes_on(kind, step):
                parts.append(inside[step.target])
        touch = all_of(parts)
        claims = kind.declaration.exclusive if touch.ends else ()
        return Scope(
            touch,
            tuple(first),
            tuple((promise, self._fixed(reference)) for promise, reference in claims),
            attended.get(node.number, frozenset()),
            bool(kind.created),
        )

    def _operating(self, effect: Send | Receive, position: int) -> Operating:
        use = self._text.use(operation_of(effect), effect.channel)
        one = use.channel is not None and len(use.channel.cells) == 1
        channel = use.channel if one and use.channel is not None else Spoken(effect.channel)
        return Operating(use.operation, channel, use.lasts, position, isinstance(effect, Receive) and effect.anywhere)

    @staticmethod
    def _attended(kind: ProcessType, own: dict[int, Touch]) -> dict[int, frozenset[Name | None]]:
        """For every place the channels from which a process can receive there, or where it comes to rest next."""
        nodes = kind.graph.nodes
        here = {
            number: frozenset(use.channel for use in touch.uses if use.operation in TAKES)
            for number, touch in own.items()
        }
        nothing: frozenset[Name | None] = frozenset()
        anything = frozenset({None})  # who is started may receive from any
        next_to = {
            number: nothing.union(
                *(here.get(step.target, nothing) for step in node.transitions),
                *(anything for step in node.transitions for _ in runs_in(step)),
            )
            for number, node in nodes.items()
        }
        behind = passing(kind, next_to, frozenset.union)
        return {number: here[number] | behind[number] for number in nodes}

    def meeting(self, kind: ProcessType) -> set[int]:
        """The places where an atomic sequence may begin in which a rendezvous is offered behind its first step."""
        nodes = kind.graph.nodes
        sends = {number: any(isinstance(s.effect, Send) for s in node.transitions) for number, node in nodes.items()}
        inside = passing(kind, sends, or_)
        return {
            number
            for number, node in nodes.items()
            if self._meets and any(inside[step.target] for step in node.transitions if goes_on(kind, step))
        }

    # Two processes

    def of(self, mine: Scope) -> ScopeConflicts:
        """Return what finds out when `mine`, what a process can do, does not commute with futures."""
        return ScopeConflicts(self, mine)

    def future(self, theirs: Touch) -> NumberedTouch:
        """Return `theirs`, what a process may still do, with its operations on channels as a set of numbers."""
        numbers = 0
        for use in theirs.uses:
            number = self._numbers.setdefault(use, len(self.operations))
            if number == len(self.operations):
                self.operations.append(use)
            numbers |= 1 << number
        return NumberedTouch(theirs, numbers, bool(theirs.creates or theirs.ends & self._creators))

    def with_operation(self, mine: Scope, use: Use) -> frozenset[Condition]:
        """Return when `mine`, what a process can do, does not commute with an operation `use` of another."""
        found = {*self._on_channels(mine, use), *self._of_lifetimes(mine, use), *self._of_events(mine, use)}
        return ALWAYS if Same(None, None) in found else frozenset(item for item in found if not _is_never(item))

    def _on_channels(self, mine: Scope, use: Use) -> Iterator[Condition]:
        for first in mine.first:
            unless = self._exception(first, use.operation)
            if unless is not None:
                yield Same(first.channel, use.channel, unless, first.position if unless == "executable" else 0)
        for own in mine.touch.uses:
            if own.operation in CHANGES or use.operation in CHANGES:
                yield Same(own.channel, use.channel)
        if use.operation == "offer":
            yield from (Same(channel, use.channel, "buffered") for channel in mine.attends)
        for promise, channel in mine.claims:
            if use.operation in (PUTS if promise == "xs" else TAKES):
                yield Same(channel, use.channel)

    def _exception(self, first: Operating, other: Operation) -> Unless | None:
        """When two operations on one channel commute though one changes it; None: always.

        A send at the end commutes with what happens at the front while there is room; what happens at the front
        commutes with a send at the end while there is something; messages that are lost when a channel is full
        couple both. Hypothesis `excepted` of proofs/reduction/channels.v.
        """
        looks = {"copy", "poll", "offer", "length"}
        if first.operation == "copy" and other in looks:
            return None
        if first.operation == "send" and other in TAKES | {"copy"}:
            return "not full"
        if other == "send" and first.operation in TAKES | {"copy"}:
            if self._program.loses_messages and first.operation in TAKES:
                return "never"
            return "executable" if first.anywhere else "not empty"
        return "never"

    @staticmethod
    def _of_lifetimes(mine: Scope, use: Use) -> Iterator[Condition]:
        if mine.touch.creates and not use.lasts:
            yield Same(None, None)
        if mine.touch.ends and mine.creates and not use.lasts:
            yield Ends(use.channel)

    def _events_of_trace(self) -> list[tuple[frozenset[Operation], Name | None]]:
        trace = self._program.trace
        effects = [step.effect for step in trace.graph.transitions()] if trace is not None else []
        return [
            (PUTS if isinstance(effect, Send) else TAKES, self._fixed(effect.channel))
            for effect in effects
            if isinstance(effect, Send | Receive)
        ]

    def _fixed(self, channel: Expression) -> Name | None:
        return self._text.name(channel)

    def _of_events(self, mine: Scope, use: Use) -> Iterator[Condition]:
        for operations, first in self._events:
            for others, second in self._events:
                if use.operation in others:
                    for own in mine.operations:
                        if own.operation in operations:
                            yield Watched(own.channel, use.channel, first, second)


class NumberedTouch(NamedTuple):
    """What a process may still do."""

    touch: Touch
    numbers: int
    """Its operations on channels, as bits."""
    changes_channels: bool
    """Whether channels come or go."""


class ScopeConflicts:
    """When what a process can do does not commute with futures; each operation on a channel is looked at once."""

    def __init__(self, conflicts: Conflicts, mine: Scope) -> None:
        self._conflicts = conflicts
        self._mine = mine
        self._known = self._certain = 0
        self._found: dict[int, frozenset[Condition]] = {}
        mortal = (Dies(use.channel) for use in mine.operations if not use.lasts)
        self._dying = frozenset(item for item in mortal if not _is_never(item))
        self._answers: dict[tuple[int, bool], frozenset[Condition]] = {}
        names = [*(use.channel for use in mine.operations), *(name for _, name in mine.claims), *mine.attends]
        plain = [name for name in names if isinstance(name, Name) and not name.is_local]
        self._told = {cell for name in plain for cell in name.cells}
        self._is_told = len(plain) == len(names) and not mine.touch.creates and not conflicts.watches
        """Whether nothing matters but operations on channels that global names tell."""

    def against(self, theirs: NumberedTouch) -> frozenset[Condition]:
        """Return when it does not commute with `theirs`."""
        if _share(self._mine.touch, theirs.touch):
            return ALWAYS
        key = theirs.numbers, theirs.changes_channels
        if key not in self._answers:
            self._answers[key] = self._answer(*key)
        return self._answers[key]

    def _answer(self, numbers: int, changes_channels: bool) -> frozenset[Condition]:
        for number in _bits(numbers & ~self._known):
            self._learn(number)
        if numbers & self._certain:
            return ALWAYS
        alive = self._dying if changes_channels else _NOTHING
        return alive.union(*(found for number, found in self._found.items() if numbers >> number & 1))

    def _learn(self, number: int) -> None:
        use, bit = self._conflicts.operations[number], 1 << number
        self._known |= bit
        theirs = use.channel
        if self._is_told and theirs is not None and not theirs.is_local and self._told.isdisjoint(theirs.cells):
            return
        found = self._conflicts.with_operation(self._mine, use)
        if found == ALWAYS:
            self._certain |= bit
        elif found:
            self._found[number] = found


_NOTHING: frozenset[Condition] = frozenset()


def _bits(numbers: int) -> Iterator[int]:
    """The numbers in a set of them."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


def _share(mine: Touch, theirs: Touch) -> bool:
    """Whether one writes what the other touches, or asks for what the other changes of processes.

    That both end is no conflict: only the youngest can.
    """
    if mine.is_boundless or theirs.is_boundless:
        return True
    if mine.shown & theirs.looks or theirs.shown & mine.looks:
        return True
    if mine.writes & (theirs.reads | theirs.writes) or theirs.writes & mine.reads:
        return True
    if mine.counts and (theirs.starts or theirs.ends):
        return True
    return theirs.counts and bool(mine.starts or mine.ends)


def _is_never(condition: Condition) -> bool:
    """Whether global names tell that it cannot be: each names a channel of its own, which lives for ever."""
    match condition:
        case Same(mine=Name(is_local=False, cells=mine), theirs=Name(is_local=False, cells=theirs)):
            return not set(mine) & set(theirs)
        case Dies(mine=Name(is_local=False)) | Ends(theirs=Name(is_local=False)):
            return True
        case _:
            return False
