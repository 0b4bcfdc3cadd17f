"""The expressions inside an effect, and the parts of an expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from everafter.program.graph import DeterministicStep, Effect, Jump, Perform, Terminate
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
    NonProgress,
    Poll,
    Predefined,
    Print,
    ProcessQuery,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Send,
    SetPriority,
    Test,
    Timeout,
    Unary,
)


def expressions_in(effect: Effect) -> Iterator[Expression]:
    """Every expression an effect evaluates, targets of assignments included."""
    match effect:
        case Assign(target=target, value=value):
            yield target
            yield value
        case Send(channel=channel, arguments=arguments):
            yield channel
            yield from arguments
        case Receive(channel=channel, arguments=patterns):
            yield channel
            yield from _in_patterns(patterns)
        case Test(condition=condition) | Assert(condition=condition):
            yield condition
        case Print(arguments=arguments):
            yield from arguments
        case SetPriority(process=process, priority=priority):
            yield process
            yield priority
        case DeterministicStep(instructions=instructions):
            for instruction in instructions.values():
                if isinstance(instruction, Perform):
                    yield from expressions_in(instruction.statement)
        case Else() | Declare() | Jump() | Terminate():
            pass
        case _:
            assert_never(effect)


def expressions_read(effect: Effect) -> Iterator[Expression]:
    """The expressions whose value matters to what an effect does: neither targets nor what is only printed."""
    match effect:
        case Assign(target=target, value=value):
            yield from _indices(target)
            yield value
        case Receive(channel=channel, arguments=patterns):
            yield channel
            for pattern in patterns:
                if isinstance(pattern, Bind):
                    yield from _indices(pattern.target)
                else:
                    yield pattern.value
        case Print():
            pass
        case DeterministicStep(instructions=instructions):
            for instruction in instructions.values():
                if isinstance(instruction, Perform):
                    yield from expressions_read(instruction.statement)
        case _:
            yield from expressions_in(effect)


def _indices(target: Reference | Predefined) -> Iterator[Expression]:
    if isinstance(target, Reference):
        yield from (part for part in (target.index, *(item.index for item in target.selections)) if part is not None)


def _in_patterns(patterns: tuple[Argument, ...]) -> Iterator[Expression]:
    for pattern in patterns:
        yield pattern.target if isinstance(pattern, Bind) else pattern.value


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """An expression and all its parts."""
    yield expression
    match expression:
        case Reference(index=index, selections=selections):
            for part in (index, *(selection.index for selection in selections)):
                if part is not None:
                    yield from subexpressions(part)
        case Unary(operand=operand):
            yield from subexpressions(operand)
        case Binary(left=left, right=right):
            yield from subexpressions(left)
            yield from subexpressions(right)
        case Conditional(condition=condition, chosen=chosen, other=other):
            for part in (condition, chosen, other):
                yield from subexpressions(part)
        case Run(arguments=arguments):
            for part in arguments:
                yield from subexpressions(part)
        case ChannelQuery(channel=channel):
            yield from subexpressions(channel)
        case Poll(channel=channel, arguments=patterns):
            yield from subexpressions(channel)
            for part in _in_patterns(patterns):
                yield from subexpressions(part)
        case ProcessQuery(process=process):
            yield from subexpressions(process)
        case RemoteLabel(process=inner):
            if inner is not None:
                yield from subexpressions(inner)
        case RemoteVariable(process=inner, index=index):
            for part in (inner, index):
                if part is not None:
                    yield from subexpressions(part)
        case Constant() | Predefined() | Timeout() | NonProgress():
            pass
        case _:
            assert_never(expression)
