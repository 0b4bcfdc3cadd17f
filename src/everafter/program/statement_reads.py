"""What a statement must know of the variables: references whose values decide whether it can be taken, whether it goes
wrong, and what it leaves behind.

An assignment to a variable that is never read leaves nothing behind, and a `printf` neither: their values are evaluated
only since that may go wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.program.cell_sets import is_told, steps_of
from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Terminate
from everafter.program.effect_parts import expressions_in, expressions_read
from everafter.promela.model import (
    Assert,
    Assign,
    Basic,
    Binary,
    ChannelQuery,
    Conditional,
    Declare,
    Else,
    Expression,
    Poll,
    Print,
    ProcessQuery,
    Reference,
    RemoteVariable,
    RunExpression,
    Send,
    Test,
    Within,
)
from everafter.promela.walk import subexpressions


def statements_in(effect: Effect) -> Iterator[Basic]:
    """The statements of an effect: one, those of a `d_step`, or none where nothing but the place changes."""
    if isinstance(effect, DeterministicStep):
        yield from (item.statement for item in effect.instructions.values() if isinstance(item, Perform))
    elif not isinstance(effect, Jump | Terminate):
        yield effect


def needed(statement: Basic) -> Iterator[Reference]:
    """The references that `statement` must know even if what it assigns to, or sends, is never read."""
    match statement:
        case Print(arguments=arguments):
            for argument in arguments:
                yield from risky(argument)
        case Assign(target=Reference() as target, value=value):
            yield from references(index for _, index in steps_of(target) if index is not None)
            yield from risky(value)
        case Send(channel=channel, arguments=arguments):
            yield from references((channel,))
            for argument in arguments:
                yield from risky(argument)
        case _:
            yield from references(expressions_read(statement))


def copied(statement: Basic) -> Iterator[Reference]:
    """The references whose values matter beside those that are `needed` if what `statement` assigns to is read."""
    if isinstance(statement, Assign) and isinstance(statement.target, Reference):
        yield from references((statement.value,))


def may_go_wrong(effect: Effect) -> bool:
    """Return whether `effect` may not be completed where it is possible: it does more than change variables, or
    evaluates what may have no value."""
    if not isinstance(effect, Test | Assign | Assert | Print | Else | Declare | Jump):
        return True
    return any(_is_risky(part) for item in expressions_in(effect) for part in subexpressions(item))


def references(expressions: Iterable[Expression]) -> Iterator[Reference]:
    """Every reference in some expressions."""
    for expression in expressions:
        yield from (part for part in subexpressions(expression) if isinstance(part, Reference))


def risky(value: Expression) -> Iterator[Reference]:
    """The references on which it depends whether evaluating `value` goes wrong, or does something besides."""
    parts = list(subexpressions(value))
    if not any(_is_risky(part) for part in parts):
        return
    if any(map(_decides_what_is_evaluated, parts)):
        yield from references((value,))
        return
    told: set[int] = set()  # what is inside of what was looked at: deep texts are looked at once
    for part in parts:
        if id(part) in told:
            continue
        inside: Iterable[Expression | None] = ()
        if isinstance(part, Reference):
            inside = (index for _, index in steps_of(part))
        elif _is_risky(part):
            inside = (part,)
        for whole in inside:
            for each in subexpressions(whole) if whole is not None else ():
                told.add(id(each))
                if isinstance(each, Reference):
                    yield each


def _is_risky(part: Expression) -> bool:
    match part:
        case Reference():
            return not all(is_told(owner, index) for owner, index in steps_of(part))
        case Binary(operator="/" | "%"):
            return True
        case _:
            return isinstance(part, RunExpression | ChannelQuery | Poll | ProcessQuery | RemoteVariable | Within)


def _decides_what_is_evaluated(part: Expression) -> bool:
    return isinstance(part, Conditional) or (isinstance(part, Binary) and part.operator in ("&&", "||"))
