"""What a process may still touch: the accesses of a transition with its atomic sequence, and of everything to come.

Both are summed up in a `Footprint`. What is said of channels names the variables that always name the same channel, so
that two footprints of processes in a state can be told apart by the channels' numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from everafter.program.accesses import AccessTable
from everafter.program.graph import Effect, Node, Terminate, Transition
from everafter.program.locations import Accesses, Location, Operation, Space
from everafter.program.program import ProcessType, Program
from everafter.program.walk import expressions_in
from everafter.promela.model import ChannelShape, Constant, Reference, Run
from everafter.promela.walk import subexpressions


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells, global or of the process that speaks, that name the channel meant; one of them does."""

    is_local: bool
    cells: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """An operation on a channel; on any channel there is if `channel` is None."""

    operation: Operation
    channel: Cells | None
    lasts: bool
    """Whether the channel is sure to live as long as the process that speaks."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What is read, written and done to channels. `ends`: proctypes whose processes may end."""

    reads: frozenset[Location] = frozenset()
    writes: frozenset[Location] = frozenset()
    uses: frozenset[Use] = frozenset()
    ends: frozenset[int] = frozenset()

    def __or__(self, other: Footprint) -> Footprint:
        return Footprint(
            self.reads | other.reads, self.writes | other.writes, self.uses | other.uses, self.ends | other.ends
        )


NO_FOOTPRINT = Footprint()


def union(parts: Iterable[Footprint]) -> Footprint:
    """Everything that some part touches."""
    result = NO_FOOTPRINT
    for part in parts:
        result |= part
    return result


def footprint(program: Program, process: ProcessType, step: Transition, accesses: Accesses) -> Footprint:
    """The footprint of a transition by itself. The end of a process is told apart from what else changes processes."""
    if isinstance(step.effect, Terminate):
        return Footprint(ends=frozenset({process.index}))
    uses = frozenset(Use(item.operation, *_cells(program, item.channel)) for item in accesses.channels)
    return Footprint(accesses.reads, accesses.writes, uses)


def _cells(program: Program, location: Location | None) -> tuple[Cells | None, bool]:
    if location is None:
        return None, False
    variable = location.variable
    assert variable is not None
    lasts = isinstance(variable.initial, ChannelShape)
    if location.cell is not None:
        return Cells(location.space == "local", (location.cell,)), lasts
    region = program.memory
    if variable.proctype is not None:
        region = program.processes[program.by_name[variable.proctype]].memory
    start = region.offsets[variable]
    return Cells(location.space == "local", tuple(range(start, start + variable.cells))), lasts


def cells_of_reference(program: Program, reference: Reference) -> Cells | None:
    """The cells that a plain reference to a variable may mean; a constant index tells which."""
    variable, index = reference.variable, reference.index
    if reference.selections:
        return None
    space: Space = "global" if variable.proctype is None else "local"
    cells = _cells(program, Location(space, variable))[0]
    if cells is not None and isinstance(index, Constant) and 0 <= index.value < len(cells.cells):
        return Cells(cells.is_local, (cells.cells[index.value],))
    return cells


# Atomic sequences


def sequence(process: ProcessType, step: Transition) -> dict[int, Node]:
    """The places that a process may pass without interruption once it has taken the step."""
    passed: dict[int, Node] = {}
    pending = [step]
    while pending:
        following = pending.pop()
        if following.keeps_atomic and following.target not in passed and following.target in process.graph.nodes:
            node = process.graph.nodes[following.target]
            passed[following.target] = node
            pending += node.transitions
    return passed


# What is to come


class Futures:
    """For every proctype and place, the footprint of all that a process there, and those it starts, may still do.

    A process that is started has its channels from the one that starts it, or creates them; what it creates is no
    channel that exists already. So its uses are those of channels that the other names, or of any.
    """

    def __init__(self, program: Program, table: AccessTable) -> None:
        self.program = program
        self._own = [
            {
                number: union(
                    footprint(program, process, step, accesses)
                    for step, accesses in zip(node.transitions, table[process.index][number], strict=True)
                )
                for number, node in process.graph.nodes.items()
            }
            for process in program.processes
        ]
        self._reachable = [_reachable(process) for process in program.processes]
        self._runs = [
            {number: tuple(_runs(node)) for number, node in process.graph.nodes.items()}
            for process in program.processes
        ]
        self._started = self._fixpoint()
        self._found: dict[tuple[int, int], Footprint] = {}

    def of(self, proctype: int, node: int) -> Footprint:
        """What a process of this type at this place may still do."""
        key = proctype, node
        if key not in self._found:
            self._found[key] = self._collected(proctype, node, self._started)
        return self._found[key]

    def starts_processes(self, proctype: int, node: int) -> bool:
        """Whether a process at this place may still start another."""
        return any(self._runs[proctype][place] for place in self._reachable[proctype][node])

    def _fixpoint(self) -> list[Footprint]:
        """What a process of each type may do from its start, in terms of its own variables."""
        found = [NO_FOOTPRINT] * len(self.program.processes)
        while True:
            improved = [
                self._collected(process.index, process.graph.start, found) if process.graph.nodes else NO_FOOTPRINT
                for process in self.program.processes
            ]
            if improved == found:
                return found
            found = improved

    def _collected(self, proctype: int, node: int, started: list[Footprint]) -> Footprint:
        places = self._reachable[proctype][node]
        result = union(self._own[proctype][place] for place in places)
        for place in places:
            for run in self._runs[proctype][place]:
                result |= self._handed_on(run, started[self.program.by_name[run.proctype]])
        return result

    def _handed_on(self, run: Run, started: Footprint) -> Footprint:
        """What a started process may do, in terms of the variables of the one that starts it."""
        child = self.program.processes[self.program.by_name[run.proctype]]
        uses = frozenset(use for item in started.uses for use in self._renamed(run, child, item))
        return Footprint(started.reads, started.writes, uses, started.ends)

    def _renamed(self, run: Run, child: ProcessType, use: Use) -> Iterator[Use]:
        if use.channel is None or not use.channel.is_local:
            yield use
            return
        for cell in use.channel.cells:
            variable = child.memory.cells[cell].variable
            if not variable.is_parameter:
                continue  # created by the new process
            position = [offset for offset, _ in child.parameters].index(cell)
            channel = self._argument(run, position)
            yield Use(use.operation, channel, False)

    def _argument(self, run: Run, position: int) -> Cells | None:
        """The cells that name the channel given as an argument, if they always do."""
        if position >= len(run.arguments):
            return None
        argument = run.arguments[position]
        if not isinstance(argument, Reference) or argument.selections:
            return None
        variable = argument.variable
        names_one = isinstance(variable.initial, ChannelShape) or variable.is_parameter
        if not names_one or variable in self.program.assigned:
            return None
        return cells_of_reference(self.program, argument)


def _reachable(process: ProcessType) -> dict[int, frozenset[int]]:
    """From each place, the places control may come to, itself among them."""
    nodes = process.graph.nodes
    found: dict[int, frozenset[int]] = {}
    for start in nodes:
        seen = {start}
        pending = [start]
        while pending:
            for step in nodes[pending.pop()].transitions:
                if step.target in nodes and step.target not in seen:
                    seen.add(step.target)
                    pending.append(step.target)
        found[start] = frozenset(seen)
    return found


def _runs(node: Node) -> Iterator[Run]:
    for step in node.transitions:
        yield from runs_in(step.effect)


def runs_in(effect: Effect) -> Iterator[Run]:
    """Every `run` in an effect."""
    for expression in expressions_in(effect):
        yield from (part for part in subexpressions(expression) if isinstance(part, Run))
