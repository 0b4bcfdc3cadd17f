"""Merged steps: with a step a process takes at once what is an ample set behind it, whatever the others do.

At some places of control nothing that a process can do depends on what any other process may ever do, and the property
sees nothing of it; its steps there are an ample set in every state. So a step that leads to such a place goes on from
there without interruption, as in an atomic sequence: a program with longer atomic sequences is all that a search, or
what shows its answer, needs to know. A process that waits there waits for ever, or for `timeout`; so it loses
its atomicity as in any sequence. Of each cycle of such places one step is left as it is, so that no sequence
becomes endless.

Not merged are steps that two processes take together; nor is anything where the model or the property asks where
processes are, which of them moved, or whether they can.
"""

from __future__ import annotations

from collections.abc import Iterator

from everafter.deadline import NEVER, Deadline
from everafter.program.accesses import accesses_of
from everafter.program.control_flow import Effect, Node, Terminate, Transition
from everafter.program.effect_parts import expressions_in
from everafter.program.longer_sequences import Edge
from everafter.program.program import ProcessType, Program
from everafter.program.statement_reads import may_go_wrong, statements_in
from everafter.promela.model import (
    Expression,
    NonProgress,
    Predefined,
    ProcessQuery,
    Receive,
    RemoteLabel,
    RemoteVariable,
    Send,
    Timeout,
)
from everafter.promela.walk import subexpressions
from everafter.reduction.candidates import done_by_others, running_types
from everafter.reduction.counting_loops import Edge as OwnEdge
from everafter.reduction.counting_loops import Flow, flow_of
from everafter.reduction.dependence import Dependence, Scope, scopes_of
from everafter.reduction.footprint import Footprint
from everafter.reduction.futures import Futures
from everafter.reduction.visibility import NOTHING_WATCHED, Visibility, Watched

_ASKS_FOR_PROCESSES = (ProcessQuery, RemoteVariable, RemoteLabel, NonProgress)


def merged_steps(
    program: Program, watched: Watched = NOTHING_WATCHED, has_claim: bool = False, by: Deadline = NEVER
) -> frozenset[Edge]:
    """Return the steps of `program` with which those behind them can be taken at once.

    What a property that sees `watched` says is preserved. Where the property `has_claim`, which may have no answer to a
    state in which a step goes wrong, such steps are not merged. Whether the property counts steps is not decided here.
    Nothing is merged if that is not known `by` then.
    """
    if not _is_fit(program, watched):
        return frozenset()
    places = _PlacesOfProgram(program, watched, has_claim)
    found: set[Edge] = set()
    for process in places.running:
        if by.is_over:
            return frozenset()
        if not process.declaration.deterministic:
            found |= {(process.index, *edge) for edge in places.edges(process)}
    return frozenset(found)


class _PlacesOfProgram:
    """Finds places at which a process depends on no other."""

    def __init__(self, program: Program, watched: Watched, has_claim: bool) -> None:
        self.program = program
        self.table = accesses_of(program, partners=False)
        self.has_claim = has_claim
        self.dependence = Dependence(frozenset(process.index for process in program.processes if process.created))
        self.visibility = Visibility(program, self.table, watched)
        self.running = running_types(program)
        self.meets = any(channel.capacity == 0 for channel in program.channels)
        self.others = done_by_others(program, Futures(program, self.table))

    def edges(self, process: ProcessType) -> frozenset[OwnEdge]:
        """The steps of `process` that lead to such places, without one of each cycle of them."""
        others = self.others[process.index]
        scopes = scopes_of(self.program, process, self.table)
        free = {
            number
            for number, node in process.graph.nodes.items()
            if self._may_be_merged(node) and self._is_free(process, node, scopes[number], others)
        }
        flow = flow_of(process)
        merged = {edge for edge in flow.edges if flow.step(edge).target in free and self._goes_on(flow.step(edge))}
        return _without_cycles(flow, frozenset(merged))

    def _is_free(self, process: ProcessType, node: Node, scope: Scope, others: Footprint) -> bool:
        """Whether nothing that can be done at a place depends on what others may ever do, or is seen."""
        touched = scope.footprint.reads | scope.footprint.writes
        if any(item.space in ("everything", "control") for item in touched):
            return False
        if self.dependence.clashes(scope, others):
            return False
        return not any(self.visibility.is_visible(process, node, at) for at in range(len(node.transitions)))

    def _may_be_merged(self, node: Node) -> bool:
        if not node.transitions:
            return False
        if any(isinstance(step.effect, Terminate) for step in node.transitions):
            # a shortest run to what a property sees stops there, before an end
            return not self.program.numbers_matter and self.visibility.watched == NOTHING_WATCHED
        return not self.has_claim or not any(may_go_wrong(step.effect) for step in node.transitions)

    def _goes_on(self, step: Transition) -> bool:
        """Whether a sequence can go on behind a step that is no part of one: it is that of one process alone."""
        is_shared = self.meets and any(isinstance(each, Send | Receive) for each in statements_in(step.effect))
        return not step.keeps_atomic and not step.escape and not is_shared


def _without_cycles(flow: Flow, merged: frozenset[OwnEdge]) -> frozenset[OwnEdge]:
    """Leave out some of the edges `merged`, so that none is on a cycle of those that go on without interruption."""
    order = {number: place for place, number in enumerate(_in_order(flow))}
    going_on = frozenset(edge for edge in flow.edges if flow.step(edge).keeps_atomic)
    while True:
        parts = [part & merged for part in Flow(flow.process, going_on | merged).components()]
        left_out: set[OwnEdge] = set()
        for part in filter(None, parts):
            first = min((flow.step(edge).target for edge in part), key=order.__getitem__)
            left_out |= {edge for edge in part if flow.step(edge).target == first}
        if not left_out:
            return merged
        merged -= left_out


def _in_order(flow: Flow) -> Iterator[int]:
    """The places, as a depth-first search meets them from the start; those that it does not meet come last."""
    nodes = flow.process.graph.nodes
    met: set[int] = set()
    for root in (flow.process.graph.start, *nodes):
        waiting = [root]
        while waiting:
            number = waiting.pop()
            if number in met or number not in nodes:
                continue
            met.add(number)
            yield number
            waiting += [step.target for step in reversed(nodes[number].transitions)]


def _is_fit(program: Program, watched: Watched) -> bool:
    """Whether nothing depends on where processes are, or on who may move, but what the property sees at labels."""
    if program.uses_priority or program.uses_last or any(kind.provided is not None for kind in program.processes):
        return False
    if any(_asks(part) for effect in program.effects() for part in _parts(effect)):
        return False
    seen = [part for item in watched.expressions for part in subexpressions(item)]
    return not any(isinstance(part, Timeout) or (_asks(part) and not isinstance(part, RemoteLabel)) for part in seen)


def _parts(effect: Effect) -> Iterator[Expression]:
    for item in expressions_in(effect):
        yield from subexpressions(item)


def _asks(part: Expression) -> bool:
    return isinstance(part, _ASKS_FOR_PROCESSES) or (isinstance(part, Predefined) and part.name == "_last")
