"""The cells that are never read: what is written there is no part of a state.

A cell is read if some statement must know it to be taken, to go wrong or not, or to leave behind what is read.
`x = x + 1` alone does not read x, nor does a `printf`. The elements of an array are read together, fields of structures
one by one. Names of channels are always read, since it matters which channels there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import get_args

from everafter.program.cell_sets import GLOBAL, CellSets
from everafter.program.effect_parts import expressions_in
from everafter.program.erasure import CellSet, Dead, Erasure
from everafter.program.program import ProcessType, Program
from everafter.program.statement_reads import copied, needed, references, statements_in
from everafter.promela.model import Assign, Expression, Reference, RemoteVariable, Struct, Variable
from everafter.promela.walk import subexpressions
from everafter.record import replace

_EXPRESSION = get_args(Expression)


def unread_cells(program: Program, watched: Iterable[Expression]) -> list[CellSet]:
    """Return the cells of each region of `program` that are never read.

    `watched` are the expressions that a property reads. The first region is the global one, the others are those of
    the proctypes; claims and traces keep theirs.
    """
    sets = CellSets(program)
    read = [_kept(program, number) for number in range(1 + len(program.processes))]
    assigned: list[tuple[int, CellSet, list[Reference]]] = []

    def note(found: Iterable[Reference]) -> None:
        for reference in found:
            read[sets.region(reference.variable)] |= sets.slot(reference)

    note(references(always_read(program, watched)))
    for variable in remote_variables(program, watched):
        read[sets.region(variable)] |= sets.whole(variable)
    for process in program.processes:
        for step in process.graph.transitions():
            for statement in statements_in(step.effect):
                note(needed(statement))
                if isinstance(statement, Assign) and isinstance(statement.target, Reference):
                    target = statement.target
                    assigned.append((sets.region(target.variable), sets.slot(target), list(copied(statement))))
    waiting = assigned
    while True:
        active = [item for item in waiting if read[item[0]] & item[1]]
        if not active:
            break
        waiting = [item for item in waiting if not read[item[0]] & item[1]]
        for _, _, values in active:
            note(values)
    return [_all_cells(program, number) & ~cells for number, cells in enumerate(read)]


def without_unread(program: Program, watched: Iterable[Expression]) -> Program:
    """Return `program` with zero for what is never read, for a property that reads `watched`."""
    first, *others = unread_cells(program, watched)
    return _erasing(program, first, others)


def only_without_unread(program: Program) -> Program:
    """Return `program`, which erases, with zero for nothing but what is never read."""
    assert program.erased is not None
    return _erasing(program, program.erased.unread, program.erased.unread_locals)


def _erasing(program: Program, unread: CellSet, unread_locals: Sequence[CellSet]) -> Program:
    """The program, with zero for these cells in every state."""
    dead = (
        MappingProxyType(dict.fromkeys(process.graph.nodes, Dead(cells)))
        for process, cells in zip(program.processes, unread_locals, strict=True)
    )
    erased = Erasure(unread, tuple(unread_locals), tuple(dead), (0,) * len(unread_locals))
    return replace(program, erased=erased)


def always_read(program: Program, watched: Iterable[Expression]) -> Iterator[Expression]:
    """What may be evaluated at any time in `program`: the `watched` expressions, conditions, promises, first values."""
    yield from watched
    yield from _first_values(program.initial)
    for process in program.processes:
        yield from _first_values(process.initial)
        if process.provided is not None:
            yield process.provided
        yield from (reference for _, reference in process.declaration.exclusive)


def remote_variables(program: Program, watched: Iterable[Expression]) -> Iterator[Variable]:
    """The variables of processes of `program` that others, or `watched` expressions, read."""
    whole = [*always_read(program, watched), *(item for effect in program.effects() for item in expressions_in(effect))]
    for expression in whole:
        yield from (part.variable for part in subexpressions(expression) if isinstance(part, RemoteVariable))


def _first_values(variables: Iterable[Variable]) -> Iterator[Expression]:
    for variable in variables:
        if isinstance(variable.type, Struct):
            yield from _first_values(variable.type.fields)
        elif isinstance(variable.initial, tuple):
            yield from variable.initial
        elif isinstance(variable.initial, _EXPRESSION):
            yield variable.initial


def _all_cells(program: Program, region: int) -> CellSet:
    memory = program.memory if region == GLOBAL else program.processes[region - 1].memory
    return (1 << len(memory.cells)) - 1


def _kept(program: Program, region: int) -> CellSet:
    """The cells that are read whatever the text says."""
    if region != GLOBAL and not takes_steps(program.processes[region - 1]):
        return _all_cells(program, region)
    return channel_cells(program, region)


def channel_cells(program: Program, region: int) -> CellSet:
    """Return the cells of `region` of `program` that name channels."""
    memory = program.memory if region == GLOBAL else program.processes[region - 1].memory
    return sum(1 << cell for cell in memory.channels)


def takes_steps(process: ProcessType) -> bool:
    """Return whether processes of this type take steps: it is no claim and no trace."""
    return process.role in ("process", "init")
