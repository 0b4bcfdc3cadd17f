"""Clean-up: states that cannot matter go, and acceptance is kept only where it decides something.

What is accepted does not change. Acceptance is trimmed component by component, as in Spot's SCC filter
(Duret-Lutz, LTL translation improvements in Spot 1.0, 2014).
"""

from __future__ import annotations

from collections.abc import Iterable

from everafter.ltl.automaton import Automaton, Edge, joined_edges, nothing
from everafter.ltl.components import Components, components


def clean(automaton: Automaton) -> Automaton:
    """Without useless states, superfluous marks and acceptance sets; states numbered as a search meets them."""
    return renumbered(_with_trimmed_acceptance(without_dead_states(automaton)))


def without_dead_states(automaton: Automaton) -> Automaton:
    """Without the states that are unreachable or start no accepting run."""
    found = components(automaton)
    # Edges never lead to a component of a larger number, so one pass in order sees targets first.
    alive = list(found.is_accepting)
    members: list[list[int]] = [[] for _ in alive]
    for state in automaton.states:
        if found.of[state] >= 0:
            members[found.of[state]].append(state)
    for number, states in enumerate(members):
        targets = (found.of[edge.target] for state in states for edge in automaton.outgoing[state])
        alive[number] = alive[number] or any(alive[target] for target in targets)
    kept = [state for state in automaton.states if found.of[state] >= 0 and alive[found.of[state]]]
    if automaton.initial not in kept:
        return nothing(automaton.propositions, automaton.diagrams)
    return renumbered(restricted(automaton, set(kept)))


def restricted(automaton: Automaton, kept: set[int]) -> Automaton:
    """Without the edges of, and to, the states that are not kept."""
    return automaton.with_edges(
        [
            [edge for edge in automaton.outgoing[state] if edge.target in kept] if state in kept else []
            for state in automaton.states
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
    outgoing = [
        joined_edges(automaton.diagrams, (edge._replace(target=numbers[edge.target]) for edge in automaton.outgoing[s]))
        for s in order
    ]
    return automaton.with_edges(outgoing, 0)


def _with_trimmed_acceptance(automaton: Automaton) -> Automaton:
    found = components(automaton)
    marks: list[set[int]] = [set() for _ in found.is_accepting]
    for state, edge in automaton.edges:
        if found.inside(state, edge.target):
            marks[found.of[state]].add(edge.marks)
    needed = [
        _needed_sets(marks[c], automaton.acceptance_sets) if found.is_accepting[c] else []
        for c in range(len(found.is_accepting))
    ]
    rejecting = any(
        cycle and not accepting for cycle, accepting in zip(found.has_cycle, found.is_accepting, strict=True)
    )
    sets = max([len(kept) for kept in needed] + [1 if rejecting else 0])
    outgoing = [
        [edge._replace(marks=_new_marks(state, edge, found, needed, sets)) for edge in automaton.outgoing[state]]
        for state in automaton.states
    ]
    return automaton.with_edges(outgoing, acceptance_sets=sets)


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


def _new_marks(state: int, edge: Edge, found: Components, needed: list[list[int]], sets: int) -> int:
    number = found.of[state]
    if not found.inside(state, edge.target) or not found.is_accepting[number]:
        return 0
    kept = needed[number]
    own = sum(1 << new for new, old in enumerate(kept) if edge.marks >> old & 1)
    return own | ((1 << sets) - (1 << len(kept)))
