"""Texts with names of elements exchanged: is a statement the same again, though it names elements by constants?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

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
    Variable,
    Within,
)
from everafter.promela.walk import subexpressions


class Wording(NamedTuple):
    """How texts are written: constants, variables and proctypes by what stands for them."""

    constant: Callable[[Constant], int]
    variables: Mapping[Variable, Hashable]
    proctypes: Mapping[str, str]

    def variable(self, variable: Variable) -> Hashable:
        """What stands for a variable."""
        return self.variables.get(variable, id(variable))

    def proctype(self, name: str) -> str:
        """What stands for a proctype."""
        return self.proctypes.get(name, name)


_IN_ANY_ORDER = frozenset({"&&", "||", "+", "*", "&", "|", "^", "==", "!="})
_CHAINED = _IN_ANY_ORDER - {"==", "!="}
_MAY_FAIL = frozenset({"/", "%"})


def text_of_effect(effect: Effect, wording: Wording) -> Any:
    """Return a value of `effect` that is equal for equal ones, in this `wording`."""
    match effect:
        case Assign(target=target, value=value):
            return "assign", text(target, wording), text(value, wording)
        case Send(channel=channel, arguments=arguments, is_sorted=is_sorted):
            return "send", is_sorted, text(channel, wording), *(text(each, wording) for each in arguments)
        case Receive(channel=channel, arguments=patterns, anywhere=anywhere, keeps=keeps):
            return "receive", anywhere, keeps, text(channel, wording), *_patterns(patterns, wording)
        case Test(condition=condition):
            return "test", text(condition, wording)
        case Assert(condition=condition):
            return "assert", text(condition, wording)
        case DeterministicStep(instructions=instructions):
            parts = (
                (at, text_of_effect(each.statement, wording), each.next) if isinstance(each, Perform) else (at, each)
                for at, each in sorted(instructions.items())
            )
            return "d_step", *parts
        case _:
            return (type(effect).__name__,)


def text(expression: Expression, wording: Wording) -> Any:
    """Return a value that is equal for each `expression` that means the same up to order, in this `wording`."""
    match expression:
        case Constant():
            return "constant", wording.constant(expression)
        case Reference(variable=variable, index=index, selections=selections):
            behind = ((id(each.field), _index(each.index, wording)) for each in selections)
            return "reference", wording.variable(variable), _index(index, wording), *behind
        case Unary(operator=operator, operand=operand):
            return "unary", operator, text(operand, wording)
        case Binary():
            return _binary(expression, wording)
        case Conditional(condition=condition, chosen=chosen, other=other):
            return "conditional", *(text(each, wording) for each in (condition, chosen, other))
        case Within(operand=operand, least=least, greatest=greatest):
            return "within", least, greatest, text(operand, wording)
        case ChannelQuery(query=query, channel=channel):
            return "query", query, text(channel, wording)
        case Poll(channel=channel, arguments=patterns, anywhere=anywhere):
            return "poll", anywhere, text(channel, wording), *_patterns(patterns, wording)
        case RemoteLabel(proctype=proctype, process=process, label=label):
            return "label", wording.proctype(proctype), label, _index(process, wording)
        case RemoteVariable(proctype=proctype, process=process, variable=variable, index=index):
            return (
                "remote",
                wording.proctype(proctype),
                wording.variable(variable),
                _index(process, wording),
                _index(index, wording),
            )
        case _:
            return type(expression).__name__, getattr(expression, "name", "")


def _index(index: Expression | None, wording: Wording) -> Any:
    return () if index is None else text(index, wording)


def _patterns(patterns: tuple[Argument, ...], wording: Wording) -> Any:
    return (
        ("bind", text(each.target, wording)) if isinstance(each, Bind) else ("match", text(each.value, wording))
        for each in patterns
    )


def _binary(binary: Binary, wording: Wording) -> Any:
    operands = _operands(binary) if binary.operator in _CHAINED else [binary.left, binary.right]
    written = [text(each, wording) for each in operands]
    if binary.operator in _IN_ANY_ORDER and all(map(has_value, operands)):
        written.sort(key=_order)
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


def _order(written: Any) -> str:
    """Some order of texts, always the same."""
    return repr(written)
