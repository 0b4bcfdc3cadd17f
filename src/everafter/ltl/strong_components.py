"""Strongly connected components of an automaton, and which of them can hold an accepting run.

Tarjan 1972, without recursion. Components are numbered so that edges never lead to a larger number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from everafter.ltl.automaton import Automaton
from everafter.record import dataclass


def components_of(successors: Sequence[Iterable[int]], roots: Iterable[int]) -> list[int]:
    """Return for each node reachable from `roots` along `successors` the number of its component; -1 for the others."""
    unseen = -1
    component = [unseen] * len(successors)
    found = [unseen] * len(successors)
    low = [0] * len(successors)
    open_nodes: list[int] = []
    clock = count = 0
    for root in roots:
        if found[root] != unseen:
            continue
        path = [(root, iter(successors[root]))]
        found[root] = low[root] = clock
        clock += 1
        open_nodes.append(root)
        while path:
            node, rest = path[-1]
            for target in rest:
                if found[target] == unseen:
                    found[target] = low[target] = clock
                    clock += 1
                    open_nodes.append(target)
                    path.append((target, iter(successors[target])))
                    break
                if component[target] == unseen:
                    low[node] = min(low[node], found[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == found[node]:
                    count = _close(node, open_nodes, component, count)
    return component


def _close(node: int, open_nodes: list[int], component: list[int], count: int) -> int:
    while True:
        member = open_nodes.pop()
        component[member] = count
        if member == node:
            return count + 1


@dataclass(frozen=True, slots=True)
class Components:
    """The components of the reachable part of an automaton."""

    of: list[int]
    has_cycle: list[bool]
    is_accepting: list[bool]

    def inside(self, source: int, target: int) -> bool:
        """Return whether an edge from `source` to `target` stays in one component."""
        return self.of[source] == self.of[target]


def components(automaton: Automaton) -> Components:
    """The components; one is accepting when the edges inside it carry every mark between them."""
    targets = [[edge.target for edge in edges] for edges in automaton.outgoing]
    of = components_of(targets, [automaton.initial])
    count = max(of) + 1
    has_cycle = [False] * count
    marks = [0] * count
    for number, edges in zip(of, automaton.outgoing, strict=True):
        if number >= 0:
            for _, own, target in edges:
                if of[target] == number:
                    has_cycle[number] = True
                    marks[number] |= own
    full = automaton.all_marks
    accepting = [cycle and met == full for cycle, met in zip(has_cycle, marks, strict=True)]
    return Components(of, has_cycle, accepting)


def is_empty(automaton: Automaton) -> bool:
    """Whether the automaton accepts no word."""
    return not any(components(automaton).is_accepting)
