"""Whether what a process does at a place may be done at once with the step before it: decided anew, from the text.

What can be done there must depend on nothing that another process may ever do, and not be seen; then it is an ample set
in every state: the hypotheses of proofs/reduction/listed.v, for states that tell who is in the middle of a sequence.
No sequence may become endless.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from everafter.certificates.independence.conflict_table import is_unfit, never_two
from everafter.certificates.independence.conflicts import Conflicts, NumberedTouch
from everafter.certificates.independence.later_steps import Later
from everafter.certificates.independence.observation import Seen, Sight
from everafter.certificates.independence.touches import Text
from everafter.ltl.strong_components import components_of
from everafter.program.control_flow import DeterministicStep, Effect, Perform, Terminate
from everafter.program.longer_sequences import Edge, with_longer_sequences
from everafter.program.program import ProcessType, Program
from everafter.promela.model import Receive, Send, Timeout
from everafter.promela.walk import subexpressions


def unsound_merging(program: Program, edges: Iterable[Edge], seen: Seen) -> str:
    """Return why a process of `program` may not go on without interruption behind `edges`; nothing if it may.

    `seen` is what a property sees that cannot count steps.
    """
    found = frozenset(edges)
    if not found:
        return ""
    sees_timeout = any(isinstance(part, Timeout) for item in seen.expressions for part in subexpressions(item))
    if is_unfit(program) or sees_timeout or any(kind.provided is not None for kind in program.processes):
        return "every step may matter to all processes"
    places = _FreePlaces(program, seen)
    for index, number, position in sorted(found):
        if not places.may_be_merged(program.processes[index], number, position):
            return f"what follows line {_line(program, (index, number, position))} may be interrupted by others"
    for edge in _endless(with_longer_sequences(program, found), found):
        return f"what follows line {_line(program, edge)} may have no end"
    return ""


class _FreePlaces:
    """Tells at which places a process depends on no other."""

    def __init__(self, program: Program, seen: Seen) -> None:
        self.program = program
        text = Text(program, seen.expressions)
        later = Later(program, text)
        conflicts = Conflicts(program, text)
        sight = Sight(program, text, seen)
        self.meets = any(channel.capacity == 0 for channel in program.channels)
        self.free: set[tuple[int, int]] = set()
        lonely = never_two(program)
        kinds = [kind for kind in program.processes if kind.role in ("process", "init")]
        lives = {kind.index: conflicts.future(later.of((kind.index, kind.graph.start))) for kind in kinds}
        for kind in kinds:
            others = [life for index, life in lives.items() if index != kind.index or index not in lonely]
            self._add_free(kind, conflicts, others, {number for number, _ in sight.visible(kind)})

    def _add_free(
        self, kind: ProcessType, conflicts: Conflicts, others: list[NumberedTouch], visible: set[int]
    ) -> None:
        for number, scope in conflicts.scopes(kind).items():
            is_ample = number not in visible and not scope.touch.is_boundless
            if is_ample and not any(map(conflicts.of(scope).against, others)):
                self.free.add((kind.index, number))

    def may_be_merged(self, kind: ProcessType, number: int, position: int) -> bool:
        """Return whether a sequence may go on behind the transition of `kind` at `position` of the place `number`."""
        node = kind.graph.nodes.get(number)
        if node is None or not 0 <= position < len(node.transitions) or kind.declaration.deterministic:
            return False
        step = node.transitions[position]
        is_shared = self.meets and any(isinstance(each, Send | Receive) for each in _statements(step.effect))
        if is_shared or step.escape or isinstance(step.effect, Terminate) or (kind.index, step.target) not in self.free:
            return False
        return not any(isinstance(each.effect, Terminate) for each in kind.graph.nodes[step.target].transitions)


def _statements(effect: Effect) -> Iterator[object]:
    if isinstance(effect, DeterministicStep):
        yield from (item.statement for item in effect.instructions.values() if isinstance(item, Perform))
        yield from effect.guards or ()
    else:
        yield effect


def _endless(program: Program, edges: frozenset[Edge]) -> Iterator[Edge]:
    """Those of `edges` that are on a cycle of steps behind which `program` goes on without interruption."""
    for kind in program.processes:
        numbers = sorted(kind.graph.nodes)
        index = {number: place for place, number in enumerate(numbers)}
        after = [
            [
                index[step.target]
                for step in kind.graph.nodes[number].transitions
                if step.keeps_atomic and step.target in index
            ]
            for number in numbers
        ]
        component = components_of(after, range(len(numbers)))
        for edge in edges:
            if edge[0] == kind.index:
                step = kind.graph.nodes[edge[1]].transitions[edge[2]]
                if component[index[edge[1]]] == component[index[step.target]]:
                    yield edge


def _line(program: Program, edge: Edge) -> int:
    return program.processes[edge[0]].graph.nodes[edge[1]].transitions[edge[2]].place.line
