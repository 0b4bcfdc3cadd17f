"""What is never read, cells and fields of messages: what is written there is no part of a state.

A cell is read if some statement must know it to be taken, to go wrong or not, or to leave behind what is read.
`x = x + 1` alone does not read x, nor does a `printf`. A field of the messages of a type of channels is read if some
receive or poll compares it, a sorted send does, or a receive stores it in what is read. The elements of an array are
read together, fields of structures one by one. Names of channels are always read, since it matters which channels
there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import NamedTuple, get_args

from everafter.program.cell_sets import GLOBAL, CellSets
from everafter.program.effect_parts import expressions_in
from everafter.program.erasure import CellSet, Dead, Erasure
from everafter.program.program import ProcessType, Program
from everafter.program.statement_reads import copied, needed, references, statements_in
from everafter.promela.model import (
    Argument,
    Assign,
    Basic,
    Bind,
    ChannelShape,
    Expression,
    Kind,
    Match,
    Poll,
    Receive,
    Reference,
    RemoteVariable,
    Send,
    Struct,
    Variable,
)
from everafter.promela.walk import subexpressions
from everafter.record import replace

_EXPRESSION = get_args(Expression)
_Place = tuple[int, CellSet]
"""Cells of a region, or behind the regions fields of a type of channels."""


class Unread(NamedTuple):
    """What is never read."""

    cells: list[CellSet]
    """The cells of each region: the first is the global one, the others are those of the proctypes."""
    fields: tuple[CellSet, ...]
    """For each type of channels, the fields of its messages."""


def unread_cells(program: Program, watched: Iterable[Expression]) -> Unread:
    """Return what of `program` is never read. Claims and traces keep their cells.

    `watched` are the expressions that a property reads.
    """
    expressions = tuple(watched)
    reading = _Reading(program)
    reading.look(expressions)
    return reading.unread()


class _Reading:
    """Finds out what is read, and what is if something else is."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.sets = CellSets(program)
        self.regions = 1 + len(program.processes)
        self.read = [_kept(program, number) for number in range(self.regions)]
        self.read += [_names(program, kind) for kind in range(len(program.channels))]
        self.copies: list[tuple[_Place, list[_Place]]] = []
        """What is written, and what is read if that is."""

    def look(self, watched: tuple[Expression, ...]) -> None:
        always = tuple(always_read(self.program, watched))
        self._note(self._places(references(always)))
        self._note((self.sets.region(each), self.sets.whole(each)) for each in remote_variables(self.program, watched))
        for expression in (*always, *(item for effect in self.program.effects() for item in expressions_in(effect))):
            for part in subexpressions(expression):
                if isinstance(part, Poll):
                    self._note(self._compared(part.channel, part.arguments))
        for process in self.program.processes:
            for step in process.graph.transitions():
                for statement in statements_in(step.effect):
                    self._look_at(statement)
        self._follow()

    def unread(self) -> Unread:
        """What is not read."""
        whole = [_all_cells(self.program, number) for number in range(self.regions)]
        whole += [(1 << len(kind.widths)) - 1 for kind in self.program.channels]
        found = [every & ~cells for every, cells in zip(whole, self.read, strict=True)]
        return Unread(found[: self.regions], tuple(found[self.regions :]))

    def _look_at(self, statement: Basic) -> None:
        self._note(self._places(needed(statement)))
        match statement:
            case Assign(target=Reference() as target):
                self.copies.append((self._slot(target), list(self._places(copied(statement)))))
            case Send(channel=channel, arguments=arguments):
                for position, argument in enumerate(arguments):
                    for place in self._fields(channel, position):
                        self.copies.append((place, list(self._places(references((argument,))))))
                        self._note([place] if statement.is_sorted else [])
            case Receive(channel=channel, arguments=patterns):
                self._note(self._compared(channel, patterns))
                for position, pattern in enumerate(patterns):
                    if isinstance(pattern, Bind) and isinstance(pattern.target, Reference):
                        self.copies.append((self._slot(pattern.target), list(self._fields(channel, position))))
            case _:
                pass

    def _follow(self) -> None:
        """Note what is copied to what is read."""
        waiting = self.copies
        while True:
            active = [sources for (region, cells), sources in waiting if self.read[region] & cells]
            if not active:
                return
            waiting = [item for item in waiting if not self.read[item[0][0]] & item[0][1]]
            for sources in active:
                self._note(sources)

    def _note(self, places: Iterable[_Place]) -> None:
        for region, cells in places:
            self.read[region] |= cells

    def _slot(self, reference: Reference) -> _Place:
        return self.sets.region(reference.variable), self.sets.slot(reference)

    def _places(self, found: Iterable[Reference]) -> Iterator[_Place]:
        return map(self._slot, found)

    def _fields(self, channel: Expression, position: int) -> Iterator[_Place]:
        """The field at a position of the messages of all channels that may be meant."""
        for kind in types_meant(self.program, channel):
            if position < len(self.program.channels[kind].widths):
                yield self.regions + kind, 1 << position

    def _compared(self, channel: Expression, patterns: Sequence[Argument]) -> Iterator[_Place]:
        """The fields that must have certain values."""
        for position, pattern in enumerate(patterns):
            if isinstance(pattern, Match) or not (isinstance(pattern.target, Reference) or pattern.target.name == "_"):
                yield from self._fields(channel, position)


def types_meant(program: Program, channel: Expression) -> Sequence[int]:
    """Return the types of the channels of `program` that the expression `channel` may mean."""
    if isinstance(channel, Reference) and not channel.selections and channel.variable not in program.assigned:
        shape = channel.variable.initial
        if isinstance(shape, ChannelShape):
            return (program.channel_index[shape],)
    return range(len(program.channels))


def without_unread(program: Program, watched: Iterable[Expression]) -> Program:
    """Return `program` with zero for what is never read, for a property that reads `watched`."""
    found = unread_cells(program, watched)
    return _erasing(program, found.cells[GLOBAL], found.cells[1:], found.fields)


def only_without_unread(program: Program) -> Program:
    """Return `program`, which erases, with zero for nothing but what is never read."""
    erased = program.erased
    assert erased is not None
    return _erasing(program, erased.unread, erased.unread_locals, erased.fields)


def _erasing(
    program: Program, unread: CellSet, unread_locals: Sequence[CellSet], fields: tuple[CellSet, ...]
) -> Program:
    """The program, with zero for these cells and fields in every state."""
    dead = (
        MappingProxyType(dict.fromkeys(process.graph.nodes, Dead(cells)))
        for process, cells in zip(program.processes, unread_locals, strict=True)
    )
    erased = Erasure(unread, tuple(unread_locals), tuple(dead), (0,) * len(unread_locals), fields)
    return replace(program, erased=erased)


def always_read(program: Program, watched: Iterable[Expression]) -> Iterator[Expression]:
    """What may be evaluated at any time in `program`: the `watched` expressions, conditions, promises, first values."""
    yield from watched
    yield from _first_values(program.initial)
    for process in program.processes:
        yield from _first_values(process.initial)
        if process.provided is not None:
            yield process.provided
        yield from (reference for _, reference in process.declaration.exclusive)


def remote_variables(program: Program, watched: Iterable[Expression]) -> Iterator[Variable]:
    """The variables of processes of `program` that others, or `watched` expressions, read."""
    whole = [*always_read(program, watched), *(item for effect in program.effects() for item in expressions_in(effect))]
    for expression in whole:
        yield from (part.variable for part in subexpressions(expression) if isinstance(part, RemoteVariable))


def _first_values(variables: Iterable[Variable]) -> Iterator[Expression]:
    for variable in variables:
        if isinstance(variable.type, Struct):
            yield from _first_values(variable.type.fields)
        elif isinstance(variable.initial, tuple):
            yield from variable.initial
        elif isinstance(variable.initial, _EXPRESSION):
            yield variable.initial


def _all_cells(program: Program, region: int) -> CellSet:
    memory = program.memory if region == GLOBAL else program.processes[region - 1].memory
    return (1 << len(memory.cells)) - 1


def _kept(program: Program, region: int) -> CellSet:
    """The cells that are read whatever the text says."""
    if region != GLOBAL and not takes_steps(program.processes[region - 1]):
        return _all_cells(program, region)
    return channel_cells(program, region)


def _names(program: Program, kind: int) -> CellSet:
    """The fields of a type of channels that are read whatever the text says: all, where a trace looks at messages."""
    fields = program.channels[kind].fields
    if program.trace is not None:
        return (1 << len(fields)) - 1
    return sum(1 << position for position, field in enumerate(fields) if field.kind is Kind.CHAN)


def channel_cells(program: Program, region: int) -> CellSet:
    """Return the cells of `region` of `program` that name channels."""
    memory = program.memory if region == GLOBAL else program.processes[region - 1].memory
    return sum(1 << cell for cell in memory.channels)


def takes_steps(process: ProcessType) -> bool:
    """Return whether processes of this type take steps: it is no claim and no trace."""
    return process.role in ("process", "init")
