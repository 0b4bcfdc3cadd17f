"""The value of an expression in a state, as C computes it: 32-bit integers that wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from everafter.execution.state import Channel, RuntimeProblem, View
from everafter.program.memory import Region
from everafter.program.program import Program
from everafter.promela.arithmetic import quotient, remainder, wrap
from everafter.promela.model import (
    Argument,
    Binary,
    ChannelQuery,
    Conditional,
    Constant,
    Expression,
    Match,
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
    Variable,
)
from everafter.source import Place

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: wrap(a + b),
    "-": lambda a, b: wrap(a - b),
    "*": lambda a, b: wrap(a * b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    # A processor looks at the last five bits of the distance only.
    "<<": lambda a, b: wrap(a << (b & 31)),
    ">>": lambda a, b: a >> (b & 31),
    "/": quotient,
    "%": remainder,
}


class Evaluator:
    """Evaluates expressions for process `number` in `view`. `timeout`: no process could move otherwise."""

    def __init__(self, program: Program, view: View, number: int, timeout: bool = False) -> None:
        self.program = program
        self.view = view
        self.number = number
        self.timeout = timeout

    def value(self, expression: Expression) -> int:
        """The value of an expression."""
        # The kinds that are asked for most come first.
        match expression:
            case Reference():
                return self._reference(expression)
            case Constant():
                return expression.value
            case Binary():
                return self._binary(expression)
            case Unary():
                return self._unary(expression)
            case Predefined():
                return self._predefined(expression)
            case Conditional():
                return self._conditional(expression)
            case ChannelQuery():
                return self._channel_query(expression)
            case Poll():
                return self._poll(expression)
            case Run():
                return self._run(expression)
            case RemoteLabel():
                return self._remote_label(expression)
            case RemoteVariable():
                return self._remote_variable(expression)
            case ProcessQuery():
                return self._process_query(expression)
            case Timeout():
                return int(self.timeout)
            case NonProgress():
                return self._non_progress()
            case _:
                assert_never(expression)

    # Variables

    def address(self, reference: Reference) -> int:
        """The cell a reference means; an index out of range is an error."""
        variable = reference.variable
        offsets = self.program.memory.offsets if variable.proctype is None else self._locals().offsets
        cell = offsets[variable] + self._element(variable, reference.index, reference.place)
        for selection in reference.selections:
            variable = selection.field
            cell += self.program.fields[variable] + self._element(variable, selection.index, reference.place)
        return cell

    def _locals(self) -> Region:
        return self.program.processes[self.view.processes[self.number].proctype].memory

    def _element(self, variable: Variable, index: Expression | None, place: Place) -> int:
        if index is None:
            return 0
        position = self.value(index)
        if not 0 <= position < variable.cells:
            raise RuntimeProblem(f"index {position} is outside {variable.name}[0..{variable.cells - 1}]", place)
        return position * variable.type.size

    def _reference(self, reference: Reference) -> int:
        cell = self.address(reference)
        if reference.variable.proctype is None:
            return self.view.memory[cell]
        return self.view.processes[self.number].memory[cell]

    def _predefined(self, predefined: Predefined) -> int:
        match predefined.name:
            case "_pid":
                return self.number
            case "_nr_pr":
                return len(self.view.processes)
            case "_last":
                return self.view.last
            case "_priority":
                return self.view.processes[self.number].priority
            case "_":
                return 0
            case _:
                assert_never(predefined.name)

    # Operators

    def _unary(self, unary: Unary) -> int:
        operand = self.value(unary.operand)
        match unary.operator:
            case "!":
                return int(not operand)
            case "-":
                return wrap(-operand)
            case "~":
                return ~operand
            case _:
                assert_never(unary.operator)

    def _binary(self, binary: Binary) -> int:
        left = self.value(binary.left)
        if binary.operator == "&&":
            return int(bool(left) and bool(self.value(binary.right)))
        if binary.operator == "||":
            return int(bool(left) or bool(self.value(binary.right)))
        right = self.value(binary.right)
        if binary.operator in ("/", "%"):
            if right == 0:
                raise RuntimeProblem("division by zero", binary.place)
            if right == -1 and left == -0x80000000:
                raise RuntimeProblem("the quotient does not fit an int", binary.place)
        return _OPERATIONS[binary.operator](left, right)

    def _conditional(self, conditional: Conditional) -> int:
        return self.value(conditional.chosen if self.value(conditional.condition) else conditional.other)

    def _non_progress(self) -> int:
        if self.timeout:
            return 0  # a system that has stopped is not a loop without progress
        for process in self.view.processes:
            if self.program.processes[process.proctype].graph.nodes[process.node].is_progress:
                return 0
        return 1

    # Processes

    def _run(self, run: Run) -> int:
        raise RuntimeProblem("'run' cannot stand here", run.place)

    def _process_query(self, query: ProcessQuery) -> int:
        number = self.value(query.process)
        if not 0 <= number < len(self.view.processes):
            return 0
        process = self.view.processes[number]
        match query.query:
            case "pc_value":
                return process.node
            case "get_priority":
                return process.priority
            case "enabled":
                if number == self.number:
                    raise RuntimeProblem("a process cannot ask whether it is enabled itself", query.place)
                return int(self.may_move(number))
            case _:
                assert_never(query.query)

    def may_move(self, number: int) -> bool:
        """Whether another process may move; only `everafter.execution.perform` knows actions."""
        raise NotImplementedError

    def _remote(self, proctype: str, process: Expression | None) -> int | None:
        """The number of the process a remote reference means, if it is alive."""
        wanted = self.program.by_name[proctype]
        if process is None:
            numbers = (n for n, other in enumerate(self.view.processes) if other.proctype == wanted)
            return next(numbers, None)
        number = self.value(process)
        return number if 0 <= number < len(self.view.processes) else None

    def _remote_label(self, label: RemoteLabel) -> int:
        number = self._remote(label.proctype, label.process)
        if number is None:
            return 0
        process = self.view.processes[number]
        wanted = self.program.by_name[label.proctype]
        return int(
            process.proctype == wanted and process.node == self.program.processes[wanted].graph.labels[label.label]
        )

    def _remote_variable(self, remote: RemoteVariable) -> int:
        number = self._remote(remote.proctype, remote.process)
        if number is None:
            return 0
        process = self.view.processes[number]
        owner = self.program.processes[process.proctype]
        if owner.name != remote.proctype:
            raise RuntimeProblem(f"process {number} is a {owner.name}, not a {remote.proctype}", remote.place)
        cell = owner.memory.offsets[remote.variable] + self._element(remote.variable, remote.index, remote.place)
        return process.memory[cell]

    # Channels

    def channel(self, expression: Expression) -> tuple[int, Channel | None]:
        """The number of a channel and its contents; None when the channel died with the process that made it."""
        number = self.value(expression)
        if number == 0:
            raise RuntimeProblem("this channel has not been initialised", expression.place)
        if not 0 < number <= len(self.view.channels):
            return number, None
        return number, self.view.channels[number - 1]

    def is_full(self, channel: Channel) -> bool:
        """Whether a buffered channel has no room; a rendezvous channel never counts as full."""
        capacity = self.program.channels[channel.type].capacity
        return capacity > 0 and len(channel.messages) >= capacity

    def _channel_query(self, query: ChannelQuery) -> int:
        _, channel = self.channel(query.channel)
        length = len(channel.messages) if channel is not None else 0
        match query.query:
            case "len":
                return length
            case "empty":
                return int(length == 0)
            case "nempty":
                return int(length > 0)
            case "full" | "nfull":
                if channel is None:
                    raise RuntimeProblem("this channel died with the process that created it", query.place)
                return int(self.is_full(channel) == (query.query == "full"))
            case _:
                assert_never(query.query)

    def _poll(self, poll: Poll) -> int:
        _, channel = self.channel(poll.channel)
        if channel is None:
            return 0
        if self.program.channels[channel.type].capacity == 0:
            raise RuntimeProblem("a rendezvous channel holds no message that could be polled", poll.place)
        return int(self.find_message(channel, poll.arguments, poll.anywhere) is not None)

    def find_message(self, channel: Channel, patterns: tuple[Argument, ...], anywhere: bool) -> int | None:
        """The position of the message a receive takes: the first one, or the first that matches."""
        candidates = channel.messages if anywhere else channel.messages[:1]
        wanted = [
            (position, self.value(pattern.value))
            for position, pattern in enumerate(patterns)
            if isinstance(pattern, Match)
        ]
        for number, message in enumerate(candidates):
            if all(position < len(message) and message[position] == value for position, value in wanted):
                return number
        return None
