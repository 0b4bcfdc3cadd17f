"""The parts of an expression, and the statements of a body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from everafter.promela.model import (
    Argument,
    Basic,
    Binary,
    Bind,
    Block,
    Break,
    ChannelQuery,
    ChoiceStatement,
    Conditional,
    Constant,
    Expression,
    Goto,
    Group,
    Labelled,
    NonProgress,
    Poll,
    Predefined,
    ProcessQuery,
    Reference,
    RemoteLabel,
    RemoteVariable,
    RunExpression,
    Sequence,
    Statement,
    Timeout,
    Unary,
    Unless,
    Within,
)


def in_patterns(patterns: tuple[Argument, ...]) -> Iterator[Expression]:
    """The expressions in the arguments of a receive."""
    for pattern in patterns:
        yield pattern.target if isinstance(pattern, Bind) else pattern.value


def subexpressions(expression: Expression) -> Iterator[Expression]:
    """An expression and all its parts, from left to right."""
    pending = [expression]
    while pending:
        part = pending.pop()
        yield part
        pending += reversed(parts_of(part))


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """The parts of which an expression is directly made."""
    match expression:
        case Constant() | Predefined() | Timeout() | NonProgress():
            return ()
        case Reference(index=index, selections=selections):
            indices = (index, *(selection.index for selection in selections))
            return tuple(part for part in indices if part is not None)
        case Unary(operand=operand) | Within(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return left, right
        case Conditional(condition=condition, chosen=chosen, other=other):
            return condition, chosen, other
        case RunExpression(arguments=arguments):
            return arguments
        case ChannelQuery(channel=channel):
            return (channel,)
        case Poll(channel=channel, arguments=patterns):
            return channel, *in_patterns(patterns)
        case ProcessQuery(process=process):
            return (process,)
        case RemoteLabel(process=process):
            return () if process is None else (process,)
        case RemoteVariable(process=process, index=index):
            return tuple(part for part in (process, index) if part is not None)
        case _:
            assert_never(expression)


def statements(body: Sequence) -> Iterator[Statement]:
    """The statements of a body and all those inside them, in the order of the text."""
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        yield statement
        pending.extend(reversed(_inside(statement)))


def _inside(statement: Statement) -> Sequence:
    match statement:
        case Labelled(statement=inner):
            return (inner,)
        case ChoiceStatement(options=options):
            return tuple(inner for option in options for inner in option)
        case Group(body=body) | Block(body=body):
            return body
        case Unless(main=main, escape=escape):
            return main, escape
        case _:
            return ()


def basics(body: Sequence) -> Iterator[Basic]:
    """The statements of a body that have no statements inside and are no jumps."""
    for statement in statements(body):
        if not isinstance(statement, Labelled | ChoiceStatement | Group | Block | Unless | Goto | Break):
            yield statement
