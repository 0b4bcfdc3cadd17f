"""Ample sets: in which states the steps of one process suffice.

Peled, "Combining partial order reductions with on-the-fly model-checking", 1996; the conditions are those of Brunner
and Lammich, "Formal verification of an executable LTL model checker with partial order reduction", 2018.

A `Reduction` is computed once, before the search, and does not depend on what the search has seen: it is sound with any
search. For every proctype and place of control it holds a `Candidate`. In a state in which nobody is in the middle of
an atomic sequence the steps of process p, at place n, suffice if all of this is true:

static, asked of the tables
1. the candidate at n is `possible`: no `control` or `everything` is read there, and every atomic sequence that begins
   there ends;
2. no transition of p that can be taken is in `visible`;
3. no transition of p that can be taken is in `sticky`, unless its `Waiver` applies;
asked of the state
4. p has a step at all, with `timeout` false;
5. for every other process q, at place m: none of `conditions(proctype of p, n, proctype of q, m)` is true. These are
   static, too, and mostly none or ALWAYS; otherwise they compare numbers of channels and ask whether a channel of p's
   is full or empty (see `dependence`);
6. a waiver applies if no process with p's number or a higher one may still do the opposite operation on the channel:
   what is received in a cycle of states is sent in it, and what is sent is received, so a process with a lower number
   moves in the cycle as well, and that of the lowest number meets a sticky edge that is not waived (see `sticky`).

The processes are asked in order, youngest first, and the first one that suffices is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol, assert_never

from everafter.program.accesses import CHANGING, AccessTable, Operation, accesses_of
from everafter.program.graph import Node
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression
from everafter.reduction.counting import Edge, counting_edges, flow_of
from everafter.reduction.dependence import (
    ALWAYS,
    Clash,
    Condition,
    Dies,
    FirstUse,
    Named,
    Scope,
    Spoken,
    Takes,
    Watches,
    clashes,
    scope_of,
)
from everafter.reduction.footprint import (
    Cells,
    Futures,
    channels_created,
    channels_declared,
    creates_channels,
    runs_in,
    sequence,
)
from everafter.reduction.sticky import sticky_edges
from everafter.reduction.visibility import NOTHING_WATCHED, Visibility, Watched


class ProcessView(Protocol):
    """What is asked of a process: what it runs, where it is, its local cells."""

    @property
    def proctype(self) -> int: ...
    @property
    def node(self) -> int: ...
    @property
    def memory(self) -> Sequence[int]: ...


class ChannelView(Protocol):
    """What is asked of a channel: its type and the messages in it."""

    @property
    def type(self) -> int: ...
    @property
    def messages(self) -> Sequence[object]: ...


class StateView(Protocol):
    """What is asked of a state."""

    @property
    def memory(self) -> Sequence[int]: ...
    @property
    def processes(self) -> Sequence[ProcessView]: ...
    @property
    def channels(self) -> Sequence[ChannelView]: ...


Value = Callable[[int, Expression], int]
"""The value of an expression for a process of the state, by its number."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """A sticky operation on a channel may be taken alone if nobody of that number or a higher one does the opposite."""

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
    waivers: dict[int, Waiver]


@dataclass(slots=True)
class Reduction:
    """The candidates of every proctype and place, and when two processes depend on each other."""

    program: Program
    candidates: tuple[dict[int, Candidate], ...]
    futures: Futures
    creators: frozenset[int]
    global_channels: int
    _conditions: dict[tuple[int, int, int, int], frozenset[Condition]] = field(default_factory=dict)

    def conditions(self, proctype: int, node: int, other: int, place: int) -> frozenset[Condition]:
        """When a process at a node depends on what another process, at a place, may still do."""
        key = proctype, node, other, place
        known = self._conditions.get(key)
        if known is None:
            mine = self.candidates[proctype][node].scope
            known = clashes(mine, self.futures.of(other, place), self.creators)
            self._conditions[key] = known
        return known

    def suffices(self, state: StateView, number: int, positions: Collection[int], value: Value) -> bool:
        """Whether the steps of a process suffice; `positions` are those of its transitions that can be taken."""
        process = state.processes[number]
        candidate = self.candidates[process.proctype][process.node]
        if not candidate.possible or not positions or not candidate.visible.isdisjoint(positions):
            return False
        asked = _Asked(self, state, number, positions, value)
        return all(map(asked.is_independent, range(len(state.processes)))) and asked.may_be_taken(candidate)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The conditions on the state, for one process."""

    reduction: Reduction
    state: StateView
    number: int
    positions: Collection[int]
    value: Value

    def is_independent(self, other: int) -> bool:
        """Whether nothing that another process may still do depends on what this one can do."""
        if other == self.number:
            return True
        mine, theirs = self.state.processes[self.number], self.state.processes[other]
        conditions = self.reduction.conditions(mine.proctype, mine.node, theirs.proctype, theirs.node)
        return conditions is not ALWAYS and not any(self._is_true(item, other) for item in conditions)

    def may_be_taken(self, candidate: Candidate) -> bool:
        """Whether no step that can be taken is sticky without a waiver."""
        sticky = candidate.sticky.intersection(self.positions)
        return all(
            position in candidate.waivers and self._is_waived(candidate.waivers[position]) for position in sticky
        )

    def _is_waived(self, waiver: Waiver) -> bool:
        (channel,) = self._numbers(waiver.channel, self.number)
        if not waiver.lasts and channel > self._channels_through(self.number):
            return False
        for other in range(self.number, len(self.state.processes)):
            process = self.state.processes[other]
            for use in self.reduction.futures.of(process.proctype, process.node).uses:
                if use.operation in waiver.opposite and self._may_mean(use.channel, other, {channel}):
                    return False
        return True

    # Conditions

    def _is_true(self, condition: Condition, other: int) -> bool:
        match condition:
            case Clash(mine=mine, theirs=theirs, unless=unless, position=position):
                if mine is None:
                    return True
                numbers = self._numbers(mine, self.number)
                if not self._may_mean(theirs, other, numbers):
                    return False
                return not self._is_excepted(unless, position, numbers)
            case Dies(mine=mine):
                last = self._channels_through(self.number)
                return mine is None or any(channel > last for channel in self._numbers(mine, self.number))
            case Takes(theirs=theirs):
                first = self._channels_through(self.number - 1)
                return theirs is None or any(channel > first for channel in self._numbers(theirs, other))
            case Watches(mine=mine, theirs=theirs, first=one, second=another):
                return self._is_one_of(mine, self.number, one) and self._is_one_of(theirs, other, another)
            case _:
                assert_never(condition)

    def _is_one_of(self, named: Named | None, speaker: int, watched: Cells | None) -> bool:
        if named is None or watched is None:
            return True
        return not self._numbers(named, speaker).isdisjoint(self._numbers(watched, speaker))

    def _is_excepted(self, unless: str, position: int, numbers: set[int]) -> bool:
        match unless:
            case "never":
                return False
            case "executable":
                return position in self.positions
            case _:
                return all(self._has_room(unless, channel) for channel in numbers)

    def _has_room(self, unless: str, number: int) -> bool:
        """Whether a buffered channel is not full, or not empty, as is asked."""
        if not 0 < number <= len(self.state.channels):
            return False
        channel = self.state.channels[number - 1]
        if unless == "not empty":
            return len(channel.messages) > 0
        return len(channel.messages) < self.reduction.program.channels[channel.type].capacity

    def _may_mean(self, named: Cells | None, speaker: int, numbers: set[int]) -> bool:
        return named is None or not self._numbers(named, speaker).isdisjoint(numbers)

    def _numbers(self, named: Named, speaker: int) -> set[int]:
        """The numbers of the channels that a process may mean."""
        if isinstance(named, Spoken):
            return {self.value(speaker, named.expression)}
        memory = self.state.processes[speaker].memory if named.is_local else self.state.memory
        return {memory[cell] for cell in named.cells}

    def _channels_through(self, number: int) -> int:
        """How many channels there are that no process younger than this one created."""
        program = self.reduction.program
        created = (channels_created(program.processes[self.state.processes[i].proctype]) for i in range(number + 1))
        return self.reduction.global_channels + sum(created)


# Before the search


def reduction_of(program: Program, watched: Watched = NOTHING_WATCHED) -> Reduction:
    """The reduction that preserves what a property sees. Whether it is sound for the model is not asked here."""
    table = accesses_of(program, partners=False)
    futures = Futures(program, table)
    creators = frozenset(process.index for process in program.processes if creates_channels(process))
    visibility = Visibility(program, table, watched)
    candidates = tuple(
        _Analysis(program, process, table, visibility, futures, creators).candidates() for process in program.processes
    )
    channels = channels_declared(program.initial)
    return Reduction(program, candidates, futures, creators, channels)


class _Analysis:
    """Finds the candidates of one proctype."""

    def __init__(
        self,
        program: Program,
        process: ProcessType,
        table: AccessTable,
        visibility: Visibility,
        futures: Futures,
        creators: frozenset[int],
    ) -> None:
        self.program = program
        self.process = process
        self.futures = futures
        self.creators = creators
        nodes = process.graph.nodes
        self.flow = flow_of(process)
        self.counting = counting_edges(self.flow, table)
        self.scopes = {number: scope_of(program, process, node, table) for number, node in nodes.items()}
        self.possible = {number: self._is_possible(node) for number, node in nodes.items()}
        self.visible = {
            (number, position)
            for number, node in nodes.items()
            for position in range(len(node.transitions))
            if visibility.is_visible(process, node, position)
        }
        self.others = [
            futures.of(other.index, other.graph.start) for other in _company(program) if other is not process
        ]
        if _may_have_several(program, process):
            self.others.append(futures.of(process.index, process.graph.start))
        self.inside = {step.target for node in nodes.values() for step in node.transitions if step.keeps_atomic}

    def candidates(self) -> dict[int, Candidate]:
        never = {edge for edge in self.flow.edges if edge in self.visible or not self.possible[edge[0]]}
        sticky = sticky_edges(self.flow, self.counting | never, self._worth)
        return {number: self._candidate(node, sticky) for number, node in self.process.graph.nodes.items()}

    def _candidate(self, node: Node, sticky: frozenset[Edge]) -> Candidate:
        steps = range(len(node.transitions))
        later = {position: self._later(node, position) for position in steps}
        inner = {position for position in steps if not later[position].isdisjoint(sticky)}
        first = {use.position: use for use in self.scopes[node.number].first}
        waivers = {
            position: self._waiver(first[position])
            for position in steps
            if (node.number, position) in sticky and position in first and position not in inner
        }
        return Candidate(
            possible=self.possible[node.number],
            scope=self.scopes[node.number],
            visible=frozenset(
                position
                for position in steps
                if (node.number, position) in self.visible or not later[position].isdisjoint(self.visible)
            ),
            sticky=frozenset(inner | {position for position in steps if (node.number, position) in sticky}),
            waivers={position: waiver for position, waiver in waivers.items() if waiver is not None},
        )

    def _later(self, node: Node, position: int) -> frozenset[Edge]:
        """The edges that may follow a transition without interruption."""
        passed = sequence(self.process, node.transitions[position])
        return frozenset((number, at) for number, inner in passed.items() for at in range(len(inner.transitions)))

    def _waiver(self, use: FirstUse) -> Waiver | None:
        if use.operation in ("receive", "pick"):
            return Waiver(use.channel, use.lasts, frozenset({"send", "insert"}))
        if use.operation in CHANGING and not self.program.loses_messages:
            return Waiver(use.channel, use.lasts, frozenset({"receive", "pick"}))
        return None

    def _is_possible(self, node: Node) -> bool:
        scope = self.scopes[node.number].footprint
        if any(item.space in ("everything", "control") for item in scope.reads | scope.writes):
            return False
        return all(self._ends(node, position) for position in range(len(node.transitions)))

    def _ends(self, node: Node, position: int) -> bool:
        """Whether the atomic sequence that a transition begins cannot go on for ever."""
        inner = self._later(node, position)
        kept = {edge for edge in inner if edge in self.flow.edges and self.flow.step(edge).keeps_atomic}
        return not self.flow.without(self.flow.edges - (kept - self.counting)).components()

    def _worth(self, edge: Edge) -> int:
        """How much is lost if the edge is never taken alone: little where that is rarely possible, or waived."""
        scope = self.scopes[edge[0]]
        answers = [clashes(scope, future, self.creators) for future in self.others]
        use = next((item for item in scope.first if item.position == edge[1]), None)
        inside = 10 if edge[0] in self.inside else 0
        if any(answer is ALWAYS for answer in answers):
            return inside
        if use is not None and (waiver := self._waiver(use)) is not None:
            return inside + (1 if "send" in waiver.opposite else 2)
        return inside + (3 if any(answers) else 4)


def _company(program: Program) -> list[ProcessType]:
    return [process for process in program.processes if process.role in ("process", "init")]


def _may_have_several(program: Program, process: ProcessType) -> bool:
    """Whether there may be two processes of a proctype at a time."""
    effects = (
        step.effect for other in _company(program) for node in other.graph.nodes.values() for step in node.transitions
    )
    return process.instances > 1 or any(run.proctype == process.name for effect in effects for run in runs_in(effect))


__all__ = ["Candidate", "Reduction", "Waiver", "Watched", "reduction_of"]
