"""A state by the names of the model: values of variables, lists for arrays and channels, processes and their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from everafter.execution.state import Channel, State
from everafter.program.naming import mtype_name, proctype_name
from everafter.program.program import Program
from everafter.program.storage import Region
from everafter.promela.model import Kind, Scalar, Struct, Type, Variable
from everafter.source import Spot
from everafter.verdict.changes import differences

_MOST_NAMES = 10
"""A state shows no more of its variables where it is printed."""


class NamedProcess(NamedTuple):
    """A process of a state."""

    number: int
    """Its `_pid`."""
    name: str
    """The name of its proctype; `init` for the init process."""
    spot: Spot
    """The statement before which it is."""
    labels: tuple[str, ...]
    """The labels of that place, in alphabetical order."""
    values: dict[str, Any]
    """Its local variables, as those of a NamedState; `i#2` is the `i` of a second block."""


class NamedState(Mapping[str, Any]):
    """The global variables of a state: `state["flag"][0]`; `processes` has the local ones.

    A value is an int, or the name of an mtype's constant; an array is a list, and a structure a dict. A channel is the
    list of its messages, oldest first, where one of several fields is a tuple; a variable without a channel is None.
    """

    __slots__ = ("_program", "_state")

    def __init__(self, program: Program, state: State) -> None:
        self._program = program
        self._state = state

    def __getitem__(self, name: str) -> Any:
        variable = _variables(self._program.memory)[name]
        return _value_of(self._program, self._state, self._program.memory, self._state.memory, variable)

    def __iter__(self) -> Iterator[str]:
        return iter(_variables(self._program.memory))

    def __len__(self) -> int:
        return len(self._program.memory.offsets)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NamedState):
            return self._state == other._state and self._program is other._program
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._state)

    def __repr__(self) -> str:
        shown = [f"{name!r}: {self[name]!r}" for name in islice(self, _MOST_NAMES)]
        return f"<State {{{', '.join([*shown, *(['…'] if len(self) > _MOST_NAMES else [])])}}}>"

    @property
    def processes(self) -> list[NamedProcess]:
        """The processes that are alive, oldest first."""
        return [_process(self._program, self._state, number) for number in range(len(self._state.processes))]

    def changes_since(self, before: NamedState) -> dict[str, Any]:
        """Return what is not as in the state `before`: new values by name, `flag[1]`, `P(2).i`.

        For a process that was started the value is the NamedProcess; for one that is gone, None.
        """
        program, after = self._program, self._state
        found: dict[str, Any] = {}
        for name, kind, value in differences(program, before._state, after):
            if isinstance(kind, Channel):
                found[name] = _messages(program, kind)
            elif kind is not None:
                found[name] = _scalar(program, after, kind, value)
            else:
                found[name] = _process(program, after, value) if value < len(after.processes) else None
        return found


def _process(program: Program, state: State, number: int) -> NamedProcess:
    process = state.processes[number]
    kind = program.processes[process.proctype]
    node = kind.graph.nodes[process.node]
    values = {
        name: _value_of(program, state, kind.memory, process.memory, variable)
        for name, variable in _variables(kind.memory).items()
    }
    spot, labels = Spot.of(node.place), tuple(sorted(node.labels))
    return NamedProcess(number, proctype_name(program, process.proctype), spot, labels, values)


def _variables(region: Region) -> dict[str, Variable]:
    """The variables by name; `i#2` is the second one with the name `i`, which is declared in another block."""
    found: dict[str, Variable] = {}
    count: Counter[str] = Counter()
    for variable in region.offsets:
        count[variable.name] += 1
        again = f"#{count[variable.name]}" if count[variable.name] > 1 else ""
        found[variable.name + again] = variable
    return found


def _value_of(program: Program, state: State, region: Region, memory: tuple[int, ...], variable: Variable) -> Any:
    return _variable(program, state, variable, iter(memory[region.offsets[variable] :]))


def _variable(program: Program, state: State, variable: Variable, cells: Iterator[int]) -> Any:
    """The value of a variable, or of a field, of which the first cell comes next."""
    values = [_one(program, state, variable.type, cells) for _ in range(variable.cells)]
    return values[0] if variable.length is None else values


def _one(program: Program, state: State, kind: Type, cells: Iterator[int]) -> Any:
    if isinstance(kind, Struct) and not kind.fields[0].name:
        return _variable(program, state, kind.fields[0], cells)  # an array of arrays
    if isinstance(kind, Struct):
        return {item.name: _variable(program, state, item, cells) for item in kind.fields}
    return _scalar(program, state, kind, next(cells))


def _scalar(program: Program, state: State, kind: Type, value: int) -> Any:
    if not isinstance(kind, Scalar):
        return value
    if kind.kind is Kind.CHAN:
        return _messages(program, state.channels[value - 1]) if 0 < value <= len(state.channels) else None
    return _named(program, kind, value)


def _named(program: Program, kind: Scalar, value: int) -> int | str:
    """The name of an mtype's constant; any other value as it is."""
    if kind.kind is not Kind.MTYPE:
        return value
    name = mtype_name(program, kind.mtype, value)
    return value if name == str(value) else name


def _messages(program: Program, channel: Channel) -> list[Any]:
    fields = program.channels[channel.type].fields
    found = [
        tuple(_named(program, field, value) for field, value in zip(fields, message, strict=True))
        for message in channel.messages
    ]
    return [message[0] if len(message) == 1 else message for message in found]
