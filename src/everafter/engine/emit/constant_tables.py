"""Constant tables of numbers: what the code of a model looks up."""

from __future__ import annotations

from collections.abc import Iterable

from everafter.engine.emit.program_facts import Facts
from everafter.engine.emit.writer import Writer
from everafter.program.program import ProcessType


def tables(facts: Facts) -> list[str]:
    """The tables that the functions every model shares look at."""
    layout = facts.layout
    types = layout.processes
    found = [
        table("sizes", [item.size for item in types]),
        table("created", [len(item.channels) for item in types]),
        table("capacities", [kind.capacity for kind in facts.program.channels]),
        table("channel_types", [kind for kind, _ in layout.global_channels]),
        table("channel_offsets", [offset for _, offset in layout.global_channels]),
        table("own_starts", _running_sum(len(item.channels) for item in types)),
        table("own_types", [kind for item in types for kind, _ in item.channels]),
        table("own_offsets", [offset for item in types for _, offset in item.channels]),
    ]
    nodes = 1 + max((number for kind in facts.program.processes for number in kind.graph.nodes), default=0)
    for mark in ("end", "accept", "progress"):
        marks = [_is_marked(kind, number, mark) for kind in facts.program.processes for number in range(nodes)]
        found.append(table(f"{mark}_marks", marks))
    return found


def _is_marked(kind: ProcessType, number: int, mark: str) -> int:
    node = kind.graph.nodes.get(number)
    if node is None:
        return 0
    return int({"end": node.is_end, "accept": node.is_accepting, "progress": node.is_progress}[mark])


def _running_sum(numbers: Iterable[int]) -> list[int]:
    total, sums = 0, []
    for number in numbers:
        sums.append(total)
        total += number
    return sums


def table(name: str, numbers: list[int]) -> str:
    """Return the text of a constant table `name` of `numbers`."""
    listed = ", ".join(f"i64 {number}" for number in numbers or [0])
    return f"@{name} = internal constant [{len(numbers or [0])} x i64] [ {listed} ]"


def entry(w: Writer, name: str, index: str) -> str:
    """Return the entry `index` of the table `name`, by code of `w`."""
    return w.get(f"load i64, ptr {w.get(f'getelementptr i64, ptr @{name}, i64 {index}')}")
