"""What a property sees of a step: hypothesis `invisible` of proofs/reduction/conditions.v, from the text."""

from __future__ import annotations

from operator import or_

from everafter.certificates.independence.later_steps import runs_in
from everafter.certificates.independence.sequences import goes_on, passing
from everafter.certificates.independence.touches import CHANGES, Name, Text
from everafter.program.control_flow import Node, Terminate, Transition
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Expression
from everafter.record import dataclass


@dataclass(frozen=True, slots=True)
class Seen:
    """What a property looks at: the values of expressions, and whether a process is at a label of a kind."""

    expressions: tuple[Expression, ...] = ()
    accepting: bool = False
    progress: bool = False


class Sight:
    """Tells which transitions may change what is seen."""

    def __init__(self, program: Program, text: Text, seen: Seen) -> None:
        self._program = program
        self._text = text
        self._seen = seen
        self._asked = text.reading(seen.expressions)

    def visible(self, kind: ProcessType) -> set[tuple[int, int]]:
        """The transitions, by place and position, that may change what is seen, or what may follow uninterrupted."""
        nodes = kind.graph.nodes
        seen = {
            (number, position)
            for number, node in nodes.items()
            for position, step in enumerate(node.transitions)
            if self._is_seen(kind, node, position, step)
        }
        here = {
            number: any((number, at) in seen for at in range(len(node.transitions))) for number, node in nodes.items()
        }
        inside = passing(kind, here, or_)
        return seen | {
            (number, position)
            for number, node in nodes.items()
            for position, step in enumerate(node.transitions)
            if goes_on(kind, step) and inside[step.target]
        }

    def _is_seen(self, kind: ProcessType, node: Node, position: int, step: Transition) -> bool:
        asked, done = self._asked, self._text.steps(kind, node.number)[position]
        lives = any(not use.lasts for use in asked.uses)
        changes = done.starts or bool(done.ends)
        if asked.is_boundless or asked.looks & done.shown or asked.reads & done.writes or (asked.counts and changes):
            return True
        if lives and (done.creates or (isinstance(step.effect, Terminate) and kind.created)):
            return True
        if any(
            use.operation in CHANGES and _may_be_same(use.channel, other.channel)
            for use in done.uses
            for other in asked.uses
        ):
            return True
        return self._passes_label(kind, node, step)

    def _passes_label(self, kind: ProcessType, node: Node, step: Transition) -> bool:
        places = [(kind, node.number), (kind, step.target)]
        for run in runs_in(step):
            child = self._program.processes[self._program.by_name[run.proctype]]
            places.append((child, child.graph.start))
        return any(self._is_labelled(*place) for place in places)

    def _is_labelled(self, kind: ProcessType, number: int) -> bool:
        node = kind.graph.nodes.get(number)
        if node is None:
            return False
        return (self._seen.accepting and node.is_accepting) or (self._seen.progress and node.is_progress)


def _may_be_same(one: Name | None, other: Name | None) -> bool:
    if one is None or other is None or one.is_local or other.is_local:
        return True
    return bool(set(one.cells) & set(other.cells))
