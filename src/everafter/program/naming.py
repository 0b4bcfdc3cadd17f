"""Names for people: of values and of processes."""

from __future__ import annotations

from everafter.program.program import Program
from everafter.promela.model import Kind, Type


def mtype_name(program: Program, subtype: str | None, value: int) -> str:
    """The mtype name of a value, or the number if it has none."""
    groups = program.model.mtypes
    chosen = [groups[subtype]] if subtype is not None and subtype in groups else list(groups.values())
    return next((name for group in chosen for name, number in group.items() if number == value), str(value))


def value_name(program: Program, kind: Type, value: int) -> str:
    """A value as one would write it in the model."""
    if getattr(kind, "kind", None) is Kind.MTYPE:
        return mtype_name(program, getattr(kind, "mtype", None), value)
    return str(value)


def proctype_name(program: Program, proctype: int) -> str:
    """The name of a proctype; `init` for the init process."""
    return program.processes[proctype].name.strip(":")
