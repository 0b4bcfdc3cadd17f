"""Atomic sequences: what a process may come by before it can be interrupted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from everafter.program.control_flow import Transition
from everafter.program.program import ProcessType

T = TypeVar("T")


def passing(kind: ProcessType, own: Mapping[int, T], join: Callable[[T, T], T]) -> dict[int, T]:
    """Return for every place of `kind` its value in `own`, joined with those of all that are passed from there.

    `join` joins two values. What a place gains is handed to those just before it, and so on, which is little even in a
    long sequence.
    """
    nodes, found = kind.graph.nodes, dict(own)
    entering: dict[int, set[int]] = {number: set() for number in nodes}
    for number, node in nodes.items():
        for step in node.transitions:
            if goes_on(kind, step):
                entering[step.target].add(number)
    changed = sorted(nodes)
    while changed:
        place = changed.pop()
        for number in entering[place]:
            more = join(found[number], found[place])
            if more != found[number]:
                found[number] = more
                changed.append(number)
    return found


def goes_on(kind: ProcessType, step: Transition) -> bool:
    """Return whether a process that runs `kind` goes on without interruption behind the transition `step`."""
    return step.keeps_atomic and step.target in kind.graph.nodes
