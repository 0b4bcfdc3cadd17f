"""Whether anything may depend on what rows have as zero: decided anew, forwards, from the program's text.

`program/erasure.py` says which cells are zero, and at which places of control. Their values are taken for unknown here,
and followed through each step: wherever a process is, the step must be possible or not, go wrong or not, and tell
others the same whatever they are, and behind it nothing else may be unknown than what is zero there. So a state and its
row go the same ways: theorem `zeros_change_nothing` of proofs/reduction/zeros.v.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Terminate, Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.erasure import NOWHERE, CellSet, Erasure
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Argument,
    Assert,
    Assign,
    Basic,
    Binary,
    Bind,
    ChannelShape,
    Conditional,
    Constant,
    Declare,
    Else,
    Expression,
    Kind,
    NonProgress,
    Poll,
    Predefined,
    Print,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Send,
    SetPriority,
    Struct,
    Test,
    Timeout,
    Unary,
    Variable,
)
from everafter.promela.walk import parts_of, subexpressions
from everafter.source import Place


def read_of_zeros(program: Program, watched: Iterable[Expression]) -> str:
    """Return what may depend on a cell that `program` has as zero, in words; nothing if nothing does.

    `watched` are the expressions that a property reads.
    Proof: proofs/reduction/zeros.v, theorem zeros_change_nothing.
    """
    if program.erased is None:
        return ""
    try:
        _UnknownValues(program, program.erased).look(tuple(watched))
    except _DependsError as found:
        return f"{found} may depend on what is zero"
    return ""


class _DependsError(Exception):
    """Something may depend on an unknown value; the message says what."""


class Unknown(NamedTuple):
    """The cells whose values are not known: of the process in question, and global ones."""

    local: CellSet = 0
    shared: CellSet = 0


_NOT_FALLIBLE = (Constant, Predefined, Timeout, NonProgress, Unary, Binary, Conditional, RemoteLabel)


class _UnknownValues:
    """Follows unknown values through one program."""

    def __init__(self, program: Program, erased: Erasure) -> None:
        self.program = program
        self.erased = erased
        self.owned = 0
        """The global cells that some process alone uses."""
        self.somewhere = [0] * len(program.processes)
        """The cells of each proctype that are zero at some place."""
        for cells in erased.owned:
            self.owned |= cells
        for kind in program.processes:
            for number in kind.graph.nodes:
                self.somewhere[kind.index] |= erased.at(kind.index, number).local

    def look(self, watched: tuple[Expression, ...]) -> None:
        """Raise _DependsError where something depends on what is zero."""
        self._look_at_sets()
        self._look_at_owners()
        self._require([*watched, *_first_values(self.program.initial)], Unknown(0, self.erased.unread | self.owned))
        for kind in self.program.processes:
            anywhere = Unknown(self.somewhere[kind.index], self.erased.unread | self.owned)
            given = [kind.provided] if kind.provided is not None else []
            promised = [reference for _, reference in kind.declaration.exclusive]
            self._require([*given, *promised, *_first_values(kind.initial)], anywhere)
            for number, node in kind.graph.nodes.items():
                for step in node.transitions:
                    self._look_at_step(kind, number, step)

    # What the sets must be

    def _look_at_sets(self) -> None:
        """Names of channels are never zero, nor what a claim or trace has; what is never read is zero everywhere."""
        erased, channels = self.erased, _bits(self.program.memory.channels)
        if channels & (erased.unread | self.owned) or erased.unread & self.owned:
            raise _DependsError("the name of a channel")
        for zeros, shape in zip(erased.fields, self.program.channels, strict=True):
            if zeros & _bits(at for at, each in enumerate(shape.fields) if each.kind is Kind.CHAN):
                raise _DependsError("the name of a channel in a message")
            if zeros and self.program.trace is not None:
                raise _DependsError("the trace")
        for kind in self.program.processes:
            unread = erased.unread_locals[kind.index]
            if _bits(kind.memory.channels) & (self.somewhere[kind.index] | unread):
                raise _DependsError(f"the name of a channel of {kind.name}")
            if not _moves(kind) and (unread | self.somewhere[kind.index] | erased.owned[kind.index]):
                raise _DependsError(kind.name)
            for number in kind.graph.nodes if _moves(kind) else ():
                local, owned = erased.at(kind.index, number)
                if unread & ~local or owned & ~erased.owned[kind.index]:
                    raise _DependsError(f"{kind.name} at {number}")

    def _look_at_owners(self) -> None:
        """What one process alone uses, no other names, and there is one of its type from the start on."""
        started = {
            part.proctype
            for effect in self.program.effects()
            for item in expressions_in(effect)
            for part in subexpressions(item)
            if isinstance(part, RunExpression)
        }
        taken = self.erased.unread
        for kind in self.program.processes:
            owned = self.erased.owned[kind.index]
            if owned & taken or (owned and (kind.instances != 1 or kind.name in started)):
                raise _DependsError(f"another {kind.name}")
            taken |= owned
            others = self.owned & ~owned
            for step in kind.graph.transitions() if others else ():
                for item in expressions_in(step.effect):
                    self._look_for(others, item)

    def _look_for(self, cells: CellSet, expression: Expression) -> None:
        for part in subexpressions(expression):
            if isinstance(part, Reference) and part.variable.proctype is None and self.cells(part) & cells:
                raise _DependsError(_at(part.place))

    # Steps

    def _look_at_step(self, kind: ProcessType, number: int, step: Transition) -> None:
        others = self.erased.unread | (self.owned & ~self.erased.owned[kind.index])
        here = self.erased.at(kind.index, number)
        behind = self._behind(step.effect, Unknown(here.local if _moves(kind) else 0, here.owned | others))
        ends = isinstance(step.effect, Terminate)
        there = self.erased.at(kind.index, NOWHERE if ends else step.target)
        if not _moves(kind):
            return
        if (not ends and behind.local & ~there.local) or behind.shared & ~(there.owned | others):
            raise _DependsError(f"what follows {_at(step.place)}")

    def _behind(self, effect: Effect, before: Unknown) -> Unknown:
        """What is unknown behind an effect."""
        match effect:
            case Jump() | Terminate():
                return before
            case DeterministicStep(guards=guards):
                for guard in guards or ():
                    self._after(guard, before)
                return self._through(effect, before)
            case _:
                return self._after(effect, before)

    def _through(self, step: DeterministicStep, before: Unknown) -> Unknown:
        """What is unknown behind a `d_step`, along any way through it."""
        known: dict[int | None, Unknown] = {step.start: before}
        waiting = [step.start]
        while waiting:
            number = waiting.pop()
            if number is None:
                continue
            item, here = step.instructions[number], known[number]
            after = self._after(item.statement, here) if isinstance(item, Perform) else here
            for target in (item.next,) if isinstance(item, Perform) else item.options:
                old = known.get(target, Unknown())
                new = Unknown(old.local | after.local, old.shared | after.shared)
                if target not in known or new != old:
                    known[target] = new
                    waiting.append(target)
        return known.get(None, Unknown())

    def _after(self, statement: Basic, before: Unknown) -> Unknown:
        """What is unknown behind a statement."""
        match statement:
            case Assign(target=Reference() as target, value=value):
                is_unknown = self.value(value, before)
                self._require(parts_of(target), before)
                return self._written(target, before, is_unknown)
            case Assign(value=value) | Test(condition=value) | Assert(condition=value):
                self._require([value], before)
            case Print(arguments=arguments):
                for argument in arguments:
                    self.value(argument, before)
            case Send(channel=channel, arguments=arguments):
                self._require([channel], before)
                self._look_at_message(statement, [self.value(argument, before) for argument in arguments])
            case Receive():
                return self._received(statement, before)
            case SetPriority(process=process, priority=priority):
                self._require([process, priority], before)
            case Else() | Declare():
                pass
        return before

    def _look_at_message(self, send: Send, are_unknown: Sequence[bool]) -> None:
        """Unknown values are sent in fields alone that are zero; and a sorted send compares no such field."""
        for position, is_unknown in enumerate(are_unknown):
            zeros = self._zeros(send.channel, position)
            if (is_unknown and not all(zeros)) or (send.is_sorted and any(zeros)):
                raise _DependsError(_at(send.place))

    def _zeros(self, channel: Expression, position: int) -> list[bool]:
        """Whether the field at a position is zero, for each type of channels that may be meant."""
        return [bool(self.erased.fields[kind] >> position & 1) for kind in self._types(channel)]

    def _types(self, channel: Expression) -> Sequence[int]:
        if isinstance(channel, Reference) and not channel.selections:
            shape = channel.variable.initial
            if isinstance(shape, ChannelShape) and channel.variable not in self.program.assigned:
                return (self.program.channel_index[shape],)
        return range(len(self.program.channels))

    def _look_at_patterns(self, channel: Expression, patterns: Sequence[Argument], place: Place) -> None:
        """No field is compared that is zero, nor stored but in a variable, or thrown away."""
        for position, pattern in enumerate(patterns):
            is_stored = isinstance(pattern, Bind) and (
                isinstance(pattern.target, Reference) or pattern.target.name == "_"
            )
            if not is_stored and any(self._zeros(channel, position)):
                raise _DependsError(_at(place))

    def _received(self, receive: Receive, before: Unknown) -> Unknown:
        """What is unknown once the fields of a message have been stored; they are known, but those that are zero."""
        self._require([receive.channel], before)
        self._look_at_patterns(receive.channel, receive.arguments, receive.place)
        sure, behind = self._fewest_fields(receive.channel), before
        for position, pattern in enumerate(receive.arguments):
            if not isinstance(pattern, Bind):
                self._require([pattern.value], before)
            elif isinstance(pattern.target, Reference):
                self._require(parts_of(pattern.target), before)
                is_unknown = any(self._zeros(receive.channel, position))
                if position < sure or is_unknown:
                    behind = self._written(pattern.target, behind, is_unknown)
        return behind

    def _fewest_fields(self, channel: Expression) -> int:
        """How many fields a message has at least."""
        types = self._types(channel)
        return min((len(self.program.channels[kind].widths) for kind in types), default=0)

    def _written(self, target: Reference, before: Unknown, is_unknown: bool) -> Unknown:
        """What is unknown once `target` has been written: one cell, or one of several."""
        cells = self.cells(target)
        is_one = cells & (cells - 1) == 0
        add, keep = (cells, -1) if is_unknown else (0, ~cells if is_one else -1)
        if target.variable.proctype is None:
            return Unknown(before.local, before.shared & keep | add)
        return Unknown(before.local & keep | add, before.shared)

    # Values

    def _require(self, expressions: Iterable[Expression], unknown: Unknown) -> None:
        """Raise _DependsError unless the values of `expressions` are known."""
        for expression in expressions:
            if self.value(expression, unknown):
                raise _DependsError(_at(expression.place))

    def value(self, expression: Expression, unknown: Unknown) -> bool:
        """Return whether the value of `expression` may be unknown where `unknown` is.

        Raises _DependsError if it may depend on that whether there is a value, or whether anything else happens.
        """
        parts = parts_of(expression)
        match expression:
            case Reference():
                self._require(parts, unknown)
                cells = unknown.shared if expression.variable.proctype is None else unknown.local
                return bool(self.cells(expression) & cells)
            case RemoteVariable(variable=variable):
                self._require(parts, unknown)
                return bool(self._whole(variable) & self.somewhere[self.program.by_name[variable.proctype or ""]])
            case Binary(operator="&&" | "||", left=first) | Conditional(condition=first):
                is_open = self.value(first, unknown)
                if is_open and any(self._is_fallible(part) for part in parts[1:]):
                    raise _DependsError(_at(expression.place))
                return self._is_some_unknown(parts[1:], unknown) or is_open
            case _ if self._is_fallible_itself(expression):
                if isinstance(expression, Poll):
                    self._look_at_patterns(expression.channel, expression.arguments, expression.place)
                self._require(parts, unknown)
                return False
            case _:
                return self._is_some_unknown(parts, unknown)

    def _is_some_unknown(self, parts: Iterable[Expression], unknown: Unknown) -> bool:
        """Whether the value of one of some parts may be unknown; each of them is looked at."""
        found = [self.value(part, unknown) for part in parts]
        return any(found)

    def _is_fallible(self, expression: Expression) -> bool:
        """Whether to find its value may go wrong, or do something besides."""
        return any(self._is_fallible_itself(part) for part in subexpressions(expression))

    @staticmethod
    def _is_fallible_itself(part: Expression) -> bool:
        match part:
            case Reference():
                return not all(isinstance(index, Constant) for index in parts_of(part)) or not _is_inside(part)
            case Binary(operator="/" | "%"):
                return True
            case _:
                return not isinstance(part, _NOT_FALLIBLE)

    # Cells

    def cells(self, reference: Reference) -> CellSet:
        """Return the cells that `reference` may mean."""
        cells = 1
        for owner, index in _steps(reference):
            if owner is not reference.variable:
                cells <<= self.program.fields[owner]
            size = owner.type.size
            if index is None or (isinstance(index, Constant) and 0 <= index.value < owner.cells):
                cells <<= size * (0 if index is None else index.value)
            else:
                cells *= _each(size, owner.cells)
        return cells * ((1 << reference.leaf.type.size) - 1) << self._offset(reference.variable)

    def _whole(self, variable: Variable) -> CellSet:
        return ((1 << variable.cells * variable.type.size) - 1) << self._offset(variable)

    def _offset(self, variable: Variable) -> int:
        if variable.proctype is None:
            return self.program.memory.offsets[variable]
        return self.program.processes[self.program.by_name[variable.proctype]].memory.offsets[variable]


def _steps(reference: Reference) -> Iterator[tuple[Variable, Expression | None]]:
    yield reference.variable, reference.index
    yield from ((part.field, part.index) for part in reference.selections)


def _is_inside(reference: Reference) -> bool:
    """Whether its indices, which are constants, are within their ranges."""
    return all(not isinstance(index, Constant) or 0 <= index.value < owner.cells for owner, index in _steps(reference))


def _each(size: int, count: int) -> CellSet:
    """The first cell of each of `count` elements."""
    return sum(1 << size * element for element in range(count)) if count < 64 else _doubled(size, count)


def _doubled(size: int, count: int) -> CellSet:
    """The same, where to add one by one would take long."""
    half = _each(size, count // 2)
    whole = half | half << size * (count // 2)
    return whole | 1 << size * (count - 1) if count % 2 else whole


def _bits(cells: Iterable[int]) -> CellSet:
    return sum(1 << cell for cell in cells)


def _moves(kind: ProcessType) -> bool:
    return kind.role in ("process", "init")


def _first_values(variables: Iterable[Variable]) -> Iterator[Expression]:
    for variable in variables:
        if isinstance(variable.type, Struct):
            yield from _first_values(variable.type.fields)
        elif isinstance(variable.initial, tuple):
            yield from variable.initial
        elif variable.initial is not None and not isinstance(variable.initial, ChannelShape):
            yield variable.initial


def _at(place: Place) -> str:
    return f"line {place.line}"
