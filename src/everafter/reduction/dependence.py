"""Dependence: can what others do before a process moves change what it can do, or be changed by it?

`Dependence.clashes` compares all that a process may do at a place with all that another process may still do. The
answer is nothing, ALWAYS, or conditions on the state under which the two do not commute: that a channel which one names
is the channel which the other names. Two operations on one channel commute, as is well known, when one sends at the end
and the other takes from the front, and the channel is neither full nor empty; that is a condition on the state, too.

Why this is enough: as long as the process does not move, nothing that the others do changes what it can do, so the
conditions stay as they are. `timeout` is no dependence: while the process can move, it is false for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from everafter.program.accesses import AccessTable
from everafter.program.control_flow import Node, Transition
from everafter.program.locations import CHANGING, RECEIVING, SENDING, Location, Operation
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression, Receive, Reference, Send
from everafter.record import dataclass, replace
from everafter.reduction.footprint import (
    NO_FOOTPRINT,
    Cells,
    Footprint,
    Use,
    cells_of_reference,
    footprint,
    gathered,
    runs_in,
    union,
)
from everafter.reduction.sharing import Summaries, Summary

Exempt = Literal["never", "not full", "not empty", "executable", "buffered"]


@dataclass(frozen=True, slots=True)
class Spoken:
    """The channel that an expression means for the process that speaks; no other process can change that."""

    expression: Expression


Named = Cells | Spoken


@dataclass(frozen=True, slots=True)
class Dependency:
    """Two accesses do not commute if they mean the same channel.

    `mine` is said by the process itself, `theirs` by the other; None is any channel. `unless` excepts a channel, mine,
    that is not full, not empty, no rendezvous, or on which the transition at `position` is executable.
    """

    mine: Named | None
    theirs: Cells | None
    unless: Exempt = "never"
    position: int = 0


@dataclass(frozen=True, slots=True)
class Dies:
    """An operation of mine does not commute with the end or start of processes, if its channel is a younger one's."""

    mine: Named | None


@dataclass(frozen=True, slots=True)
class Takes:
    """My end does not commute with an operation of theirs, if its channel is one that I created."""

    theirs: Cells | None


@dataclass(frozen=True, slots=True)
class Watches:
    """Two operations do not commute if the trace assertion watches both, each on some channel that it speaks of."""

    mine: Named | None
    theirs: Cells | None
    first: Cells | None
    second: Cells | None


Condition = Dependency | Dies | Takes | Watches
ALWAYS: frozenset[Condition] = frozenset({Dependency(None, None)})
"""The answer that two processes depend on each other whatever the state."""
NOTHING: frozenset[Condition] = frozenset()
"""The answer that they never do."""


class Touch(NamedTuple):
    """What a process can do to a channel, and when that is no matter to others: see `Dependency`."""

    mine: Named
    unless: Exempt
    position: int


@dataclass(frozen=True, slots=True)
class FirstUse:
    """The operation with which the transition at `position` begins."""

    operation: Operation
    channel: Named
    lasts: bool
    position: int
    anywhere: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """Everything that a process can do at a place of control before it can be interrupted again."""

    footprint: Footprint
    """Without the operations in `first`."""
    first: tuple[FirstUse, ...]
    promised: tuple[tuple[str, Cells | None], ...]
    """If the process may end here, the channels that it claims."""
    creates_channels: bool
    loses_messages: bool
    events: tuple[tuple[frozenset[Operation], Cells | None], ...]
    """What the trace assertion watches."""
    attended: frozenset[Cells | None]
    """The channels from which the process can receive before or after it has moved: a rendezvous asks for that."""


def scopes_of(program: Program, process: ProcessType, table: AccessTable) -> dict[int, Scope]:
    """Return what `process` of `program` can do at each of its places; `table` has the accesses of every transition."""
    nodes = process.graph.nodes
    own = {
        number: [
            footprint(program, process, step, accesses)
            for step, accesses in zip(node.transitions, table[process.index][number], strict=True)
        ]
        for number, node in nodes.items()
    }
    passed = gathered(process, {number: union(parts) for number, parts in own.items()}, Footprint.__or__)
    attended = _attended(program, process, own)
    scopes = {}
    for number, node in nodes.items():
        whole, first = _begun(node, own[number])
        for step in node.transitions:
            if step.keeps_atomic:
                whole |= passed.get(step.target, NO_FOOTPRINT)
        scopes[number] = Scope(
            footprint=whole,
            first=first,
            promised=promises_of(program, process) if whole.ends else (),
            creates_channels=bool(process.created),
            loses_messages=program.loses_messages,
            events=events_of(program),
            attended=attended.get(number, frozenset()),
        )
    return scopes


def _begun(node: Node, own: list[Footprint]) -> tuple[Footprint, tuple[FirstUse, ...]]:
    """The first steps at a node, and apart from them the operations with which they begin."""
    whole, first = NO_FOOTPRINT, []
    for position, (step, part) in enumerate(zip(node.transitions, own, strict=True)):
        use = _first_use(step, part, position)
        if use is None:
            whole |= part
        else:
            first.append(use)
            whole |= replace(part, uses=frozenset(item for item in part.uses if item.operation != use.operation))
    return whole, tuple(first)


def _attended(
    program: Program, process: ProcessType, own: Mapping[int, list[Footprint]]
) -> dict[int, frozenset[Cells | None]]:
    """For every place the channels from which the process can receive there, and wherever it may come to rest next."""
    if all(kind.capacity for kind in program.channels):
        return {}
    nodes = process.graph.nodes
    received = {
        number: frozenset(use.channel for part in parts for use in part.uses if use.operation in RECEIVING)
        for number, parts in own.items()
    }
    moved: dict[int, frozenset[Cells | None]] = {}
    for number, node in nodes.items():
        created = any(True for step in node.transitions for _ in runs_in(step.effect))
        anyone = frozenset({None} if created else ())  # a new process may receive from any
        moved[number] = anyone.union(*(received.get(step.target, frozenset()) for step in node.transitions))
    inside = gathered(process, moved, frozenset.union)
    return {
        number: (received[number] | moved[number]).union(
            *(inside.get(step.target, frozenset()) for step in node.transitions if step.keeps_atomic)
        )
        for number, node in nodes.items()
    }


def events_of(program: Program) -> tuple[tuple[frozenset[Operation], Cells | None], ...]:
    """The operations that the trace assertion speaks of, each with its channel, None if the text does not tell."""
    trace = program.trace
    if trace is None:
        return ()
    found = set()
    for step in trace.graph.transitions():
        if isinstance(step.effect, Send | Receive):
            operations = SENDING if isinstance(step.effect, Send) else RECEIVING
            found.add((operations, _fixed_cells(program, step.effect.channel)))
    return tuple(found)


def _fixed_cells(program: Program, channel: Expression) -> Cells | None:
    if not isinstance(channel, Reference) or channel.variable in program.assigned:
        return None
    return cells_of_reference(program, channel)


def promises_of(program: Program, process: ProcessType) -> tuple[tuple[str, Cells | None], ...]:
    """Return the channels that `process` of `program` claims with `xr` and `xs`.

    None for one that its text does not give.
    """
    return tuple((promise, _fixed_cells(program, reference)) for promise, reference in process.declaration.exclusive)


def _first_use(step: Transition, own: Footprint, position: int) -> FirstUse | None:
    """The operation of a plain send or receive; everything else about its channels is decided beforehand."""
    effect = step.effect
    if not isinstance(effect, Send | Receive):
        return None
    use = next(item for item in own.uses if item.operation in _OPERATIONS)
    channel = use.channel if use.channel is not None and len(use.channel.cells) == 1 else Spoken(effect.channel)
    anywhere = isinstance(effect, Receive) and effect.anywhere
    return FirstUse(use.operation, channel, use.lasts, position, anywhere)


_OPERATIONS: frozenset[Operation] = CHANGING | {"copy"}


# Whether two processes depend on each other


class Dependence:
    """Compares what processes can do. `creators` are the proctypes whose processes create channels.

    What an operation of another process means to a scope is found out once: futures are long, and mostly have the same
    operations, so that they are compared as sets of numbers.
    """

    def __init__(self, creators: frozenset[int]) -> None:
        self.creators = creators
        self._summaries = Summaries()
        self._numbers: dict[Use, int] = {}
        self._uses: list[Use] = []
        self._futures: dict[Footprint, Future] = {}
        self._scopes: dict[Scope, ScopeClashes] = {}

    def clashes(self, mine: Scope, theirs: Footprint) -> frozenset[Condition]:
        """Return when what a process can do, `mine`, and what another may still do, `theirs`, do not commute."""
        return self.of(mine).against(self.future(theirs))

    def of(self, scope: Scope) -> ScopeClashes:
        """Return what is found out about a process with `scope`: for many futures, this is computed once."""
        found = self._scopes.get(scope)
        if found is None:
            summary = self._summaries.of(scope.footprint)
            found = self._scopes[scope] = ScopeClashes(scope, summary, self.creators, self._uses)
        return found

    def future(self, footprint: Footprint) -> Future:
        """Return `footprint`, what a process may still do, as it is compared."""
        found = self._futures.get(footprint)
        if found is None:
            numbers = 0
            for use in footprint.uses:
                number = self._numbers.setdefault(use, len(self._uses))
                if number == len(self._uses):
                    self._uses.append(use)
                numbers |= 1 << number
            changes = Location("channels") in footprint.writes or not footprint.ends.isdisjoint(self.creators)
            operations = _Operations(numbers, changes)
            found = self._futures[footprint] = Future(self._summaries.of(footprint), operations)
        return found


class _Operations(NamedTuple):
    """What a future does to channels: the numbers of its operations, and whether channels come or go."""

    numbers: int
    changes_channels: bool


class Future(NamedTuple):
    """What a process may still do, as it is compared."""

    summary: Summary
    operations: _Operations


class ScopeClashes:
    """When what a process can do, in a scope with this summary, does not commute with futures of others."""

    def __init__(self, mine: Scope, summary: Summary, creators: frozenset[int], uses: list[Use]) -> None:
        self._mine = mine
        self._summary = summary
        self._creators = creators
        self._uses = uses
        self._is_apart = not (mine.first or mine.footprint.uses)
        self._told = _told_cells(mine)
        self._known = self._certain = self._possible = 0
        self._found: dict[int, frozenset[Condition]] = {}
        self._answers: dict[_Operations, frozenset[Condition]] = {}
        self._alive = self._settled(Footprint(writes=frozenset({Location("channels")})))

    def against(self, future: Future) -> frozenset[Condition]:
        """Return when it does not commute with `future`."""
        own, other = self._summary, future.summary
        if own.shares_variables(other) or own.shares_processes(other):
            return ALWAYS
        if self._is_apart and not future.operations.numbers:
            return NOTHING
        return self._by_channels(future.operations)

    def _by_channels(self, theirs: _Operations) -> frozenset[Condition]:
        """When it does not commute with one of these operations."""
        for number in _bits(theirs.numbers & ~self._known):
            self._learn(number)
        if theirs.numbers & self._certain or (theirs.changes_channels and self._alive is ALWAYS):
            return ALWAYS
        clashing = _Operations(theirs.numbers & self._possible, theirs.changes_channels)
        answer = self._answers.get(clashing)
        if answer is None:
            alive = self._alive if theirs.changes_channels else NOTHING
            answer = alive.union(*(self._found[number] for number in _bits(clashing.numbers)))
            self._answers[clashing] = answer
        return answer

    def _learn(self, number: int) -> None:
        use, bit = self._uses[number], 1 << number
        self._known |= bit
        theirs = use.channel
        if (
            self._told is not None
            and theirs is not None
            and not theirs.is_local
            and self._told.isdisjoint(theirs.cells)
        ):
            return  # as in most programs with many channels, and soon decided
        found = self._settled(Footprint(uses=frozenset({use})))
        if found is ALWAYS:
            self._certain |= bit
        elif found:
            self._possible |= bit
            self._found[number] = found

    def _settled(self, theirs: Footprint) -> frozenset[Condition]:
        mine = self._mine
        found = {
            *_channel_clashes(mine, theirs),
            *_lifetime_clashes(mine, theirs, self._creators),
            *_events(mine, theirs),
        }
        settled = frozenset(item for item in found if not _is_apart(item))
        return ALWAYS if any(map(_is_certain, settled)) else settled


def _told_cells(mine: Scope) -> frozenset[int] | None:
    """The global cells that name all channels on which something is done in a scope, None if others matter to it."""
    if mine.events or Location("channels") in mine.footprint.writes:
        return None
    named: set[Named | None] = {use.channel for use in mine.first}
    named.update(use.channel for use in mine.footprint.uses)
    named.update(channel for _, channel in mine.promised)
    named.update(mine.attended)
    cells: set[int] = set()
    for each in named:
        if not isinstance(each, Cells) or each.is_local:
            return None
        cells.update(each.cells)
    return frozenset(cells)


def _bits(numbers: int) -> Iterator[int]:
    """The numbers in a set of them."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


def _channel_clashes(mine: Scope, theirs: Footprint) -> Iterator[Condition]:
    for use in theirs.uses:
        for first in mine.first:
            unless = _exception(first, use.operation, mine.loses_messages)
            if unless is not None:
                yield Dependency(first.channel, use.channel, unless, first.position if unless == "executable" else 0)
        for own in mine.footprint.uses:
            if not {own.operation, use.operation}.isdisjoint(CHANGING):
                yield Dependency(own.channel, use.channel)
        if use.operation == "offer":
            yield from (Dependency(channel, use.channel, "buffered") for channel in mine.attended)
        for promise, channel in mine.promised:
            if use.operation in _PROMISED[promise]:
                yield Dependency(channel, use.channel)


_PROMISED: dict[str, frozenset[Operation]] = {"xs": SENDING, "xr": RECEIVING}


def _exception(first: FirstUse, operation: Operation, loses_messages: bool) -> Exempt | None:
    """When an operation commutes with one of another process on the same channel; None: always.

    Proof: proofs/reduction/channels.v, theorem excepted_commute. Sorted sends, polls and lengths are not in it.
    """
    match first.operation, operation:
        case "send", "receive" | "pick" | "copy":
            return "not full"
        case "receive" | "pick", "send" if loses_messages:
            return "never"  # whether a message is lost depends on whether another was taken before
        case "receive" | "pick" | "copy", "send":
            return "executable" if first.anywhere else "not empty"
        case "copy", "copy" | "poll" | "offer" | "length":
            return None
        case _:
            return "never"


def _lifetime_clashes(mine: Scope, theirs: Footprint, creators: frozenset[int]) -> Iterator[Condition]:
    """Channels come and go with the processes that create them."""
    channels = Location("channels")
    if channels in mine.footprint.writes and any(not use.lasts for use in theirs.uses):
        yield Dependency(None, None)
    if channels in theirs.writes or not theirs.ends.isdisjoint(creators):
        yield from (Dies(use.channel) for use in mine.first if not use.lasts)
        yield from (Dies(use.channel) for use in mine.footprint.uses if not use.lasts)
    if mine.footprint.ends and mine.creates_channels:
        yield from (Takes(use.channel) for use in theirs.uses if not use.lasts)


def _events(mine: Scope, theirs: Footprint) -> Iterator[Condition]:
    """Operations that both move the trace assertion on."""
    own: set[tuple[Operation, Named | None]] = {(use.operation, use.channel) for use in mine.first}
    own |= {(use.operation, use.channel) for use in mine.footprint.uses}
    for operations, first in mine.events:
        for others, second in mine.events:
            for operation, channel in own:
                if operation in operations:
                    yield from (
                        Watches(channel, use.channel, first, second) for use in theirs.uses if use.operation in others
                    )


def _is_apart(condition: Condition) -> bool:
    """Whether the text tells that the channels are different: global variables that are never assigned are."""
    match condition:
        case Dependency(mine=Cells(is_local=False, cells=mine), theirs=Cells(is_local=False, cells=theirs)):
            return set(mine).isdisjoint(theirs)
        case Watches(mine=Cells(is_local=False, cells=mine), first=Cells(cells=first)) if set(mine).isdisjoint(first):
            return True
        case Watches(theirs=Cells(is_local=False, cells=theirs), second=Cells(cells=second)):
            return set(theirs).isdisjoint(second)
        case Dies(mine=Cells(is_local=False)) | Takes(theirs=Cells(is_local=False)):
            return True
        case _:
            return False


def _is_certain(condition: Condition) -> bool:
    """Whether the text tells that the condition holds in every state."""
    match condition:
        case Dependency(mine=None, unless="never") | Dies(mine=None) | Takes(theirs=None):
            return True
        case Dependency(
            mine=Cells(is_local=False, cells=mine), theirs=Cells(is_local=False, cells=theirs), unless="never"
        ):
            return mine == theirs and len(mine) == 1
        case _:
            return False


def told(condition: Condition) -> tuple[Touch, Cells | None] | None:
    """What a clash says of the process and of the other, if the place of the other is all that it depends on.

    Global channels that the text tells are always the same; None is any channel.
    """
    match condition:
        case Dependency(mine=Cells() | Spoken() as mine, theirs=Cells(is_local=False) | None as theirs):
            return Touch(mine, condition.unless, condition.position), theirs
        case _:
            return None
