"""Automata as pictures: the DOT language of Graphviz."""

from __future__ import annotations

from everafter.ltl.automaton import Automaton
from everafter.ltl.edge_labels import READABLE, label_text


def to_dot(automaton: Automaton, name: str = "") -> str:
    """Return `automaton` in the DOT language, as a graph called `name`.

    Accepting states have a double ring, or edges show their marks where acceptance is on edges.
    """
    by_state = automaton.has_state_acceptance
    accepting = automaton.accepting_states if by_state else frozenset()
    lines = [
        f"digraph {_quoted(name or 'automaton')} {{",
        "  rankdir=LR;",
        '  node [shape=circle, fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
        '  start [shape=none, label="", width=0];',
        f"  start -> {automaton.initial};",
    ]
    lines += [f"  {state} [shape=doublecircle];" for state in sorted(accepting)]
    for state, edge in automaton.edges:
        text = label_text(automaton, edge.label, READABLE)
        if not by_state and edge.marks:
            text += f"\n{{{', '.join(str(i) for i in range(automaton.acceptance_sets) if edge.marks >> i & 1)}}}"
        lines.append(f"  {state} -> {edge.target} [label={_quoted(text)}];")
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
