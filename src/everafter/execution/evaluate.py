"""What an expression means: a function from a state to its value, as C computes it, in 32-bit integers that wrap.

Each expression is looked into once, and becomes functions that call one another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from everafter.execution.state import Channel, ReadableState, RuntimeProblem
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
    RunExpression,
    Timeout,
    Unary,
    Variable,
    Within,
)
from everafter.source import Place

Value = Callable[[ReadableState, int, bool], int]
"""The value for the process of that number in a view; the flag is `timeout`: no process could move otherwise."""
ChannelValue = Callable[[ReadableState, int, bool], tuple[int, Channel | None]]
"""The number of a channel and its contents; None when the channel died with the process that made it."""
MessageSearch = Callable[[ReadableState, int, bool, Channel], int | None]
"""The position of the message that a receive takes from a channel; None while there is none."""

_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: wrap(a + b),
    "-": lambda a, b: wrap(a - b),
    "*": lambda a, b: wrap(a * b),
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "==": lambda a, b: 1 if a == b else 0,
    "!=": lambda a, b: 1 if a != b else 0,
    "<": lambda a, b: 1 if a < b else 0,
    ">": lambda a, b: 1 if a > b else 0,
    "<=": lambda a, b: 1 if a <= b else 0,
    ">=": lambda a, b: 1 if a >= b else 0,
    # A processor looks at the last five bits of the distance only.
    "<<": lambda a, b: wrap(a << (b & 31)),
    ">>": lambda a, b: a >> (b & 31),
    "/": quotient,
    "%": remainder,
}


class Evaluator:
    """Says what the expressions of one program mean."""

    def __init__(self, program: Program) -> None:
        self.program = program
        regions = (program.memory, *(process.memory for process in program.processes))
        self._offsets = {variable: cell for region in regions for variable, cell in region.offsets.items()}

    def value(self, expression: Expression) -> Value:
        """The value of an expression."""
        match expression:
            case Reference():
                return self._reference(expression)
            case Constant(value=value):
                return lambda _view, _number, _timeout: value
            case Binary():
                return self._binary(expression)
            case Unary():
                return self._unary(expression)
            case Predefined():
                return self._predefined(expression)
            case Conditional():
                return self._conditional(expression)
            case Within():
                return self._within(expression)
            case ChannelQuery():
                return self._channel_query(expression)
            case Poll():
                return self._poll(expression)
            case RunExpression():
                return self._run(expression)
            case RemoteLabel():
                return self._remote_label(expression)
            case RemoteVariable():
                return self._remote_variable(expression)
            case ProcessQuery():
                return self._process_query(expression)
            case Timeout():
                return lambda _view, _number, timeout: int(timeout)
            case NonProgress():
                return self._non_progress
            case _:
                assert_never(expression)

    # Variables

    def address(self, reference: Reference) -> Value:
        """The cell a reference means; an index out of range is an error."""
        return self._cell(*self._address(reference))

    @staticmethod
    def _cell(cell: int, elements: list[Value]) -> Value:
        """The first cell, and behind it what the indices add."""
        if not elements:
            return lambda _view, _number, _timeout: cell
        if len(elements) == 1:
            element = elements[0]
            return lambda view, number, timeout: cell + element(view, number, timeout)
        return lambda view, number, timeout: cell + sum([element(view, number, timeout) for element in elements])

    def _address(self, reference: Reference) -> tuple[int, list[Value]]:
        """The cell a reference means if every index is 0, and what each index adds to it."""
        cell = self._offsets[reference.variable]
        indices = [(reference.variable, reference.index)]
        for selection in reference.selections:
            cell += self.program.fields[selection.field]
            indices.append((selection.field, selection.index))
        elements = [self._element(variable, index, reference.place) for variable, index in indices if index is not None]
        return cell, elements

    def _element(self, variable: Variable, index: Expression, place: Place) -> Value:
        position = self.value(index)
        cells, size = variable.cells, variable.type.size

        def element(view: ReadableState, number: int, timeout: bool) -> int:
            at = position(view, number, timeout)
            if not 0 <= at < cells:
                raise RuntimeProblem(f"index {at} is outside {variable.name}[0..{cells - 1}]", place)
            return at * size

        return element

    def _reference(self, reference: Reference) -> Value:
        cell, elements = self._address(reference)
        address = self._cell(cell, elements)
        if reference.variable.proctype is None:
            if not elements:
                return lambda view, _number, _timeout: view.memory[cell]
            return lambda view, number, timeout: view.memory[address(view, number, timeout)]
        if not elements:
            return lambda view, number, _timeout: view.processes[number].memory[cell]
        return lambda view, number, timeout: view.processes[number].memory[address(view, number, timeout)]

    def _predefined(self, predefined: Predefined) -> Value:
        match predefined.name:
            case "_pid":
                return lambda _view, number, _timeout: number
            case "_nr_pr":
                return lambda view, _number, _timeout: len(view.processes)
            case "_last":
                return lambda view, _number, _timeout: view.last
            case "_priority":
                return lambda view, number, _timeout: view.processes[number].priority
            case "_":
                return lambda _view, _number, _timeout: 0
            case _:
                assert_never(predefined.name)

    # Operators

    def _unary(self, unary: Unary) -> Value:
        operand = self.value(unary.operand)
        match unary.operator:
            case "!":
                return lambda view, number, timeout: 0 if operand(view, number, timeout) else 1
            case "-":
                return lambda view, number, timeout: wrap(-operand(view, number, timeout))
            case "~":
                return lambda view, number, timeout: ~operand(view, number, timeout)
            case _:
                assert_never(unary.operator)

    def _binary(self, binary: Binary) -> Value:
        left, right = self.value(binary.left), self.value(binary.right)
        match binary.operator:
            case "&&":
                return lambda view, number, timeout: (
                    1 if left(view, number, timeout) and right(view, number, timeout) else 0
                )
            case "||":
                return lambda view, number, timeout: (
                    1 if left(view, number, timeout) or right(view, number, timeout) else 0
                )
            case "/" | "%":
                return self._division(binary, left, right)
        operation = _OPERATIONS[binary.operator]
        if isinstance(binary.right, Constant):
            constant = binary.right.value
            return lambda view, number, timeout: operation(left(view, number, timeout), constant)
        return lambda view, number, timeout: operation(left(view, number, timeout), right(view, number, timeout))

    def _division(self, binary: Binary, left: Value, right: Value) -> Value:
        operation = _OPERATIONS[binary.operator]

        def division(view: ReadableState, number: int, timeout: bool) -> int:
            dividend, divisor = left(view, number, timeout), right(view, number, timeout)
            if divisor == 0:
                raise RuntimeProblem("division by zero", binary.place)
            if divisor == -1 and dividend == -0x80000000:
                raise RuntimeProblem("the quotient does not fit an int", binary.place)
            return operation(dividend, divisor)

        return division

    def _conditional(self, conditional: Conditional) -> Value:
        condition = self.value(conditional.condition)
        chosen, other = self.value(conditional.chosen), self.value(conditional.other)
        return lambda view, number, timeout: (chosen if condition(view, number, timeout) else other)(
            view, number, timeout
        )

    def _within(self, within: Within) -> Value:
        operand, least, greatest = self.value(within.operand), within.least, within.greatest

        def within_range(view: ReadableState, number: int, timeout: bool) -> int:
            found = operand(view, number, timeout)
            if not least <= found <= greatest:
                raise RuntimeProblem(f"{within.name} = {found} is outside {least}..{greatest}", within.place)
            return found

        return within_range

    def _non_progress(self, view: ReadableState, _number: int, timeout: bool) -> int:
        if timeout:
            return 0  # a system that has stopped is not a loop without progress
        for process in view.processes:
            if self.program.processes[process.proctype].graph.nodes[process.node].is_progress:
                return 0
        return 1

    # Processes

    def _run(self, run: RunExpression) -> Value:
        """The number of the process started; only `everafter.execution.perform` can start one."""
        raise NotImplementedError

    def _process_query(self, query: ProcessQuery) -> Value:
        asked = self.value(query.process)

        def answer(view: ReadableState, number: int, timeout: bool) -> int:
            other = asked(view, number, timeout)
            if not 0 <= other < len(view.processes):
                return 0
            match query.query:
                case "pc_value":
                    return view.processes[other].node
                case "get_priority":
                    return view.processes[other].priority
                case "enabled":
                    if other == number:
                        raise RuntimeProblem("a process cannot ask whether it is enabled itself", query.place)
                    return int(self.may_move(view, other, timeout))
                case _:
                    assert_never(query.query)

        return answer

    def may_move(self, view: ReadableState, number: int, timeout: bool) -> bool:
        """Return whether process `number` may move in `view`, given whether `timeout` is true.

        Only `everafter.execution.perform` knows actions.
        """
        raise NotImplementedError

    def _remote(self, proctype: str, process: Expression | None) -> Callable[[ReadableState, int, bool], int | None]:
        """The number of the process a remote reference means, if it is alive."""
        wanted = self.program.by_name[proctype]
        if process is None:
            return lambda view, _number, _timeout: next(
                (other for other, process in enumerate(view.processes) if process.proctype == wanted), None
            )
        asked = self.value(process)

        def alive(view: ReadableState, number: int, timeout: bool) -> int | None:
            other = asked(view, number, timeout)
            return other if 0 <= other < len(view.processes) else None

        return alive

    def _remote_label(self, label: RemoteLabel) -> Value:
        remote, wanted = self._remote(label.proctype, label.process), self.program.by_name[label.proctype]
        place = self.program.processes[wanted].graph.labels[label.label]

        def is_there(view: ReadableState, number: int, timeout: bool) -> int:
            other = remote(view, number, timeout)
            if other is None:
                return 0
            process = view.processes[other]
            return 1 if process.proctype == wanted and process.node == place else 0

        return is_there

    def _remote_variable(self, variable: RemoteVariable) -> Value:
        remote, cell = self._remote(variable.proctype, variable.process), self._offsets[variable.variable]
        index = variable.index
        element = self._element(variable.variable, index, variable.place) if index is not None else None

        def there(view: ReadableState, number: int, timeout: bool) -> int:
            other = remote(view, number, timeout)
            if other is None:
                return 0
            process = view.processes[other]
            owner = self.program.processes[process.proctype].name
            if owner != variable.proctype:
                raise RuntimeProblem(f"process {other} is a {owner}, not a {variable.proctype}", variable.place)
            return process.memory[cell + (element(view, number, timeout) if element is not None else 0)]

        return there

    # Channels

    def channel(self, expression: Expression) -> ChannelValue:
        """The channel that an expression means; that there is none yet is an error."""
        value = self.value(expression)

        def channel(view: ReadableState, number: int, timeout: bool) -> tuple[int, Channel | None]:
            found = value(view, number, timeout)
            if found == 0:
                raise RuntimeProblem("this channel has not been initialised", expression.place)
            channels = view.channels
            return found, channels[found - 1] if 0 < found <= len(channels) else None

        return channel

    def is_full(self, channel: Channel) -> bool:
        """Whether a buffered channel has no room; a rendezvous channel never counts as full."""
        capacity = self.program.channels[channel.type].capacity
        return capacity > 0 and len(channel.messages) >= capacity

    def _channel_query(self, query: ChannelQuery) -> Value:
        asked = self.channel(query.channel)

        def answer(view: ReadableState, number: int, timeout: bool) -> int:
            _, channel = asked(view, number, timeout)
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

        return answer

    def _poll(self, poll: Poll) -> Value:
        asked, search = self.channel(poll.channel), self.message_search(poll.arguments, poll.anywhere)

        def answer(view: ReadableState, number: int, timeout: bool) -> int:
            _, channel = asked(view, number, timeout)
            if channel is None:
                return 0
            if self.program.channels[channel.type].capacity == 0:
                raise RuntimeProblem("a rendezvous channel holds no message that could be polled", poll.place)
            return int(search(view, number, timeout, channel) is not None)

        return answer

    def message_search(self, patterns: tuple[Argument, ...], anywhere: bool) -> MessageSearch:
        """Return the function that finds the message which a receive with `patterns` takes.

        That is the first message, if it matches, or, `anywhere`, the first that does.
        """
        matched = [(at, self.value(each.value)) for at, each in enumerate(patterns) if isinstance(each, Match)]

        def search(view: ReadableState, number: int, timeout: bool, channel: Channel) -> int | None:
            wanted = [(position, value(view, number, timeout)) for position, value in matched]
            for position, message in enumerate(channel.messages if anywhere else channel.messages[:1]):
                if not wanted or all(at < len(message) and message[at] == value for at, value in wanted):
                    return position
            return None

        return search
