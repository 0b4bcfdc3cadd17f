"""Visibility: the transitions that may change what a property sees.

A transition is invisible if it writes nothing that an expression of the property reads, and does not come to, or leave,
a place whose label the property asks for.
"""

from __future__ import annotations

from everafter.program.accesses import AccessTable, asked_by
from everafter.program.control_flow import Node, Transition
from everafter.program.locations import CHANGING, Accesses, Location, may_be_same, overlap
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression, NonProgress, RemoteLabel, RemoteVariable
from everafter.promela.walk import subexpressions
from everafter.record import dataclass
from everafter.reduction.footprint import runs_in


@dataclass(frozen=True, slots=True)
class Watched:
    """What a property sees of a state: the values of expressions, and whether a process is at a label of some kind."""

    expressions: tuple[Expression, ...] = ()
    accept_labels: bool = False
    progress_labels: bool = False


NOTHING_WATCHED = Watched()
"""For safety: what goes wrong in a step depends on what the step reads, so it is a matter of dependence only."""


class Visibility:
    """Answers which transitions a property may see."""

    def __init__(self, program: Program, table: AccessTable, watched: Watched) -> None:
        self.program = program
        self.table = table
        self.watched = watched
        self.asked = asked_by(program, watched.expressions)
        parts = [part for item in watched.expressions for part in subexpressions(item)]
        self.labels = frozenset(
            (program.by_name[part.proctype], program.processes[program.by_name[part.proctype]].graph.labels[part.label])
            for part in parts
            if isinstance(part, RemoteLabel)
        )
        self.remote = frozenset(part.variable for part in parts if isinstance(part, RemoteVariable))
        self.progress_labels = watched.progress_labels or any(isinstance(part, NonProgress) for part in parts)

    def is_visible(self, process: ProcessType, node: Node, position: int) -> bool:
        """Return whether the transition of `process` at `position` of `node` may change what the property sees."""
        step = node.transitions[position]
        return self._changes(self.table[process.index][node.number][position]) or self._passes_label(
            process, node, step
        )

    def _changes(self, accesses: Accesses) -> bool:
        reads = self.asked.reads
        if Location("everything") in reads:
            return True
        if any(overlap(read, written) for read in reads for written in accesses.writes):
            return True
        if any(location.space == "local" and location.variable in self.remote for location in accesses.writes):
            return True
        return any(
            use.operation in CHANGING and any(may_be_same(use.channel, asked.channel) for asked in self.asked.channels)
            for use in accesses.channels
        )

    def _passes_label(self, process: ProcessType, node: Node, step: Transition) -> bool:
        passed = [(process, node.number), (process, step.target)]
        for run in runs_in(step.effect):
            child = self.program.processes[self.program.by_name[run.proctype]]
            passed.append((child, child.graph.start))
        return any(self._is_watched(kind, number) for kind, number in passed)

    def _is_watched(self, process: ProcessType, number: int) -> bool:
        node = process.graph.nodes.get(number)
        if node is None:
            return False
        if (process.index, number) in self.labels:
            return True
        accepts = self.watched.accept_labels and node.is_accepting
        return accepts or (self.progress_labels and node.is_progress)
