"""What a process may still do: the footprint of all that follows a place, in it and in the processes that it starts."""

from __future__ import annotations

from collections.abc import Iterator

from everafter.program.accesses import AccessTable
from everafter.program.control_flow import Node
from everafter.program.program import ProcessType, Program
from everafter.promela.model import ChannelShape, Reference, RunExpression
from everafter.record import replace
from everafter.reduction.footprint import (
    NO_FOOTPRINT,
    Cells,
    Footprint,
    Use,
    cells_of_reference,
    footprint,
    runs_in,
    union,
)
from everafter.search.components import strongly_connected_components
from everafter.search.graph import ExplicitGraph

MOST_COMPARISONS = 100_000
"""Above this number, places are not distinguished by what follows them."""


class Futures:
    """For every proctype and place, the footprint of all that a process there, and those it starts, may still do.

    A process that is started has its channels from the one that starts it, or creates them; what it creates is no
    channel that exists already. So its uses are those of channels that the other names, or of any.
    Places from which the same may follow have the same object as their footprint. In a program with too many places
    to compare each with each would take long, what may follow a place is what may follow the start of its proctype,
    on whichever channels: that is more, so fewer steps are left out.
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
        self._components = [_components(process) for process in program.processes]
        self._runs = [
            {number: tuple(_runs(node)) for number, node in process.graph.nodes.items()}
            for process in program.processes
        ]
        started = self._fixpoint()
        self._found = [self._collected(process, started) for process in program.processes]
        self.is_coarse = self._comparisons() > MOST_COMPARISONS
        """Whether what may follow is described for whole proctypes."""
        if self.is_coarse:
            self._found = [self._blurred(process) for process in program.processes]

    def of(self, proctype: int, node: int) -> Footprint:
        """Return what a process that runs `proctype` and is at `node` may still do."""
        return self._found[proctype][node]

    def _comparisons(self) -> int:
        """How often something that can be done is compared with something that may follow, at most."""
        different = sum(len(set(map(id, found.values()))) for found in self._found)
        return different * sum(map(len, self._found))

    def _blurred(self, process: ProcessType) -> dict[int, Footprint]:
        """What may follow some place of a process, for every place; local names of channels stand for any channel."""
        every = union(self._found[process.index].values())
        uses = frozenset(
            replace(use, channel=None, lasts=False) if use.channel is not None and use.channel.is_local else use
            for use in every.uses
        )
        return dict.fromkeys(process.graph.nodes, replace(every, uses=uses))

    def _fixpoint(self) -> list[Footprint]:
        """What a process of each type may do from its start, in terms of its own variables."""
        found = [NO_FOOTPRINT] * len(self.program.processes)
        while True:
            improved = [
                self._collected(process, found)[process.graph.start] if process.graph.nodes else NO_FOOTPRINT
                for process in self.program.processes
            ]
            if improved == found:
                return found
            found = improved

    def _collected(self, process: ProcessType, started: list[Footprint]) -> dict[int, Footprint]:
        """What may follow each place of a process, if this is what started processes may do."""
        nodes, own, runs = process.graph.nodes, self._own[process.index], self._runs[process.index]
        found: dict[int, Footprint] = {}
        for component in self._components[process.index]:
            later = {step.target for number in component for step in nodes[number].transitions} - component
            result = union(found[target] for target in later if target in found)
            for number in component:
                result |= own[number]
                for run in runs[number]:
                    result |= self._handed_on(run, started[self.program.by_name[run.proctype]])
            found |= dict.fromkeys(component, result)
        return found

    def _handed_on(self, run: RunExpression, started: Footprint) -> Footprint:
        """What a started process may do, in terms of the variables of the one that starts it."""
        child = self.program.processes[self.program.by_name[run.proctype]]
        uses = frozenset(use for item in started.uses for use in self._renamed(run, child, item))
        return Footprint(started.reads, started.writes, uses, started.ends)

    def _renamed(self, run: RunExpression, child: ProcessType, use: Use) -> Iterator[Use]:
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

    def _argument(self, run: RunExpression, position: int) -> Cells | None:
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


def _components(process: ProcessType) -> list[frozenset[int]]:
    """The places of a process, those that lead to each other together, and what comes later first."""
    nodes = process.graph.nodes
    targets = {
        number: [step.target for step in node.transitions if step.target in nodes] for number, node in nodes.items()
    }
    return [frozenset(found) for found in strongly_connected_components(ExplicitGraph(targets, list(targets)))]


def _runs(node: Node) -> Iterator[RunExpression]:
    for step in node.transitions:
        yield from runs_in(step.effect)
