"""Texts with names of elements exchanged: is a statement the same again, though it names elements by constants?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from everafter.program.control_flow import DeterministicStep, Effect, Perform
from everafter.promela.model import (
    Argument,
    Assert,
    Assign,
    Binary,
    Bind,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    Poll,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Send,
    Test,
    Unary,
    Within,
)
from everafter.promela.walk import subexpressions

Renamed = Callable[[Constant], int]
"""The value of a constant once elements are exchanged."""
_IN_ANY_ORDER = frozenset({"&&", "||", "+", "*", "&", "|", "^", "==", "!="})
_CHAINED = _IN_ANY_ORDER - {"==", "!="}
_MAY_FAIL = frozenset({"/", "%"})


def text_of_effect(effect: Effect, renamed: Renamed) -> Any:
    """Return a value that is equal for equal effects, with constants as `renamed`."""
    match effect:
        case Assign(target=target, value=value):
            return "assign", text(target, renamed), text(value, renamed)
        case Send(channel=channel, arguments=arguments, is_sorted=is_sorted):
            return "send", is_sorted, text(channel, renamed), *(text(each, renamed) for each in arguments)
        case Receive(channel=channel, arguments=patterns, anywhere=anywhere, keeps=keeps):
            return "receive", anywhere, keeps, text(channel, renamed), *_patterns(patterns, renamed)
        case Test(condition=condition):
            return "test", text(condition, renamed)
        case Assert(condition=condition):
            return "assert", text(condition, renamed)
        case DeterministicStep(instructions=instructions):
            parts = (
                (at, text_of_effect(each.statement, renamed), each.next) if isinstance(each, Perform) else (at, each)
                for at, each in sorted(instructions.items())
            )
            return "d_step", *parts
        case _:
            return type(effect).__name__


def text(expression: Expression, renamed: Renamed) -> Any:
    """Return a value that is equal for expressions that mean the same up to order, with constants as `renamed`."""
    match expression:
        case Constant():
            return "constant", renamed(expression)
        case Reference(variable=variable, index=index, selections=selections):
            behind = ((id(each.field), _index(each.index, renamed)) for each in selections)
            return "reference", id(variable), _index(index, renamed), *behind
        case Unary(operator=operator, operand=operand):
            return "unary", operator, text(operand, renamed)
        case Binary():
            return _binary(expression, renamed)
        case Conditional(condition=condition, chosen=chosen, other=other):
            return "conditional", *(text(each, renamed) for each in (condition, chosen, other))
        case Within(operand=operand, least=least, greatest=greatest):
            return "within", least, greatest, text(operand, renamed)
        case ChannelQuery(query=query, channel=channel):
            return "query", query, text(channel, renamed)
        case Poll(channel=channel, arguments=patterns, anywhere=anywhere):
            return "poll", anywhere, text(channel, renamed), *_patterns(patterns, renamed)
        case RemoteLabel(proctype=proctype, process=process, label=label):
            return "label", proctype, label, _index(process, renamed)
        case RemoteVariable(proctype=proctype, process=process, variable=variable, index=index):
            return "remote", proctype, id(variable), _index(process, renamed), _index(index, renamed)
        case _:
            return type(expression).__name__, getattr(expression, "name", "")


def _index(index: Expression | None, renamed: Renamed) -> Any:
    return () if index is None else text(index, renamed)


def _patterns(patterns: tuple[Argument, ...], renamed: Renamed) -> Any:
    return (
        ("bind", text(each.target, renamed)) if isinstance(each, Bind) else ("match", text(each.value, renamed))
        for each in patterns
    )


def _binary(binary: Binary, renamed: Renamed) -> Any:
    operands = _operands(binary) if binary.operator in _CHAINED else [binary.left, binary.right]
    written = [text(each, renamed) for each in operands]
    if binary.operator in _IN_ANY_ORDER and all(map(has_value, operands)):
        written.sort(key=repr)
    return "binary", binary.operator, *written


def _operands(binary: Binary) -> list[Expression]:
    """What an operator joins, however it is bracketed."""
    found: list[Expression] = []
    pending: list[Expression] = [binary]
    while pending:
        part = pending.pop()
        if isinstance(part, Binary) and part.operator == binary.operator:
            pending += [part.right, part.left]
        else:
            found.append(part)
    return found


def has_value(expression: Expression) -> bool:
    """Return whether evaluating `expression` never goes wrong: it does not matter what is evaluated before it."""
    return all(map(_is_safe, subexpressions(expression)))


def _is_safe(part: Expression) -> bool:
    match part:
        case Reference(variable=variable, index=index, selections=selections):
            steps = [(variable, index), *((each.field, each.index) for each in selections)]
            return all(at is None or (isinstance(at, Constant) and 0 <= at.value < owner.cells) for owner, at in steps)
        case Binary(operator=operator):
            return operator not in _MAY_FAIL
        case Within() | ChannelQuery() | Poll() | RemoteVariable():
            return False
        case _:
            return True
