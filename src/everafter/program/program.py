"""A whole program: every proctype as a control-flow graph, and the memory its processes share and own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import get_args

from everafter.program.channel_types import created_by
from everafter.program.control_flow import NO_GRAPH, ControlFlowGraph, DeterministicStep, Effect, Transition
from everafter.program.effect_parts import expressions_in, expressions_read, references_written
from everafter.program.elements import build_body
from everafter.program.erasure import Erasure
from everafter.program.expected import AS_USUAL, Expected
from everafter.program.flow import build_graph
from everafter.program.initial_limits import initial_limits
from everafter.program.storage import Region, Width, field_offsets, field_widths, lay_out
from everafter.program.symmetry import Symmetry
from everafter.promela.cursor import MAXIMUM_ERRORS
from everafter.promela.model import (
    ChannelShape,
    Expression,
    Kind,
    Reference,
    RemoteLabel,
    RunExpression,
    Scalar,
    Struct,
    Variable,
)
from everafter.promela.units import NO_NEEDS, ModelTree, Needs, Proctype, Role
from everafter.promela.walk import subexpressions
from everafter.record import dataclass, replace
from everafter.source import Diagnostic, InputError, closest

_EXPRESSION = get_args(Expression)
_INITIAL_ORDER = (Kind.UNSIGNED, Kind.BIT, Kind.BYTE, Kind.CHAN, Kind.MTYPE, Kind.SHORT, Kind.INT)


@dataclass(frozen=True, slots=True)
class ChannelType:
    """One channel declaration: capacity 0 is a rendezvous."""

    capacity: int
    widths: tuple[Width, ...]
    fields: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class ProcessType:
    """One proctype, ready to run."""

    index: int
    name: str
    role: Role
    graph: ControlFlowGraph
    memory: Region
    parameters: tuple[tuple[int, Width], ...]
    initial: tuple[Variable, ...]
    created: tuple[int, ...]
    """The types of the channels that a process creates, in order."""
    provided: Expression | None
    priority: int
    instances: int
    elements: int
    """How many elements the body has."""
    end: int
    """The last element of the text: SPIN numbers those of all bodies through."""
    declaration: Proctype


@dataclass(frozen=True, eq=False, slots=True)
class Program:
    """What the execution works on. Proctypes and channel types are referred to by their index.

    Two programs are the same only if they are one object.
    """

    model: ModelTree
    memory: Region
    fields: Mapping[Variable, int]
    processes: tuple[ProcessType, ...]
    by_name: Mapping[str, int]
    channels: tuple[ChannelType, ...]
    channel_index: Mapping[ChannelShape, int]
    initial: tuple[Variable, ...]
    created: tuple[int, ...]
    """The types of the channels that the global variables create, number 1 first."""
    assigned: frozenset[Variable]
    """The variables that some transition writes, whole or in part."""
    needs: Needs
    """What the model's text needs, and what the properties need besides."""
    loses_messages: bool = False
    expected: Expected = AS_USUAL
    """What is expected of every run."""
    erased: Erasure | None = None
    """What of its states is written as zero, where that is wanted."""
    merged: frozenset[tuple[int, int, int]] = frozenset()
    """The transitions, by proctype, place and position, that go on without interruption though the text does not say
    so."""
    symmetry: Symmetry | None = None
    """Which states are taken for one, where that is wanted."""
    numbers_matter: bool = True
    """Whether states that differ in nothing but the numbers of processes are different to anybody."""

    @property
    def uses_last(self) -> bool:
        """Whether a state tells who moved last."""
        return self.needs.uses_last

    @property
    def uses_priority(self) -> bool:
        """Whether priorities decide who may move."""
        return self.needs.uses_priority

    def effects(self) -> Iterator[Effect]:
        """What each transition of each proctype does."""
        return (step.effect for process in self.processes for step in process.graph.transitions())

    @property
    def trace(self) -> ProcessType | None:
        """The trace or notrace assertion, if the model has one."""
        return next((process for process in self.processes if process.role in ("trace", "notrace")), None)


def program_for(program: Program, needs: Needs) -> Program:
    """Return `program` if it has what `needs` says, or else the program of the same model that has."""
    if program.needs.cover(needs):
        return program
    return replace(build(program.model, program.loses_messages, program.needs | needs), expected=program.expected)


def build(model: ModelTree, loses_messages: bool = False, asked: Needs = NO_NEEDS) -> Program:
    """Return the program of `model`, with `loses_messages` one in which a full channel loses what is sent to it.

    `asked` are the needs of the properties to be checked. Raises InputError for jumps that lead nowhere and the like.
    """
    problems: list[Diagnostic] = []
    shapes = [item.initial for item in model.all_variables() if isinstance(item.initial, ChannelShape)]
    channel_index = MappingProxyType({shape: index for index, shape in enumerate(shapes)})
    needs = model.needs | asked
    processes = tuple(
        _process_type(index, proctype, channel_index, needs, problems) for index, proctype in enumerate(model.proctypes)
    )
    by_name = MappingProxyType({process.name: process.index for process in processes})
    for process in processes:
        _check_d_steps(process, problems)
        _check_remote_labels(process, processes, by_name, problems)
    problems += initial_limits(model)
    if problems:
        raise InputError(problems[:MAXIMUM_ERRORS])
    initial = tuple(sorted(model.variables, key=_initial_rank))
    return Program(
        model=model,
        memory=lay_out(model.variables, _unseen(model, processes) - needs.hidden),
        fields=field_offsets(model.structs.values()),
        processes=processes,
        by_name=by_name,
        channels=tuple(ChannelType(shape.capacity, field_widths(shape.fields), shape.fields) for shape in shapes),
        channel_index=channel_index,
        initial=initial,
        created=tuple(channel_index[shape] for shape in created_by(initial)),
        assigned=_assigned(processes),
        needs=needs,
        loses_messages=loses_messages,
    )


def _unseen(model: ModelTree, processes: tuple[ProcessType, ...]) -> set[Variable]:
    """The hidden variables that may be left out of the state because no process ever reads them.

    SPIN leaves out every hidden variable, which misses states when one is read later than it is written.
    """
    hidden = {variable for variable in model.variables if variable.is_hidden}
    if not hidden:
        return hidden
    for process in processes:
        reads = [process.provided] if process.provided is not None else []
        reads += [item.initial for item in process.initial if isinstance(item.initial, _EXPRESSION)]
        for transition in process.graph.transitions():
            reads += expressions_read(transition.effect)
        for expression in reads:
            hidden -= {part.variable for part in subexpressions(expression) if isinstance(part, Reference)}
    return hidden


def _initial_rank(variable: Variable) -> int:
    """SPIN initialises globals by type, which decides the numbers of channels."""
    if isinstance(variable.type, Struct):
        return len(_INITIAL_ORDER)
    return _INITIAL_ORDER.index(variable.type.kind)


def _assigned(processes: tuple[ProcessType, ...]) -> frozenset[Variable]:
    steps = (step for process in processes for step in process.graph.transitions())
    return frozenset(target.variable for step in steps for target in references_written(step.effect))


def _process_type(
    index: int,
    proctype: Proctype,
    channel_index: Mapping[ChannelShape, int],
    needs: Needs,
    problems: list[Diagnostic],
) -> ProcessType:
    watched = {label for name, label in needs.remote_labels if name == proctype.name}
    found: list[Diagnostic] = []
    body = build_body(proctype, watched, found)
    graph = NO_GRAPH if found else build_graph(body, found)
    problems += found
    memory = lay_out(proctype.variables)
    parameters: list[tuple[int, Width]] = []
    for variable in proctype.parameters:
        offset = memory.offsets[variable]
        count = sum(1 for cell in memory.cells[offset:] if _belongs(cell.name, variable.name))
        parameters += [(offset + i, memory.cells[offset + i].width) for i in range(count)]
    initial = tuple(item for item in proctype.variables if not item.is_parameter)
    return ProcessType(
        index=index,
        name=proctype.name,
        role=proctype.role,
        graph=graph,
        memory=memory,
        parameters=tuple(parameters),
        initial=initial,
        created=tuple(channel_index[shape] for shape in created_by(initial)),
        provided=proctype.provided,
        priority=proctype.priority,
        instances=proctype.instances,
        elements=len(body.elements),
        end=body.end.number,
        declaration=proctype,
    )


def _belongs(cell: str, variable: str) -> bool:
    return cell == variable or cell.startswith(f"{variable}.")


def _check_d_steps(process: ProcessType, problems: list[Diagnostic]) -> None:
    for transition in process.graph.transitions():
        if not isinstance(transition.effect, DeterministicStep):
            continue
        for part in _parts(transition):
            if isinstance(part, RunExpression):
                problems.append(Diagnostic(part.place, "'run' cannot stand in a d_step", "use atomic"))


def _check_remote_labels(
    process: ProcessType,
    processes: tuple[ProcessType, ...],
    by_name: Mapping[str, int],
    problems: list[Diagnostic],
) -> None:
    for transition in process.graph.transitions():
        for part in _parts(transition):
            if isinstance(part, RemoteLabel):
                labels = processes[by_name[part.proctype]].graph.labels
                if part.label not in labels:
                    message = f"'{part.proctype}' has no label '{part.label}'"
                    problems.append(Diagnostic(part.place, message, closest(part.label, labels)))


def _parts(transition: Transition) -> Iterator[Expression]:
    for expression in expressions_in(transition.effect):
        yield from subexpressions(expression)
