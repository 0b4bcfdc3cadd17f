"""What is known of every place of control before the search: whether the steps of a process there may suffice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import accumulate
from operator import or_
from types import MappingProxyType
from typing import Literal

from everafter.program.accesses import AccessTable
from everafter.program.control_flow import Node
from everafter.program.locations import RECEIVING, SENDING, Operation
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Send
from everafter.record import dataclass
from everafter.reduction.counting_loops import Edge, counting_edges, flow_of
from everafter.reduction.dependence import ALWAYS, Dependence, FirstUse, Named, Scope, scopes_of
from everafter.reduction.footprint import NO_FOOTPRINT, Footprint, gathered, runs_in
from everafter.reduction.futures import Futures
from everafter.reduction.sticky import sticky_edges
from everafter.reduction.visibility import Visibility

_Often = Literal["always", "sometimes", "never"]


@dataclass(frozen=True, slots=True)
class Waiver:
    """A sticky operation on a channel may be taken alone if no process of that or a higher number does the opposite."""

    channel: Named
    lasts: bool
    opposite: frozenset[Operation]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is known of a place of control; positions are those of its transitions."""

    possible: bool
    scope: Scope
    visible: frozenset[int]
    sticky: frozenset[int]
    waivers: Mapping[int, Waiver]
    meets_inside: bool
    """Whether a rendezvous may be offered in the middle of an atomic sequence that begins here."""


class Analysis:
    """Finds the candidates of one proctype; `others` is all that other processes may ever do."""

    def __init__(
        self,
        program: Program,
        process: ProcessType,
        table: AccessTable,
        visibility: Visibility,
        futures: Futures,
        dependence: Dependence,
        others: Footprint,
    ) -> None:
        self.program = program
        self.process = process
        self.futures = futures
        self.dependence = dependence
        nodes = process.graph.nodes
        self.flow = flow_of(process)
        self.counting = counting_edges(self.flow, table)
        self.scopes = scopes_of(program, process, table)
        self.possible = {number: self._is_possible(node) for number, node in nodes.items()}
        self.visible = {
            (number, position)
            for number, node in nodes.items()
            for position in range(len(node.transitions))
            if visibility.is_visible(process, node, position)
        }
        self.others = others
        self._known: dict[int, _Often] = {}
        self.inside = {step.target for node in nodes.values() for step in node.transitions if step.keeps_atomic}

    def candidates(self) -> dict[int, Candidate]:
        """The candidate of every place."""
        never = {edge for edge in self.flow.edges if edge in self.visible or not self.possible[edge[0]]}
        sticky = sticky_edges(self.flow, self.counting | never, self._worth)
        sticky_inside, visible_inside = self._inside(sticky), self._inside(self.visible)
        meeting_inside = self._meeting_inside()
        return {
            number: self._candidate(node, sticky, sticky_inside, visible_inside, meeting_inside)
            for number, node in self.process.graph.nodes.items()
        }

    def _candidate(
        self,
        node: Node,
        sticky: frozenset[Edge],
        sticky_inside: Collection[int],
        visible_inside: Collection[int],
        meeting_inside: Collection[int],
    ) -> Candidate:
        """The candidate of a place; `…_inside` are the places from which such a step may follow in a sequence."""
        steps = range(len(node.transitions))
        going_on = {at: step.target for at, step in enumerate(node.transitions) if step.keeps_atomic}
        inner = {position for position, target in going_on.items() if target in sticky_inside}
        visible = {position for position, target in going_on.items() if target in visible_inside}
        first = {use.position: use for use in self.scopes[node.number].first}
        waivers = {
            position: self._waiver(first[position])
            for position in steps
            if (node.number, position) in sticky and position in first and position not in inner
        }
        return Candidate(
            possible=self.possible[node.number],
            scope=self.scopes[node.number],
            visible=frozenset(visible | {position for position in steps if (node.number, position) in self.visible}),
            sticky=frozenset(inner | {position for position in steps if (node.number, position) in sticky}),
            waivers=MappingProxyType({position: waiver for position, waiver in waivers.items() if waiver is not None}),
            meets_inside=any(target in meeting_inside for target in going_on.values()),
        )

    def _inside(self, edges: Collection[Edge]) -> set[int]:
        """The places from which one of these edges may be taken without interruption."""
        return self._leading_to({number for number, _ in edges})

    def _meeting_inside(self) -> set[int]:
        """The places from which a rendezvous may be offered without interruption."""
        if all(kind.capacity for kind in self.program.channels):
            return set()
        nodes = self.process.graph.nodes
        return self._leading_to(
            {number for number in nodes if any(isinstance(step.effect, Send) for step in nodes[number].transitions)}
        )

    def _leading_to(self, places: Collection[int]) -> set[int]:
        """The places that may be followed by one of these without interruption, and these."""
        own = {number: number in places for number in self.process.graph.nodes}
        return {number for number, leads in gathered(self.process, own, or_).items() if leads}

    def _waiver(self, use: FirstUse) -> Waiver | None:
        if use.operation in RECEIVING:
            return Waiver(use.channel, use.lasts, SENDING)
        if use.operation in SENDING and not self.program.loses_messages:
            return Waiver(use.channel, use.lasts, RECEIVING)
        return None

    def _is_possible(self, node: Node) -> bool:
        scope = self.scopes[node.number].footprint
        return not any(item.space in ("everything", "control") for item in scope.reads | scope.writes)

    def _worth(self, edge: Edge) -> int:
        """How much is lost if the edge is never taken alone: little where that is rarely possible, or waived."""
        depends = self._depends(edge[0])
        use = next((item for item in self.scopes[edge[0]].first if item.position == edge[1]), None)
        inside = 10 if edge[0] in self.inside else 0
        if depends == "always":
            return inside
        if use is not None and (waiver := self._waiver(use)) is not None:
            return inside + (1 if waiver.opposite == SENDING else 2)
        return inside + (3 if depends == "sometimes" else 4)

    def _depends(self, number: int) -> _Often:
        """How often what can be done at a place depends on what others may ever do."""
        if number not in self._known:
            answer = self.dependence.clashes(self.scopes[number], self.others)
            self._known[number] = "always" if answer is ALWAYS else "sometimes" if answer else "never"
        return self._known[number]


def done_by_others(program: Program, futures: Futures) -> list[Footprint]:
    """Return, for each proctype of `program`, all that processes beside one of it may ever do, by `futures`."""
    running, started = running_types(program), started_types(program)
    lives = {kind.index: futures.of(kind.index, kind.graph.start) for kind in running}
    listed = [lives.get(kind.index, NO_FOOTPRINT) for kind in program.processes]
    before = accumulate(listed, or_, initial=NO_FOOTPRINT)
    behind = list(accumulate(reversed(listed), or_, initial=NO_FOOTPRINT))[::-1]
    several = (kind.instances > 1 or kind.name in started for kind in program.processes)
    return [
        one | other | (own if is_several else NO_FOOTPRINT)
        for one, other, own, is_several in zip(before, behind[1:], listed, several, strict=False)
    ]


def running_types(program: Program) -> list[ProcessType]:
    """The proctypes of `program` whose processes take steps."""
    return [process for process in program.processes if process.role in ("process", "init")]


def started_types(program: Program) -> frozenset[str]:
    """The names of the proctypes that some process of `program` starts."""
    effects = (step.effect for process in running_types(program) for step in process.graph.transitions())
    return frozenset(run.proctype for effect in effects for run in runs_in(effect))
