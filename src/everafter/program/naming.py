"""Names for people: of values and of processes."""

from __future__ import annotations

from everafter.program.program import Program
from everafter.promela.model import Kind, Type


def mtype_name(program: Program, subtype: str | None, value: int) -> str:
    """Return the name that `value` has in the mtype `subtype` of `program`, or the number if it has none.

    Without `subtype`, or if the program does not have it, all its mtypes are looked through.
    """
    groups = program.model.mtypes
    chosen = [groups[subtype]] if subtype is not None and subtype in groups else list(groups.values())
    return next((name for group in chosen for name, number in group.items() if number == value), str(value))


def value_name(program: Program, kind: Type, value: int) -> str:
    """Return `value`, of type `kind`, as one would write it in the model of `program`."""
    if getattr(kind, "kind", None) is Kind.MTYPE:
        return mtype_name(program, getattr(kind, "mtype", None), value)
    return str(value)


def numbered_name(program: Program, proctype: int, number: int) -> str:
    """Return what reports call process `number`, of the proctype numbered `proctype` of `program`: `P(2)`."""
    name = proctype_name(program, proctype)
    return name if program.processes[proctype].declaration.is_sole else f"{name}({number})"


def proctype_name(program: Program, proctype: int) -> str:
    """Return the name of the proctype numbered `proctype` of `program`; `init` for the init process."""
    return program.processes[proctype].name.strip(":")
