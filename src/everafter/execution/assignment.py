"""What an assignment means, and how variables come to their first values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from everafter.execution.evaluate import Evaluator
from everafter.execution.state import NO_PROCESS, Channel, Draft, Process, RuntimeProblem
from everafter.program.program import ProcessType
from everafter.program.storage import cells_of, width_of
from everafter.promela.model import ChannelShape, Expression, Predefined, Reference, Struct, Variable
from everafter.source import Place

MAXIMUM_PROCESSES = 255
MAXIMUM_CHANNELS = 255

Writing = Callable[[Draft, int, int], None]
"""Gives something of the process of that number a value."""
Initialising = Callable[[Draft, int], None]
"""Gives something of the process of that number its first value."""


def writing(evaluator: Evaluator, target: Reference | Predefined) -> Writing:
    """Return the function that assigns a value to `target`, cut to the width of its cell.

    `evaluator` finds the cell.
    """
    if isinstance(target, Predefined):
        return _set_priority if target.name == "_priority" else _throw_away
    address, store = evaluator.address(target), width_of(target.leaf).store
    if target.variable.proctype is None:
        return lambda draft, number, value: draft.write(address(draft, number, False), store(value))
    return lambda draft, number, value: draft.write_local(number, address(draft, number, False), store(value))


def _set_priority(draft: Draft, number: int, value: int) -> None:
    draft.processes[number] = draft.processes[number]._replace(priority=value & 255)


def _throw_away(_draft: Draft, _number: int, _value: int) -> None:
    pass


class Creation:
    """How the processes of a proctype, or without one the global variables, come into being."""

    def __init__(self, evaluator: Evaluator, kind: ProcessType | None) -> None:
        program = evaluator.program
        self.kind = kind
        offsets = (program.memory if kind is None else kind.memory).offsets
        variables: Iterable[Variable] = program.initial if kind is None else kind.initial
        self._first = [each for item in variables for each in self._cells(evaluator, item, offsets[item])]

    def start_process(self, draft: Draft, arguments: list[int], priority: int, place: Place) -> int:
        """Start a process in `draft` with `arguments` and `priority`; return its number.

        Its channels are created with it, in order of declaration. Raises RuntimeProblem at `place` if there are too
        many.
        """
        assert self.kind is not None
        number = len(draft.processes)
        if number >= MAXIMUM_PROCESSES:
            raise RuntimeProblem(f"more than {MAXIMUM_PROCESSES} processes", place)
        memory = [0] * len(self.kind.memory.cells)
        for (cell, width), value in zip(self.kind.parameters, arguments, strict=False):
            memory[cell] = width.store(value)
        draft.processes.append(Process(self.kind.index, self.kind.graph.start, tuple(memory), priority))
        self.initialise(draft, number)
        return number

    def initialise(self, draft: Draft, number: int = NO_PROCESS) -> None:
        """Give the variables of process `number`, or the global ones, their first values in `draft`, one by one."""
        for initialising in self._first:
            initialising(draft, number)

    def _cells(self, evaluator: Evaluator, variable: Variable, offset: int) -> Iterator[Initialising]:
        if isinstance(variable.type, Struct) and isinstance(variable.initial, tuple):
            for cell, (value, (_, leaf)) in enumerate(zip(variable.initial, cells_of(variable), strict=True), offset):
                yield self._cell(_evaluated(evaluator, value), cell, width_of(leaf).store)
            return
        for element in range(variable.cells):
            cell = offset + element * variable.type.size
            if isinstance(variable.type, Struct):
                for item in variable.type.fields:
                    yield from self._cells(evaluator, item, cell + evaluator.program.fields[item])
            elif variable.initial is not None:
                yield self._cell(_initial_value(evaluator, variable, element), cell, width_of(variable).store)

    def _cell(self, value: Callable[[Draft, int], int], cell: int, store: Callable[[int], int]) -> Initialising:
        if self.kind is None:
            return lambda draft, number: draft.write(cell, store(value(draft, number)))
        return lambda draft, number: draft.write_local(number, cell, store(value(draft, number)))


def _initial_value(evaluator: Evaluator, variable: Variable, element: int) -> Callable[[Draft, int], int]:
    initial = variable.initial
    assert initial is not None
    if isinstance(initial, ChannelShape):
        kind = evaluator.program.channel_index[initial]
        return lambda draft, _number: _create_channel(draft, kind, variable.place)
    # A list that is too short goes on with its last value.
    return _evaluated(evaluator, initial[min(element, len(initial) - 1)] if isinstance(initial, tuple) else initial)


def _evaluated(evaluator: Evaluator, initial: Expression) -> Callable[[Draft, int], int]:
    value = evaluator.value(initial)
    return lambda draft, number: value(draft, number, False)


def _create_channel(draft: Draft, kind: int, place: Place) -> int:
    channels = draft.changing_channels()
    if len(channels) >= MAXIMUM_CHANNELS:
        raise RuntimeProblem(f"more than {MAXIMUM_CHANNELS} channels", place)
    channels.append(Channel(kind, ()))
    return len(channels)
