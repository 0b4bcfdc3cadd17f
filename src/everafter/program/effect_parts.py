"""The expressions inside an effect, and the variables that it writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from everafter.program.control_flow import DeterministicStep, Effect, Jump, Perform, Terminate
from everafter.promela.model import (
    Assert,
    Assign,
    Bind,
    Declare,
    Else,
    Expression,
    Predefined,
    Print,
    Receive,
    Reference,
    Send,
    SetPriority,
    Test,
)
from everafter.promela.walk import in_patterns


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
            yield from in_patterns(patterns)
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
        case Send() | Test() | Assert() | SetPriority() | Else() | Declare() | Jump() | Terminate():
            yield from expressions_in(effect)
        case _:
            assert_never(effect)


def references_written(effect: Effect) -> Iterator[Reference]:
    """What an effect assigns to, by itself or by receiving into it."""
    match effect:
        case Assign(target=target):
            yield from _reference(target)
        case Receive(arguments=patterns):
            for pattern in patterns:
                if isinstance(pattern, Bind):
                    yield from _reference(pattern.target)
        case DeterministicStep(instructions=instructions):
            for instruction in instructions.values():
                if isinstance(instruction, Perform):
                    yield from references_written(instruction.statement)
        case Send() | Test() | Assert() | Print() | SetPriority() | Else() | Declare() | Jump() | Terminate():
            pass
        case _:
            assert_never(effect)


def _reference(target: Reference | Predefined) -> Iterator[Reference]:
    if isinstance(target, Reference):
        yield target


def _indices(target: Reference | Predefined) -> Iterator[Expression]:
    if isinstance(target, Reference):
        yield from (part for part in (target.index, *(item.index for item in target.selections)) if part is not None)
