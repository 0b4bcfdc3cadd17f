"""Reduction by simulation: states that another state imitates step by step are merged or cut off.

Somenzi and Bloem, Efficient Büchi automata from LTL formulae, CAV 2000, direct and reverse simulation, on
transition-based acceptance: an edge is imitated by edges that together read all its letters, each with all its marks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.cleanup import clean, renumbered
from everafter.ltl.functions import FALSE, Functions
from everafter.ltl.strong_components import components

LARGEST = 400
"""Simulation compares all pairs of states; beyond this many states only equal futures are merged."""

Step: TypeAlias = tuple[int, int, int]
"""Letters, marks and target, as in an edge."""
Neighbours: TypeAlias = Sequence[Sequence[Step]]
"""For each state its edges, outgoing or incoming; an incoming edge names its source as target."""
Join: TypeAlias = Callable[[int, int], int]
"""The union of two sets of letters. One is inside another exactly if joining it changes nothing."""

Reduction: TypeAlias = Callable[[Automaton], Automaton]


def reduced(automaton: Automaton, backwards: bool = True) -> Automaton:
    """Return `automaton` cleaned and reduced by direct simulation, until nothing changes.

    With `backwards`, it is reduced by reverse simulation, too.
    """
    small = clean(automaton)
    if len(small.states) > LARGEST:
        small = clean(by_bisimulation(small))
    return _in_turns(
        small,
        lambda current: clean(by_direct_simulation(by_bisimulation(current))),
        lambda current: clean(by_reverse_simulation(current)) if backwards else current,
    )


def reduced_by_state(automaton: Automaton, backwards: bool = True) -> Automaton:
    """Return `automaton`, a Büchi automaton with accepting states, reduced as by `reduced`; it stays one.

    With `backwards`, it is reduced by reverse simulation, too.
    """
    small = _in_turns(
        automaton,
        lambda current: by_direct_simulation(current, by_state=True),
        lambda current: renumbered(by_reverse_simulation(current, by_state=True) if backwards else current),
    )
    return _with_marks_only_on_cycles(small)


def _in_turns(automaton: Automaton, forwards: Reduction, backwards: Reduction) -> Automaton:
    """Reduced in one direction and the other, until one has nothing to do after the other had its turn."""
    current = automaton
    while 1 < len(current.states) <= LARGEST:
        before = forwards(current)
        if current is not automaton and not _is_smaller(before, current):
            break
        after = backwards(before)
        if not _is_smaller(after, current):
            break
        current = after
        if not _is_smaller(after, before):
            break
    return current


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
            edges = [(label, marks, classes[target]) for label, marks, target in automaton.outgoing[state]]
            signature = (joined_edges(automaton.functions, edges), classes[state])
            refined.append(signatures.setdefault(signature, len(signatures)))
        classes = refined
        if len(signatures) == count:
            return _quotient(automaton, classes)
        count = len(signatures)


def by_direct_simulation(automaton: Automaton, by_state: bool = False) -> Automaton:
    """Return `automaton` with states that simulate each other merged, and edges cut where there is a better one.

    An edge is better if its target simulates the other's. With `by_state`, acceptance stays on states.
    """
    marked = _with_free_marks(automaton, by_state)
    above = _simulation(marked, marked.outgoing, [-1] * len(marked.states))
    classes = _classes(above)
    outgoing = [
        _without_dominated(marked.functions, marked.outgoing[state], above) if classes[state] == state else []
        for state in marked.states
    ]
    return _quotient(marked.with_edges(outgoing), classes)


def by_reverse_simulation(automaton: Automaton, by_state: bool = False) -> Automaton:
    """Return `automaton` with states merged whose pasts simulate each other: the direct simulation with time reversed.

    With `by_state`, acceptance stays on states.
    """
    marked = _with_free_marks(automaton, by_state)
    incoming: list[list[Edge]] = [[] for _ in marked.states]
    for source, edges in enumerate(marked.outgoing):
        for label, marks, target in edges:
            incoming[target].append(Edge(label, marks, source))
    above = _simulation(marked, incoming, _comparable_pasts(marked, by_state))
    classes = _classes(above)
    outgoing: list[list[Edge]] = [[] for _ in marked.states]
    for state in marked.states:
        if classes[state] == state:
            for label, marks, source in _without_dominated(marked.functions, incoming[state], above):
                outgoing[source].append(Edge(label, marks, state))
    return _quotient(marked.with_edges(outgoing), classes)


def _comparable_pasts(automaton: Automaton, by_state: bool) -> list[int]:
    """For each state the mask of those that may imitate its past: the first state's, and those of accepting states."""
    accepting = automaton.accepting_states if by_state else frozenset()
    mask = sum(1 << state for state in accepting)
    result = [mask if state in accepting else -1 for state in automaton.states]
    result[automaton.initial] &= 1 << automaton.initial
    return result


def _with_free_marks(automaton: Automaton, by_state: bool) -> Automaton:
    """All marks on the edges that no cycle contains, where marks mean nothing: more edges become alike."""
    full = automaton.all_marks
    if not full:
        return automaton
    found = components(automaton)
    outgoing = [
        [
            e if of == found.of[e.target] or (by_state and found.has_cycle[of]) else Edge(e.label, full, e.target)
            for e in edges
        ]
        for of, edges in zip(found.of, automaton.outgoing, strict=True)
    ]
    return automaton.with_edges(outgoing)


def _with_marks_only_on_cycles(automaton: Automaton) -> Automaton:
    """Accepting states only where a run can come again: the others were called accepting for comparison."""
    found = components(automaton)
    outgoing = [
        edges if found.has_cycle[number] else [Edge(label, 0, target) for label, _, target in edges]
        for number, edges in zip(found.of, automaton.outgoing, strict=True)
    ]
    return automaton.with_edges(outgoing)


def _simulation(automaton: Automaton, edges: Neighbours, allowed: Sequence[int]) -> list[int]:
    """For each state the mask of the states that simulate it: the largest such relation within these masks."""
    join = automaton.functions.disjoin
    above = _reading_no_less(join, edges, allowed)
    users: list[set[int]] = [set() for _ in edges]
    for state, steps in enumerate(edges):
        for _, _, target in steps:
            users[target].add(state)
    answers: dict[tuple[int, int], dict[int, int]] = {}
    waiting = set(range(len(edges)))
    while waiting:
        s = waiting.pop()
        kept = above[s] & ~(1 << s)
        if not kept:
            continue
        for demand, letters in _demands(join, edges[s], above):
            known = answers.setdefault(demand, {})
            others = kept
            while others:
                t = others.bit_length() - 1
                others ^= 1 << t
                # Whether t can answer this edge of s, letter by letter.
                answer = known.get(t)
                if answer is None:
                    answer = known[t] = _answered(join, edges[t], *demand)
                if join(letters, answer) != answer:
                    kept ^= 1 << t
            if not kept:
                break
        kept |= 1 << s
        if kept != above[s]:
            # Only edges into s are answered with what is above s.
            above[s] = kept
            waiting |= users[s]
    return above


def _reading_no_less(join: Join, edges: Neighbours, allowed: Sequence[int]) -> list[int]:
    """For each state the mask of the allowed ones that read all its letters somehow."""
    letters = [_answered(join, steps, 0, -1) for steps in edges]
    masks = {
        own: sum(1 << state for state, read in enumerate(letters) if join(own, read) == read) for own in set(letters)
    }
    return [masks[own] & mask for own, mask in zip(letters, allowed, strict=True)]


def _demands(join: Join, steps: Sequence[Step], above: list[int]) -> list[tuple[tuple[int, int], int]]:
    """What a state that imitates these edges must read: the marks, the mask of targets, the letters."""
    result: dict[tuple[int, int], int] = {}
    for letters, marks, target in steps:
        key = (marks, above[target])
        result[key] = join(result[key], letters) if key in result else letters
    return list(result.items())


def _answered(join: Join, steps: Sequence[Step], marks: int, targets: int) -> int:
    """The letters that some edge with all these marks reads on its way to one of these states, given as a mask."""
    result = FALSE
    for letters, own, target in steps:
        if targets >> target & 1 and own & marks == marks:
            result = join(result, letters)
    return result


def _classes(above: list[int]) -> list[int]:
    """For each state the least state that simulates it and is simulated by it."""
    classes = []
    for state, mask in enumerate(above):
        equal = (t for t in range(state) if mask >> t & 1 and above[t] >> state & 1)
        classes.append(next(equal, state))
    return classes


def _without_dominated(functions: Functions, edges: Sequence[Edge], above: list[int]) -> list[Edge]:
    """The edges without the letters for which a better edge exists; of two equally good ones the first stays."""
    kept: list[Edge] = []
    for index, (letters, marks, target) in enumerate(edges):
        label = letters
        targets = above[target]
        for other_index, (other_label, other_marks, other_target) in enumerate(edges):
            better = targets >> other_target & 1 and other_marks & marks == marks
            if better and other_index != index:
                as_good = other_marks == marks and above[other_target] >> target & 1
                if not as_good or other_index < index:
                    label = functions.minus(label, other_label)
        if label != FALSE:
            kept.append(Edge(label, marks, target))
    return kept


def _quotient(automaton: Automaton, classes: list[int]) -> Automaton:
    """One state for each class, with the edges of all its members."""
    numbers = {number: index for index, number in enumerate(sorted(set(classes)))}
    of = [numbers[number] for number in classes]
    merged: list[list[Step]] = [[] for _ in numbers]
    for number, edges in zip(of, automaton.outgoing, strict=True):
        merged[number] += [(label, marks, of[target]) for label, marks, target in edges]
    outgoing = [joined_edges(automaton.functions, part) for part in merged]
    return automaton.with_edges(outgoing, of[automaton.initial])
