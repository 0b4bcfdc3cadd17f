"""Atomic sequences that may never end, as far as the control flow tells: a run that stays in one for ever is no run to
a formula, which sees only the states in which any process may move.

A process that holds control goes on along transitions that keep it, and hands it over by a rendezvous. So a run stays
inside for ever only if some process goes for ever through a cycle of such transitions. A loop that counts ends, and so
does one that takes messages out of channels and puts none in, as long as no other process moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.program.accesses import AccessTable, accesses_of
from everafter.program.locations import RECEIVING, SENDING
from everafter.program.program import ProcessType, Program
from everafter.reduction.counting_loops import Edge, Flow, counting_edges, flow_of
from everafter.source import Place


def endless_sequences(program: Program) -> tuple[Place, ...]:
    """Return where loops begin, in atomic sequences of `program`, of which it is not known that they end."""
    if not any(_has_cycle(program, process) for process in program.processes):
        return ()  # as in most programs, whose accesses need not be known
    table = accesses_of(program, partners=False)
    alone = all(kind.capacity for kind in program.channels) or not _receives_inside(program, table)
    found = (_loops(process, table, alone) for process in program.processes)
    return tuple(place for places in found for place in places)


def _has_cycle(program: Program, process: ProcessType) -> bool:
    """Whether a cycle of `process` may be one of transitions that keep control or hand it over."""
    flow, meets = flow_of(process), not all(kind.capacity for kind in program.channels)
    return bool(Flow(process, frozenset(e for e in flow.edges if meets or flow.step(e).keeps_atomic)).components())


def _receives_inside(program: Program, table: AccessTable) -> bool:
    """Whether a process may go on without interruption after receiving, and so take over control."""
    return any(
        step.keeps_atomic
        and any(access.operation not in SENDING for access in table[process.index][number][i].channels)
        for process in program.processes
        for number, node in process.graph.nodes.items()
        for i, step in enumerate(node.transitions)
    )


def _loops(process: ProcessType, table: AccessTable, alone: bool) -> Iterator[Place]:
    """Where such loops of a proctype begin; `alone` says that no process hands control over."""
    rows = table[process.index]

    def operations(edge: Edge) -> set[str]:
        return {access.operation for access in rows[edge[0]][edge[1]].channels}

    whole = flow_of(process)
    held = (e for e in whole.edges if whole.step(e).keeps_atomic or (not alone and operations(e) & SENDING))
    flow = Flow(process, frozenset(held))
    flow = flow.without(counting_edges(flow, table, shared=alone))
    for part in flow.components() if alone else ():
        if not any(operations(edge) & SENDING for edge in part):
            flow = flow.without(edge for edge in part if operations(edge) & RECEIVING)
    for part in flow.components():
        yield min((flow.step(edge).place for edge in part), key=lambda place: (place.line, place.column))
