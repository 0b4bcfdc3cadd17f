"""The parts of an expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from everafter.promela.model import (
    Argument,
    Binary,
    Bind,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    NonProgress,
    Poll,
    Predefined,
    ProcessQuery,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Timeout,
    Unary,
)


def in_patterns(patterns: tuple[Argument, ...]) -> Iterator[Expression]:
    """The expressions in the arguments of a receive."""
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
            for part in in_patterns(patterns):
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
