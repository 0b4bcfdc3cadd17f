"""Processes that play one role: those of one proctype, or of several that differ by constants alone.

A process of a Python model is a proctype of its own, in which what it is called by is a constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from everafter.program.control_flow import Effect
from everafter.program.effect_parts import expressions_in
from everafter.program.program import ProcessType, Program
from everafter.program.storage import width_of
from everafter.promela.model import Constant, Struct, Variable
from everafter.promela.walk import subexpressions
from everafter.symmetry.start import Started
from everafter.symmetry.texts import Wording, text, text_of_effect


class Role(NamedTuple):
    """The processes of a role, each with its proctype."""

    members: tuple[int, ...]
    kinds: tuple[int, ...]

    @property
    def first(self) -> int:
        """The proctype that stands for all."""
        return self.kinds[0]

    @property
    def is_of_one_proctype(self) -> bool:
        """Whether all are processes of the same proctype."""
        return len(set(self.kinds)) == 1


def roles(program: Program, start: Started) -> list[Role]:
    """Return the roles that several processes of `program` play once it has `start`ed."""
    found: dict[Any, list[tuple[int, int]]] = {}
    for member, process in enumerate(start.state.processes):
        kind = program.processes[process.proctype]
        if kind.role == "process":
            is_single = len(start.members(kind.index)) == 1
            found.setdefault(_shape(kind) if is_single else kind.index, []).append((member, kind.index))
    played = (each for each in found.values() if len(each) > 1)
    return [Role(tuple(member for member, _ in each), tuple(kind for _, kind in each)) for each in played]


def same_variables(program: Program, found: list[Role]) -> dict[Variable, Variable]:
    """Return, for the variables of `program` in the roles `found`, those of the first proctype of the role."""
    same: dict[Variable, Variable] = {}
    for role in found:
        own = program.processes[role.first].memory.offsets
        for kind in role.kinds[1:]:
            same |= dict(zip(program.processes[kind].memory.offsets, own, strict=True))
    return same


def _shape(kind: ProcessType) -> str:
    """A text that is equal for proctypes that differ by constants alone."""
    variables = {variable: number for number, variable in enumerate(kind.memory.offsets)}
    wording = Wording(lambda _: 0, variables, {kind.name: ""})
    nodes = [
        (
            *(node.number, node.is_end, node.is_accepting, node.is_progress, sorted(node.labels)),
            *(
                (step.element, step.target, step.keeps_atomic, step.escape, text_of_effect(step.effect, wording))
                for step in node.transitions
            ),
        )
        for node in kind.graph.nodes.values()
    ]
    declared = kind.declaration
    provided = text(kind.provided, wording) if kind.provided is not None else ()
    promises = [(each, text(reference, wording)) for each, reference in declared.exclusive]
    cells = [(variable.length, _type(variable)) for variable in variables]
    return repr(
        (cells, kind.created, kind.priority, declared.deterministic, provided, promises, kind.graph.start, nodes)
    )


def _type(variable: Variable) -> Any:
    return variable.type.name if isinstance(variable.type, Struct) else (variable.type.kind, width_of(variable))


def own_constants(program: Program, role: Role) -> Iterator[tuple[Constant, ...]]:
    """Yield the constants of a `role` in `program` that are different in each process, in the order of these."""
    if role.is_of_one_proctype:
        return
    listed = [list(_constants(program.processes[kind])) for kind in role.kinds]
    if len({len(each) for each in listed}) == 1:
        for constants in zip(*listed, strict=True):
            if len({constant.value for constant in constants}) == len(constants):
                yield constants


def _constants(kind: ProcessType) -> Iterator[Constant]:
    for step in kind.graph.transitions():
        yield from _constants_of(step.effect)


def _constants_of(effect: Effect) -> Iterator[Constant]:
    for expression in expressions_in(effect):
        for part in subexpressions(expression):
            if isinstance(part, Constant):
                yield part
