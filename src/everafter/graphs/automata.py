"""Automata as diagrams."""

from __future__ import annotations

from everafter.drawing.diagram import Diagram, Edge, Node, clipped, joined
from everafter.ltl import Automaton
from everafter.ltl.labels import READABLE, label_text

LEGEND = "An automaton accepts a run that passes a place with a double border, or all marks in braces, again and again."


def of_automaton(automaton: Automaton, title: str = "") -> Diagram:
    """An automaton: accepting states have a double border, or edges show their marks where acceptance is on edges."""
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
