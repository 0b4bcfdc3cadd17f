"""Reduction by simulation: states that another state imitates step by step are merged or cut off.

Somenzi and Bloem, Efficient Büchi automata from LTL formulae, CAV 2000, direct and reverse simulation, on
transition-based acceptance: an edge is imitated by edges that together read all its letters, each with all its marks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.cleanup import clean, renumbered
from everafter.ltl.components import components
from everafter.ltl.diagrams import FALSE, Diagrams

LARGEST = 400
"""Simulation compares all pairs of states; beyond this many states only equal futures are merged."""

Neighbours = Sequence[Sequence[Edge]]
"""For each state its edges, outgoing or incoming; an incoming edge names its source as target."""


def reduced(automaton: Automaton) -> Automaton:
    """Cleaned and reduced by simulation in both directions until nothing changes."""
    current = clean(by_bisimulation(clean(automaton)))
    while len(current.states) <= LARGEST:
        smaller = clean(by_reverse_simulation(clean(by_direct_simulation(by_bisimulation(current)))))
        if not _is_smaller(smaller, current):
            break
        current = smaller
    return current


def reduced_by_state(automaton: Automaton) -> Automaton:
    """Like `reduced`, for a Büchi automaton with accepting states, and it stays one."""
    current = automaton
    while len(current.states) <= LARGEST:
        smaller = by_reverse_simulation(by_direct_simulation(current, by_state=True), by_state=True)
        smaller = renumbered(smaller)
        if not _is_smaller(smaller, current):
            break
        current = smaller
    return _with_marks_only_on_cycles(current)


def _is_smaller(one: Automaton, other: Automaton) -> bool:
    return (len(one.states), one.edge_count) < (len(other.states), other.edge_count)


def by_bisimulation(automaton: Automaton) -> Automaton:
    """States with the same futures merged: cheap, and leaves less to the simulations."""
    classes = [0] * len(automaton.states)
    count = 0
    while True:
        signatures: dict[tuple[tuple[Edge, ...], int], int] = {}
        refined = []
        for state in automaton.states:
            edges = (edge._replace(target=classes[edge.target]) for edge in automaton.outgoing[state])
            signature = (joined_edges(automaton.diagrams, edges), classes[state])
            refined.append(signatures.setdefault(signature, len(signatures)))
        classes = refined
        if len(signatures) == count:
            return _quotient(automaton, classes)
        count = len(signatures)


def by_direct_simulation(automaton: Automaton, by_state: bool = False) -> Automaton:
    """States that simulate each other merged, edges to a simulated state cut where a better edge exists."""
    marked = _with_free_marks(automaton, by_state)
    above = _simulation(marked.diagrams, marked.outgoing, lambda _s, _t: True)
    classes = _classes(above)
    outgoing = [
        _without_dominated(marked.diagrams, marked.outgoing[state], above) if classes[state] == state else []
        for state in marked.states
    ]
    return _quotient(marked.with_edges(outgoing), classes)


def by_reverse_simulation(automaton: Automaton, by_state: bool = False) -> Automaton:
    """The same with time reversed: states whose pasts imitate each other merged."""
    marked = _with_free_marks(automaton, by_state)
    incoming: list[list[Edge]] = [[] for _ in marked.states]
    accepting = marked.accepting_states if by_state else frozenset()
    for state, edge in marked.edges:
        incoming[edge.target].append(Edge(edge.label, edge.marks, state))

    def allowed(s: int, t: int) -> bool:
        return (s != marked.initial or t == marked.initial) and (s not in accepting or t in accepting)

    above = _simulation(marked.diagrams, incoming, allowed)
    classes = _classes(above)
    outgoing: list[list[Edge]] = [[] for _ in marked.states]
    for state in marked.states:
        if classes[state] == state:
            for label, marks, source in _without_dominated(marked.diagrams, incoming[state], above):
                outgoing[source].append(Edge(label, marks, state))
    return _quotient(marked.with_edges(outgoing), classes)


def _with_free_marks(automaton: Automaton, by_state: bool) -> Automaton:
    """All marks on the edges that no cycle contains, where marks mean nothing: more edges become alike."""
    found = components(automaton)
    full = automaton.all_marks

    def is_free(source: int, target: int) -> bool:
        return not found.has_cycle[found.of[source]] if by_state else not found.inside(source, target)

    outgoing = [
        [edge._replace(marks=full) if is_free(s, edge.target) else edge for edge in automaton.outgoing[s]]
        for s in automaton.states
    ]
    return automaton.with_edges(outgoing)


def _with_marks_only_on_cycles(automaton: Automaton) -> Automaton:
    """Accepting states only where a run can come again: the others were called accepting for comparison."""
    found = components(automaton)
    outgoing = [
        [edge if found.has_cycle[found.of[s]] else edge._replace(marks=0) for edge in automaton.outgoing[s]]
        for s in automaton.states
    ]
    return automaton.with_edges(outgoing)


def _simulation(diagrams: Diagrams, edges: Neighbours, allowed: Callable[[int, int], bool]) -> list[int]:
    """For each state the mask of the states that simulate it: the largest such relation within `allowed`."""
    count = len(edges)
    letters = [_letters(diagrams, each) for each in edges]
    above = [
        sum(1 << t for t in range(count) if allowed(s, t) and diagrams.implies(letters[s], letters[t]))
        for s in range(count)
    ]
    users: list[set[int]] = [set() for _ in range(count)]
    for state in range(count):
        for edge in edges[state]:
            users[edge.target].add(state)
    answers: dict[tuple[int, int, int], int] = {}

    def imitates(t: int, s: int) -> bool:
        """Whether t can answer every edge of s, letter by letter."""
        for label, marks, target in edges[s]:
            key = (t, marks, above[target])
            if key not in answers:
                answers[key] = _answered(diagrams, edges[t], marks, above[target])
            if not diagrams.implies(label, answers[key]):
                return False
        return True

    waiting = set(range(count))
    while waiting:
        s = min(waiting)
        waiting.discard(s)
        kept = above[s]
        for t in range(count):
            if kept >> t & 1 and t != s and not imitates(t, s):
                kept &= ~(1 << t)
        if kept != above[s]:
            # Only edges into s are answered with what is above s.
            above[s] = kept
            waiting |= users[s]
    return above


def _letters(diagrams: Diagrams, edges: Sequence[Edge]) -> int:
    """The letters that some edge reads."""
    result = FALSE
    for edge in edges:
        result = diagrams.disjoin(result, edge.label)
    return result


def _answered(diagrams: Diagrams, edges: Sequence[Edge], marks: int, targets: int) -> int:
    """The letters that some edge with all these marks reads on its way to one of these states, given as a mask."""
    result = FALSE
    for edge in edges:
        if targets >> edge.target & 1 and edge.marks & marks == marks:
            result = diagrams.disjoin(result, edge.label)
    return result


def _classes(above: list[int]) -> list[int]:
    """For each state the least state that simulates it and is simulated by it."""
    classes = []
    for state, mask in enumerate(above):
        equal = (t for t in range(state) if mask >> t & 1 and above[t] >> state & 1)
        classes.append(next(equal, state))
    return classes


def _without_dominated(diagrams: Diagrams, edges: Sequence[Edge], above: list[int]) -> list[Edge]:
    """The edges without the letters for which a better edge exists; of two equally good ones the first stays."""
    kept: list[Edge] = []
    for index, edge in enumerate(edges):
        label = edge.label
        for other_index, other in enumerate(edges):
            better = other.marks & edge.marks == edge.marks and above[edge.target] >> other.target & 1
            as_good = other.marks == edge.marks and above[other.target] >> edge.target & 1
            if better and other_index != index and (not as_good or other_index < index):
                label = diagrams.minus(label, other.label)
        if label != FALSE:
            kept.append(edge._replace(label=label))
    return kept


def _quotient(automaton: Automaton, classes: list[int]) -> Automaton:
    """One state for each class, with the edges of all its members."""
    numbers = {number: index for index, number in enumerate(sorted(set(classes)))}
    edges: list[list[Edge]] = [[] for _ in numbers]
    for state, edge in automaton.edges:
        edges[numbers[classes[state]]].append(edge._replace(target=numbers[classes[edge.target]]))
    outgoing = [joined_edges(automaton.diagrams, part) for part in edges]
    return automaton.with_edges(outgoing, numbers[classes[automaton.initial]])
