"""What a program does with each value: is it only compared for equality, handed on, and used as an index?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never

from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Terminate
from everafter.program.program import ProcessType, Program
from everafter.promela.model import (
    Argument,
    Assert,
    Assign,
    Binary,
    Bind,
    ChannelQuery,
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
    ProcessQuery,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Scalar,
    Send,
    SetPriority,
    Struct,
    Test,
    Timeout,
    Unary,
    Variable,
    Within,
)
from everafter.source import Place
from everafter.symmetry.classes import NumericUse, PlaceValue, ValueClasses

Path = tuple[Variable, ...]
"""A variable and the fields of structures behind it."""
_LOGICAL, _EQUAL = ("&&", "||"), ("==", "!=")


class AsymmetricError(Exception):
    """Something treats processes differently, or may; the message says what, and where."""


class Uses:
    """Gathers what the statements of one program, and properties, do with values.

    Of `same` variables, and of proctypes `named` as others, all is noted at one.
    """

    def __init__(self, program: Program, same: Mapping[Variable, Variable], named: Mapping[str, str]) -> None:
        self.program, self.same, self.named = program, same, named
        self.classes = ValueClasses()
        self.constants: dict[int, tuple[Expression, PlaceValue]] = {}
        """The place that each constant of the text is."""
        self.channels: list[PlaceValue] = []
        """The places whose values are used as channels."""
        self.ranges: list[tuple[PlaceValue, Within]] = []
        self.first_of: dict[str, Place] = {}
        """Of proctypes, where the oldest process alone is meant."""
        self.counts: Place | None = None
        """Where the number of processes is read."""
        self.asks: Place | None = None
        """Where the place of a process is read, or, by the property, whether nothing can happen."""

    # Names of places

    def leaf(self, path: Path) -> PlaceValue:
        """Return the place that a variable, or a field of one, is."""
        return PlaceValue(self.classes.named(("value", self._one(path))))

    def index(self, path: Path) -> PlaceValue:
        """Return the place that indices of an array, or of one in a structure, are."""
        return PlaceValue(self.classes.named(("index", self._one(path))))

    def pid(self, proctype: str) -> PlaceValue:
        """Return the place that the number of a process of `proctype` is."""
        return PlaceValue(self.classes.named(("pid", self.named.get(proctype, proctype))))

    def is_used(self, kind: Literal["value", "index"], path: Path) -> bool:
        """Return whether there is a value, or an index, as `kind` says, at `path`."""
        return self.classes.knows((kind, self._one(path)))

    def asks_pid(self, proctype: str) -> bool:
        """Return whether the number of a process of `proctype` is read."""
        return self.classes.knows(("pid", self.named.get(proctype, proctype)))

    def _one(self, path: Path) -> Path:
        return (self.same.get(path[0], path[0]), *path[1:])

    # Statements

    def look(self, kind: ProcessType | None, effect: Effect) -> None:
        """Note what `effect` does in a process of `kind`, or in none. Raises AsymmetricError."""
        own = kind.name if kind is not None else ""
        match effect:
            case Assign(target=target, value=value, place=place):
                self._assign(own, target, self.value(own, value), place)
            case Send():
                self._send(own, effect)
            case Receive(channel=channel, arguments=patterns, place=place):
                self._patterns(own, self._channel(own, channel), patterns, place)
            case Test(condition=condition) | Assert(condition=condition):
                self.truth(own, condition)
            case Print(arguments=arguments):
                for argument in arguments:
                    self.value(own, argument)
            case SetPriority(place=place):
                raise AsymmetricError(f"{place}: priorities are set")
            case DeterministicStep(instructions=instructions):
                for instruction in instructions.values():
                    if isinstance(instruction, Perform):
                        self.look(kind, instruction.statement)
            case Else() | Declare() | Jump() | Terminate():
                pass
            case _:
                assert_never(effect)

    def truth(self, own: str, condition: Expression) -> None:
        """Note what it means that `condition` is not zero, for a process of the proctype `own`."""
        self.classes.fix(self.value(own, condition), 0, _place(condition))

    def _assign(self, own: str, target: Reference | Predefined, value: PlaceValue | None, place: Place) -> None:
        if isinstance(target, Predefined):
            if target.name != "_":
                raise AsymmetricError(f"{place}: a process sets its priority")
            return
        self._unite(self.value(own, target), value, NumericUse("a number is computed and assigned", place))

    def _unite(self, left: PlaceValue | None, right: PlaceValue | None, use: NumericUse) -> None:
        """Let two values be of one class; where one is a computed number, so is the other."""
        if left is not None and right is not None:
            self.classes.unite(left, right, use)
        else:
            self.classes.compute(left or right, use)

    # Channels

    def _channel(self, own: str, channel: Expression) -> PlaceValue:
        """The place that tells which channel is used."""
        term = self.value(own, channel)
        if term is None:
            raise AsymmetricError(f"{_place(channel)}: it is computed which channel is used")
        self.channels.append(term)
        return term

    def _send(self, own: str, send: Send) -> None:
        channel = self._channel(own, send.channel)
        values = [self.value(own, argument) for argument in send.arguments]
        for position, value in enumerate(values):
            field = PlaceValue(self.classes.field(channel, position))
            self._unite(field, value, NumericUse("a number is computed and sent", send.place))
            if send.is_sorted:
                self.classes.compute(field, NumericUse("messages are sorted", send.place))

    def _patterns(self, own: str, channel: PlaceValue, patterns: tuple[Argument, ...], place: Place) -> None:
        for position, pattern in enumerate(patterns):
            field = PlaceValue(self.classes.field(channel, position))
            if isinstance(pattern, Bind):
                self._assign(own, pattern.target, field, place)
            else:
                use = NumericUse("what is received is compared with a computed number", place)
                self._unite(field, self.value(own, pattern.value), use)

    # Expressions

    def value(self, own: str, expression: Expression) -> PlaceValue | None:
        """Return the place whose value `expression` has, for a process of `own`; None for a computed number."""
        match expression:
            case Constant(value=value, place=place):
                term = PlaceValue(self.classes.new())
                self.constants[id(expression)] = expression, term
                self.classes.state(term, value, place)
                return term
            case Reference():
                return self._reference(own, expression)
            case Predefined():
                return self._predefined(own, expression)
            case Unary(operator=operator, operand=operand, place=place):
                if operator == "!":
                    self.truth(own, operand)
                else:
                    self._compute(own, operand, NumericUse(f"'{operator}' is computed of it", place))
                return None
            case Binary():
                return self._binary(own, expression)
            case Conditional(condition=condition, chosen=chosen, other=other, place=place):
                self.truth(own, condition)
                left, right = self.value(own, chosen), self.value(own, other)
                self._unite(left, right, NumericUse("it is one of two values", place))
                return left if right is not None else None
            case Within(operand=operand):
                limited = self.value(own, operand)
                self.ranges += [(limited, expression)] if limited is not None else []
                return limited
            case ChannelQuery(channel=channel):
                self._channel(own, channel)
                return None
            case Poll(channel=channel, arguments=patterns, place=place):
                self._patterns(own, self._channel(own, channel), patterns, place)
                return None
            case RemoteLabel() | RemoteVariable():
                return self._remote(own, expression)
            case Timeout(place=place):
                self.asks = self.asks or (None if own else place)
                return None
            case NonProgress(place=place):
                self.asks = self.asks or place
                return None
            case ProcessQuery(query=query, place=place):
                raise AsymmetricError(f"{place}: {query} is asked")
            case RunExpression(place=place):
                raise AsymmetricError(f"{place}: processes are started while others run")
            case _:
                assert_never(expression)

    def _reference(self, own: str, reference: Reference) -> PlaceValue | None:
        path: Path = (reference.variable,)
        self._element(own, path, reference.index)
        for selection in reference.selections:
            path = (*path, selection.field)
            self._element(own, path, selection.index)
        if isinstance(reference.leaf.type, Struct):
            raise AsymmetricError(f"{reference.place}: a whole structure is used")
        return self.leaf(path)

    def _element(self, own: str, path: Path, index: Expression | None) -> None:
        if index is not None:
            use = NumericUse(f"the index of '{path[-1].name}' is computed", _place(index))
            self._unite(self.index(path), self.value(own, index), use)

    def _predefined(self, own: str, predefined: Predefined) -> PlaceValue | None:
        match predefined.name:
            case "_pid":
                return self.pid(own)
            case "_nr_pr":
                self.counts = self.counts or predefined.place
                return None
            case "_last" | "_priority":
                raise AsymmetricError(f"{predefined.place}: {predefined.name} is read")
            case "_":
                return None
            case _:
                assert_never(predefined.name)

    def _compute(self, own: str, operand: Expression, use: NumericUse) -> None:
        self.classes.compute(self.value(own, operand), use)

    def _binary(self, own: str, binary: Binary) -> PlaceValue | None:
        operator, left, right, place = binary.operator, binary.left, binary.right, binary.place
        if operator in _LOGICAL:
            self.truth(own, left)
            self.truth(own, right)
            return None
        if operator in _EQUAL:
            use = NumericUse("it is compared with a computed number", place)
            self._unite(self.value(own, left), self.value(own, right), use)
            return None
        if operator in ("+", "-") and isinstance(right, Constant):
            term = self.value(own, left)
            more = right.value if operator == "+" else -right.value
            return PlaceValue(term.key, term.more + more) if term is not None else None
        use = NumericUse(f"it is used in '{operator}'", place)
        self._compute(own, left, use)
        self._compute(own, right, use)
        return None

    def _remote(self, own: str, remote: RemoteLabel | RemoteVariable) -> PlaceValue | None:
        self.asks = self.asks or remote.place
        if remote.process is None:
            self.first_of.setdefault(remote.proctype, remote.place)
        else:
            use = NumericUse("it is computed which process is asked", remote.place)
            self._unite(self.pid(remote.proctype), self.value(own, remote.process), use)
        if isinstance(remote, RemoteLabel):
            return None
        path = (remote.variable,)
        self._element(own, path, remote.index)
        if isinstance(remote.variable.type, Struct):
            raise AsymmetricError(f"{remote.place}: a whole structure is read")
        return self.leaf(path)


def is_channel(variable: Variable) -> bool:
    """Return whether `variable` holds channels."""
    return isinstance(variable.type, Scalar) and variable.type.kind is Kind.CHAN


def _place(expression: Expression) -> Place:
    return expression.place
