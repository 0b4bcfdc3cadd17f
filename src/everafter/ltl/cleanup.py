"""Clean-up: states that cannot matter go, and acceptance is kept only where it decides something.

What is accepted does not change. Acceptance is trimmed component by component, as in Spot's SCC filter
(Duret-Lutz, LTL translation improvements in Spot 1.0, 2014).
"""

from __future__ import annotations

from collections.abc import Iterable

from everafter.ltl.automaton import Automaton, Edge, are_joined, joined_edges, nothing
from everafter.ltl.strong_components import Components, components


def clean(automaton: Automaton) -> Automaton:
    """Without useless states, superfluous marks and acceptance sets; states numbered as a search meets them."""
    found = components(automaton)
    alive = _alive(automaton, found)
    if not alive[found.of[automaton.initial]]:
        return nothing(automaton.propositions, automaton.functions)
    return renumbered(_with_trimmed_acceptance(_restricted(automaton, found, alive), found, alive))


def _alive(automaton: Automaton, found: Components) -> list[bool]:
    """For each component whether an accepting run starts there."""
    alive = list(found.is_accepting)
    leaving: list[list[int]] = [[] for _ in alive]
    for number, edges in zip(found.of, automaton.outgoing, strict=True):
        if number >= 0 and not alive[number]:
            leaving[number] += [found.of[edge.target] for edge in edges]
    # Edges never lead to a component of a larger number, so one pass in order sees targets first.
    for number, targets in enumerate(leaving):
        alive[number] = alive[number] or any(alive[target] for target in targets)
    return alive


def _restricted(automaton: Automaton, found: Components, alive: list[bool]) -> Automaton:
    """Without the edges of, and to, the states that are unreachable or start no accepting run."""
    if all(alive) and min(found.of) >= 0:
        return automaton
    kept = [number >= 0 and alive[number] for number in found.of]
    return automaton.with_edges(
        [
            [edge for edge in edges if kept[edge.target]] if kept[state] else []
            for state, edges in enumerate(automaton.outgoing)
        ]
    )


def renumbered(automaton: Automaton) -> Automaton:
    """Only the reachable states, in the order in which a breadth-first search meets them."""
    order = [automaton.initial]
    numbers = {automaton.initial: 0}
    for state in order:
        for edge in automaton.outgoing[state]:
            if edge.target not in numbers:
                numbers[edge.target] = len(order)
                order.append(edge.target)
    if order == list(automaton.states):
        return automaton.with_edges(
            [edges if are_joined(edges) else joined_edges(automaton.functions, edges) for edges in automaton.outgoing]
        )
    outgoing = [
        joined_edges(automaton.functions, [(label, marks, numbers[target]) for label, marks, target in edges])
        for edges in map(automaton.outgoing.__getitem__, order)
    ]
    return automaton.with_edges(outgoing, 0)


def _with_trimmed_acceptance(automaton: Automaton, found: Components, alive: list[bool]) -> Automaton:
    """Only the sets that decide something, component by component; no set at all where every run accepts."""
    if not automaton.acceptance_sets:
        return automaton
    of, accepting = found.of, found.is_accepting
    marks: list[set[int]] = [set() for _ in accepting]
    for number, edges in zip(of, automaton.outgoing, strict=True):
        marks[number].update([edge.marks for edge in edges if of[edge.target] == number])
    needed = [
        _needed_sets(own, automaton.acceptance_sets) if accepts else []
        for own, accepts in zip(marks, accepting, strict=True)
    ]
    rejecting = any(map(_rejects, found.has_cycle, accepting, alive))
    sets = max([len(kept) for kept in needed] + [1 if rejecting else 0])
    new = [
        {mask: _new_marks(mask, kept, sets) if accepts else 0 for mask in own}
        for own, kept, accepts in zip(marks, needed, accepting, strict=True)
    ]
    outgoing = [
        [Edge(label, new[number][mask] if of[target] == number else 0, target) for label, mask, target in edges]
        for number, edges in zip(of, automaton.outgoing, strict=True)
    ]
    return automaton.with_edges(outgoing, acceptance_sets=sets)


def _rejects(cycle: bool, accepting: bool, alive: bool) -> bool:
    """Whether a component that is kept holds runs that do not accept."""
    return alive and cycle and not accepting


def _needed_sets(marks: Iterable[int], count: int) -> list[int]:
    """The acceptance sets that decide something in a component whose edges carry these marks."""
    members = {i: frozenset(mask for mask in marks if mask >> i & 1) for i in range(count)}
    everywhere = frozenset(marks)
    kept: list[int] = []
    for i in range(count):
        if members[i] == everywhere:
            continue
        # A set that contains another is met whenever the other is; of equal sets the first is kept.
        contained = any(members[j] < members[i] or (members[j] == members[i] and j < i) for j in range(count) if j != i)
        if not contained:
            kept.append(i)
    return kept


def _new_marks(marks: int, kept: list[int], sets: int) -> int:
    """The marks in the sets that are kept, and in all those that other components have more."""
    own = sum(1 << new for new, old in enumerate(kept) if marks >> old & 1)
    return own | ((1 << sets) - (1 << len(kept)))
