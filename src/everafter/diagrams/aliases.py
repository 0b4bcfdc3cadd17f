"""Which channels a variable may stand for: channels travel in arguments, assignments and messages.

A flow-insensitive analysis: a set of channels for each variable, and for each field of the messages in each channel,
which grow until nothing changes. What is not found here is a number that was computed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from everafter.program.control_flow import DeterministicStep, Effect, Perform
from everafter.program.effect_parts import expressions_in
from everafter.program.program import Program
from everafter.promela.model import (
    Assign,
    Bind,
    ChannelShape,
    Conditional,
    Expression,
    Predefined,
    Receive,
    Reference,
    RemoteVariable,
    RunExpression,
    Send,
    Variable,
)
from everafter.promela.walk import subexpressions


class Aliases:
    """For each expression that is a channel, the variables whose declaration creates what it may stand for."""

    def __init__(self, program: Program) -> None:
        self._held: dict[Variable, set[Variable]] = defaultdict(set)
        self._carried: dict[tuple[Variable, int], set[Variable]] = defaultdict(set)
        for variable in program.model.all_variables():
            if isinstance(variable.initial, ChannelShape):
                self._held[variable].add(variable)
        effects = list(_basic(program.effects()))
        self._grow(program, effects)

    def of(self, channel: Expression) -> frozenset[Variable]:
        """The variables that create the channels which an expression may stand for."""
        match channel:
            case Reference():
                return frozenset(self._held[channel.leaf])
            case RemoteVariable(variable=variable):
                return frozenset(self._held[variable])
            case Conditional(chosen=chosen, other=other):
                return self.of(chosen) | self.of(other)
            case _:
                return frozenset()

    def _grow(self, program: Program, effects: list[Effect]) -> None:
        size = -1
        while size != (size := self._size()):
            for variable in program.model.all_variables():
                if isinstance(variable.initial, Reference):
                    self._held[variable] |= self.of(variable.initial)
            for effect in effects:
                self._flow(effect)
                for expression in expressions_in(effect):
                    for part in subexpressions(expression):
                        if isinstance(part, RunExpression):
                            self._pass(program, part)

    def _size(self) -> int:
        return sum(map(len, self._held.values())) + sum(map(len, self._carried.values()))

    def _flow(self, effect: Effect) -> None:
        match effect:
            case Assign(target=target, value=value):
                self._give(target, self.of(value))
            case Send(channel=channel, arguments=arguments):
                for position, argument in enumerate(arguments):
                    for carrier in self.of(channel):
                        self._carried[carrier, position] |= self.of(argument)
            case Receive(channel=channel, arguments=patterns):
                for position, pattern in enumerate(patterns):
                    for carrier in self.of(channel):
                        if isinstance(pattern, Bind):
                            self._give(pattern.target, self._carried[carrier, position])

    def _give(self, target: Reference | Predefined, channels: Iterable[Variable]) -> None:
        if isinstance(target, Reference):
            self._held[target.leaf] |= set(channels)

    def _pass(self, program: Program, run: RunExpression) -> None:
        parameters = program.processes[program.by_name[run.proctype]].declaration.parameters
        for parameter, argument in zip(parameters, run.arguments, strict=False):
            self._held[parameter] |= self.of(argument)


def _basic(effects: Iterable[Effect]) -> Iterator[Effect]:
    """The effects, with the statements of a d_step in its place."""
    for effect in effects:
        if isinstance(effect, DeterministicStep):
            yield from (part.statement for part in effect.instructions.values() if isinstance(part, Perform))
        else:
            yield effect
