"""Automata as pictures drawn here."""

from __future__ import annotations

from everafter.drawing.diagram import Diagram, Edge, Node, clipped, joined
from everafter.drawing.svg import to_svg
from everafter.ltl.automaton import Automaton
from everafter.ltl.edge_labels import READABLE, label_text

MOST_STATES, MOST_EDGES = 40, 160
"""A larger automaton is no picture."""


def of_automaton(automaton: Automaton, title: str = "") -> Diagram:
    """Return the diagram of `automaton`, under `title`.

    Accepting states have a double border, or edges show their marks where acceptance is on edges.
    """
    by_state = automaton.has_state_acceptance
    accepting = automaton.accepting_states if by_state else frozenset[int]()
    nodes = tuple(
        Node(
            str(state),
            (str(state),),
            "double" if state in accepting else "round",
            "accent" if state in accepting else "plain",
        )
        for state in automaton.states
    )
    edges: list[Edge] = []
    for state, edge in automaton.edges:
        text = label_text(automaton, edge.label, READABLE)
        marks = [str(mark) for mark in range(automaton.acceptance_sets) if edge.marks >> mark & 1]
        shown = text if by_state or not marks else f"{text} {{{', '.join(marks)}}}"
        edges.append(Edge(str(state), str(edge.target), (clipped(shown),), hint=shown))
    return Diagram(title, nodes, joined(edges), str(automaton.initial))


def as_html(automaton: Automaton) -> str:
    """A picture within HTML; of an automaton too large for one, only its size."""
    states, edges = len(automaton.states), automaton.edge_count
    if states > MOST_STATES or edges > MOST_EDGES:
        return f"<em>an automaton with {states:,} states and {edges:,} edges</em>"
    return to_svg([of_automaton(automaton)])
