"""A program in which some steps go on without interruption, as in an atomic sequence."""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType

from everafter.program.control_flow import Node
from everafter.program.program import ProcessType, Program
from everafter.record import replace

Edge = tuple[int, int, int]
"""A proctype, a place of control, and the position of a transition there."""


def with_longer_sequences(program: Program, edges: Collection[Edge]) -> Program:
    """Return `program` with atomic sequences that go on behind the transitions `edges`, too."""
    processes = tuple(_longer(process, edges) for process in program.processes)
    return replace(program, processes=processes, merged=frozenset(edges))


def _longer(process: ProcessType, edges: Collection[Edge]) -> ProcessType:
    own: dict[int, set[int]] = {}
    for kind, number, position in edges:
        if kind == process.index:
            own.setdefault(number, set()).add(position)
    if not own:
        return process
    nodes = dict(process.graph.nodes)
    for number, positions in own.items():
        nodes[number] = _going_on(nodes[number], positions)
    return replace(process, graph=replace(process.graph, nodes=MappingProxyType(nodes)))


def _going_on(node: Node, positions: Collection[int]) -> Node:
    steps = enumerate(node.transitions)
    return replace(
        node, transitions=tuple(replace(step, keeps_atomic=True) if at in positions else step for at, step in steps)
    )
