"""What a process touches: the accesses of a transition, and of an atomic sequence, summed up in a `Footprint`.

What is said of channels names the variables that always name the same channel, so
that two footprints of processes in a state can be distinguished by the channels' numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from everafter.program.control_flow import Effect, Terminate, Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.locations import Accesses, Location, Operation, Space
from everafter.program.program import ProcessType, Program
from everafter.promela.model import ChannelShape, Constant, Reference, RunExpression
from everafter.promela.walk import subexpressions
from everafter.record import dataclass

T = TypeVar("T")


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
            _joined(self.reads, other.reads),
            _joined(self.writes, other.writes),
            _joined(self.uses, other.uses),
            _joined(self.ends, other.ends),
        )


def _joined(some: frozenset[T], others: frozenset[T]) -> frozenset[T]:
    """The union; most often a large set and a small one that is in it, so that nothing is copied."""
    return some if others <= some else others if some <= others else some | others


NO_FOOTPRINT = Footprint()


def union(parts: Iterable[Footprint]) -> Footprint:
    """Everything that some part touches."""
    result = NO_FOOTPRINT
    for part in parts:
        result |= part
    return result


def footprint(program: Program, process: ProcessType, step: Transition, accesses: Accesses) -> Footprint:
    """Return the footprint of `step`, a transition of `process` of `program`, by itself; `accesses` are its accesses.

    The end of a process is kept apart from what else changes processes; its `provided` clause is read before it, too.
    """
    uses = frozenset(Use(item.operation, *_cells(program, item.channel)) for item in accesses.channels)
    if isinstance(step.effect, Terminate):
        return Footprint(accesses.reads - {Location("processes")}, uses=uses, ends=frozenset({process.index}))
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
    """Return the cells of `program` that a plain `reference` to a variable may mean; a constant index tells which."""
    variable, index = reference.variable, reference.index
    if reference.selections:
        return None
    space: Space = "global" if variable.proctype is None else "local"
    cells = _cells(program, Location(space, variable))[0]
    if cells is not None and isinstance(index, Constant) and 0 <= index.value < len(cells.cells):
        return Cells(cells.is_local, (cells.cells[index.value],))
    return cells


# Atomic sequences


def gathered(process: ProcessType, own: Mapping[int, T], join: Callable[[T, T], T]) -> dict[int, T]:
    """Return for every place of `process` its value in `own`, joined with those of all that may follow uninterrupted.

    `join` joins two values. What a place gains is passed on to those before it, so that a long sequence is gone through
    once.
    """
    nodes, result = process.graph.nodes, dict(own)
    before: dict[int, list[int]] = {}
    for number, node in nodes.items():
        for step in node.transitions:
            if step.keeps_atomic and step.target in nodes:
                before.setdefault(step.target, []).append(number)
    pending = dict.fromkeys(nodes)
    while pending:
        number, _ = pending.popitem()
        for earlier in before.get(number, ()):
            value = join(result[earlier], result[number])
            if value != result[earlier]:
                result[earlier] = value
                pending[earlier] = None
    return result


def runs_in(effect: Effect) -> Iterator[RunExpression]:
    """Every `run` in an effect."""
    for expression in expressions_in(effect):
        yield from (part for part in subexpressions(expression) if isinstance(part, RunExpression))
