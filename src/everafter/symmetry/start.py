"""Which processes a program starts, before any of them moves, and the ends that may be left out.

Processes with numbers that are to be exchanged must all be there. They are if `init` starts them in one atomic
sequence: until then there is one run alone, and what it does may treat processes differently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from everafter.execution.state import NO_PROCESS, State
from everafter.execution.step import initial_state, steps
from everafter.program.control_flow import Node, Terminate
from everafter.program.effect_parts import expressions_in
from everafter.program.program import ProcessType, Program
from everafter.promela.model import RunExpression
from everafter.promela.walk import subexpressions
from everafter.record import dataclass, replace
from everafter.source import Place
from everafter.symmetry.uses import AsymmetricError

_MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class Started:
    """The state in which all processes are there, and what may follow it."""

    state: State
    places: Mapping[int, frozenset[int]]
    """For each process number, the places of control where it may be from there on."""
    moved: frozenset[int]
    """The processes that have moved before."""

    def members(self, proctype: int) -> tuple[int, ...]:
        """Return the numbers of the processes of `proctype`."""
        return tuple(number for number, process in enumerate(self.state.processes) if process.proctype == proctype)

    def nodes(self, program: Program) -> Iterator[tuple[ProcessType, Node]]:
        """Yield the places of control, of each proctype of `program`, where its processes may be."""
        for proctype in dict.fromkeys(process.proctype for process in self.state.processes):
            kind = program.processes[proctype]
            for number in sorted(frozenset[int]().union(*(self.places[member] for member in self.members(proctype)))):
                yield kind, kind.graph.nodes[number]


def started(program: Program) -> Started:
    """Return the state of `program` in which all processes are there. Raises AsymmetricError if there is none."""
    runs = [_starting(kind) for kind in program.processes]
    state, moved = initial_state(program), set[int]()
    for _ in range(_MOST_STEPS):
        starting = next(_starts(program, state, runs), None)
        if starting is None and state.holder == NO_PROCESS:
            break
        found = steps(program, state)
        if len(found) != 1 or found[0].state is None or found[0].partner is not None:
            if starting is None:
                break
            raise AsymmetricError(f"{starting}: processes are started while others run (atomic would keep them)")
        moved.add(found[0].process)
        state = found[0].state
    else:
        raise AsymmetricError(f"not all processes are started after {_MOST_STEPS:,} steps")
    graphs = [program.processes[process.proctype].graph.nodes for process in state.processes]
    places = {number: reachable(graphs[number], process.node) for number, process in enumerate(state.processes)}
    return Started(state, MappingProxyType(places), frozenset(moved))


def _starting(kind: ProcessType) -> dict[int, Place]:
    """The places of control of a proctype where it may start a process, each with where the text says so."""
    found: dict[int, Place] = {}
    for number, node in kind.graph.nodes.items():
        for step in node.transitions:
            parts = (part for expression in expressions_in(step.effect) for part in subexpressions(expression))
            run = next((part for part in parts if isinstance(part, RunExpression)), None)
            if run is not None:
                found.setdefault(number, run.place)
    return found


def _starts(program: Program, state: State, runs: list[dict[int, Place]]) -> Iterator[Place]:
    """Where a process may still start another."""
    for process in state.processes:
        starting = runs[process.proctype]
        if starting:
            nodes = program.processes[process.proctype].graph.nodes
            yield from (starting[number] for number in sorted(reachable(nodes, process.node)) if number in starting)


def reachable(nodes: Mapping[int, Node], start: int) -> frozenset[int]:
    """Return the places of control among `nodes` that may follow `start`, and itself."""
    met, pending = {start}, [start]
    while pending:
        node = nodes.get(pending.pop())
        for step in node.transitions if node is not None else ():
            if step.target in nodes and step.target not in met:
                met.add(step.target)
                pending.append(step.target)
    return frozenset(met)


# Ends


def ends(program: Program, kinds: Iterable[int]) -> list[Node]:
    """Return the places of control at which processes of the proctypes `kinds` of `program` end."""
    nodes = (node for kind in kinds for node in program.processes[kind].graph.nodes.values())
    return [node for node in nodes if _ends(node)]


def _ends(node: Node) -> bool:
    return any(isinstance(step.effect, Terminate) for step in node.transitions)


def without_ends(program: Program, kinds: Collection[int]) -> Program:
    """Return `program` without the steps by which processes of the proctypes `kinds` end: they stay where they are."""
    processes = tuple(_staying(kind) if kind.index in kinds else kind for kind in program.processes)
    return replace(program, processes=processes)


def _staying(kind: ProcessType) -> ProcessType:
    nodes = {
        number: replace(node, transitions=()) if _ends(node) else node for number, node in kind.graph.nodes.items()
    }
    return replace(kind, graph=replace(kind.graph, nodes=MappingProxyType(nodes)))
