"""Obligation properties have a smallest weak deterministic automaton; this finds it.

Dax, Eisinger and Klaedtke, Mechanizing the powerset construction for restricted classes of ω-automata, ATVA 2007;
Löding, Efficient minimization of deterministic weak ω-automata, IPL 2001. The subsets of any automaton of an
obligation property, with each component accepting or rejecting as a whole, recognise the property; if the property
is not an obligation the result is an automaton of something else, which the caller has to find out.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.formula import (
    Always,
    And,
    Atom,
    Constant,
    Equivalent,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    operands,
)
from everafter.ltl.functions import FALSE, TRUE
from everafter.ltl.strong_components import components, is_empty

Subset: TypeAlias = int
"""A set of states as a mask."""


def is_guarantee(formula: Formula) -> bool:
    """Whether, by the syntax of its normal form, some finite beginning decides that the formula holds."""
    if isinstance(formula, Always | Release | WeakUntil):
        return False
    return all(map(is_guarantee, operands(formula)))


def is_safety(formula: Formula) -> bool:
    """Whether, by the syntax of its normal form, some finite beginning decides that the formula fails."""
    if isinstance(formula, Eventually | Until | StrongRelease):
        return False
    return all(map(is_safety, operands(formula)))


def is_obligation(formula: Formula) -> bool:
    """Whether the syntax of its normal form shows a boolean combination of safety and guarantee properties.

    Černá and Pelánek, Relating hierarchy of temporal properties to model checking, MFCS 2003.
    """
    if is_guarantee(formula) or is_safety(formula):
        return True
    match formula:
        case And() | Or() | Next():
            return all(map(is_obligation, operands(formula)))
        case Until(left, right):
            return is_obligation(left) and is_guarantee(right)
        case Release(left, right):
            return is_obligation(left) and is_safety(right)
        case WeakUntil(left, right):
            return is_safety(left) and is_obligation(right)
        case StrongRelease(left, right):
            return is_guarantee(left) and is_obligation(right)
        case Constant() | Atom() | Not() | Eventually() | Always() | Implies() | Equivalent() | Xor():
            return False
        case _:
            assert_never(formula)


def weak_deterministic(automaton: Automaton, limit: int) -> Automaton | None:
    """Return the smallest weak deterministic automaton of an obligation `automaton`; None beyond `limit` subsets.

    Complete: every letter can be read in every state. Marks say accepting state, and are uniform on components.
    """
    subsets = _subsets(automaton, limit)
    if subsets is None:
        return None
    members, deterministic = subsets
    return _minimised(_coloured(automaton, members, deterministic))


def complemented(automaton: Automaton) -> Automaton:
    """The automaton of the other words, for a complete weak deterministic automaton with accepting states."""
    accepting = automaton.accepting_states
    outgoing = [
        [edge._replace(marks=int(state not in accepting)) for edge in automaton.outgoing[state]]
        for state in automaton.states
    ]
    return automaton.with_edges(outgoing, acceptance_sets=1)


def _subsets(automaton: Automaton, limit: int) -> tuple[list[Subset], Automaton] | None:
    """The powerset construction, with acceptance left open."""
    members: list[Subset] = [1 << automaton.initial]
    numbers = {members[0]: 0}
    outgoing: list[tuple[Edge, ...]] = []
    edge_count = 0
    while len(outgoing) < len(members):
        if len(members) > limit or edge_count > 10 * limit:
            return None
        edges = []
        parts = _split(automaton, members[len(outgoing)], limit)
        if parts is None:
            return None
        for target, label in parts.items():
            if target not in numbers:
                numbers[target] = len(members)
                members.append(target)
            edges.append(Edge(label, 0, numbers[target]))
        edge_count += len(edges)
        outgoing.append(joined_edges(automaton.functions, edges))
    return members, automaton.with_edges(outgoing, 0, 1)


def _split(automaton: Automaton, members: Subset, limit: int) -> dict[Subset, int] | None:
    """The letters, sorted by the subset they lead to; None if there are too many subsets."""
    functions = automaton.functions
    by_target: dict[int, int] = {}
    for state in _states(members):
        for label, _, target in automaton.outgoing[state]:
            by_target[target] = functions.disjoin(by_target.get(target, FALSE), label)
    parts: dict[Subset, int] = {0: TRUE}
    for target, label in by_target.items():
        refined: dict[Subset, int] = {}
        for subset, letters in parts.items():
            for part, found in ((subset | 1 << target, label), (subset, ~label)):
                common = functions.conjoin(letters, found)
                if common != FALSE:
                    refined[part] = functions.disjoin(refined.get(part, FALSE), common)
        parts = refined
        if len(parts) > limit:
            return None
    return parts


def _states(subset: Subset) -> list[int]:
    return [state for state in range(subset.bit_length()) if subset >> state & 1]


def _coloured(automaton: Automaton, members: list[Subset], deterministic: Automaton) -> Automaton:
    """Löding's colours, even for accepting: as large as the components below allow, so that minimising sees equals."""
    found = components(deterministic)
    inside: list[list[int]] = [[] for _ in found.has_cycle]
    for state in deterministic.states:
        inside[found.of[state]].append(state)
    highest = 2 * (len(inside) + 1)
    colours: list[int] = []
    for number, states in enumerate(inside):
        below = [
            colours[found.of[edge.target]]
            for state in states
            for edge in deterministic.outgoing[state]
            if found.of[edge.target] != number
        ]
        colour = min(below, default=highest)
        if found.has_cycle[number]:
            wanted = 0 if _accepts_a_cycle(automaton, members, deterministic, states[0]) else 1
            colour -= (colour - wanted) % 2
        colours.append(colour)
    outgoing = [
        [edge._replace(marks=1 - colours[found.of[state]] % 2) for edge in deterministic.outgoing[state]]
        for state in deterministic.states
    ]
    return deterministic.with_edges(outgoing)


def _accepts_a_cycle(automaton: Automaton, members: list[Subset], deterministic: Automaton, start: int) -> bool:
    """Whether the automaton accepts, from some member of the subset, the word of one cycle through it."""
    labels = _cycle_labels(deterministic, start)
    width = len(labels)
    count = len(automaton.states)
    functions = automaton.functions
    outgoing = [
        [
            Edge(TRUE, edge.marks, edge.target * width + (position + 1) % width)
            for edge in automaton.outgoing[state]
            if functions.conjoin(edge.label, labels[position]) != FALSE
        ]
        for state in range(count)
        for position in range(width)
    ]
    starts = [Edge(TRUE, 0, state * width) for state in _states(members[start])]
    return not is_empty(automaton.with_edges([*outgoing, starts], count * width))


def _cycle_labels(deterministic: Automaton, start: int) -> list[int]:
    """The letters of a shortest cycle through a state, one letter for each step."""
    came: dict[int, tuple[int, int]] = {}
    waiting = [start]
    for state in waiting:
        for edge in deterministic.outgoing[state]:
            if edge.target not in came:
                came[edge.target] = (state, edge.label)
                waiting.append(edge.target)
        if start in came:
            break
    labels: list[int] = []
    state = start
    while not labels or state != start:
        state, label = came[state]
        labels.append(_one_letter(deterministic, label))
    return labels[::-1]


def _one_letter(automaton: Automaton, label: int) -> int:
    """A label that only one of the letters of the given label satisfies."""
    positive, _ = automaton.functions.some_cube(label)
    everything_else = ((1 << len(automaton.propositions)) - 1) & ~positive
    return automaton.functions.of_cube(positive, everything_else)


def _minimised(automaton: Automaton) -> Automaton:
    """Equal futures merged, from accepting and rejecting states downwards (Moore 1956)."""
    accepting = automaton.accepting_states
    classes = [int(state in accepting) for state in automaton.states]
    count = 0
    while True:
        signatures: dict[tuple[int, tuple[Edge, ...]], int] = {}
        refined = []
        for state in automaton.states:
            edges = [(label, 0, classes[target]) for label, _, target in automaton.outgoing[state]]
            signature = (classes[state], joined_edges(automaton.functions, edges))
            refined.append(signatures.setdefault(signature, len(signatures)))
        classes = refined
        if len(signatures) == count:
            break
        count = len(signatures)
    outgoing: list[tuple[Edge, ...]] = [()] * count
    for state in automaton.states:
        edges = [(label, marks, classes[target]) for label, marks, target in automaton.outgoing[state]]
        outgoing[classes[state]] = joined_edges(automaton.functions, edges)
    return automaton.with_edges(outgoing, classes[automaton.initial])
