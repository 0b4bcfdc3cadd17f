"""Processes that may crash: where control rests, it may go to the end, or to the beginning again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everafter.promela.model import (
    Block,
    Break,
    ChoiceStatement,
    Goto,
    Label,
    Labelled,
    Statement,
    Unless,
)
from everafter.record import replace
from everafter.source import Place

Crash = Callable[[int], tuple[Statement, ...]]
"""What crashing does inside a number of loops, which it leaves."""


def restarted(body: Sequence[Statement], crash: Crash, place: Place) -> list[Statement]:
    """Return `body` at `place`, which begins again after each `crash`."""
    begin = Label("begin", (), 0)
    again = Goto(begin, place, "begin again")
    first, *rest = _with_crashes(body, lambda levels: (*crash(levels)[:-1], again), 0)
    return [Labelled(begin, first, place), *rest]


def stopped(body: Sequence[Statement], crash: Crash, place: Place) -> list[Statement]:
    """Return `body` at `place`, which ends with the first `crash`."""
    inner = _with_crashes(body, crash, 1)
    first = inner[0]
    if isinstance(first, Labelled):  # control does not rest at the beginning of a block, so the label goes outside
        return [Labelled(first.label, Block((first.statement, *inner[1:]), place), place)]
    return [Block(inner, place)]


def _with_crashes(body: Sequence[Statement], crash: Crash, levels: int) -> tuple[Statement, ...]:
    return tuple(_with_crash(each, crash, levels) for each in body)


def _with_crash(statement: Statement, crash: Crash, levels: int) -> Statement:
    """The statement inside loops, as many as `levels`; where control rests in it, the process may crash as well."""
    match statement:
        case Break() | Goto():
            return statement
        case Labelled(statement=inner):
            return replace(statement, statement=_with_crash(inner, crash, levels))
        case Block(body=body):
            return replace(statement, body=_with_crashes(body, crash, levels + 1))
        case ChoiceStatement(options=options, repeats=repeats):
            depth = levels + int(repeats)
            inside = tuple((each[0], *_with_crashes(each[1:], crash, depth)) for each in options)
            return replace(statement, options=(*inside, crash(depth)))
        case Unless():
            raise AssertionError("no model in Python has it")
    return ChoiceStatement(((statement,), crash(levels)), False, statement.place)
