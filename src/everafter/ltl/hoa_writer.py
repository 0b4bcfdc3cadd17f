"""Automata in the Hanoi format, version 1 (Babiak et al., The Hanoi omega-automata format, CAV 2015)."""

from __future__ import annotations

from everafter.ltl.automaton import Automaton
from everafter.ltl.classify import is_terminal, is_weak
from everafter.ltl.edge_labels import HOA, label_text


def to_hoa(automaton: Automaton, name: str = "") -> str:
    """Return `automaton`, called `name`, as a text that Spot, Owl and `from_hoa` read."""
    by_state = automaton.has_state_acceptance
    return "\n".join([*_header(automaton, name, by_state), "--BODY--", *_body(automaton, by_state), "--END--", ""])


def _header(automaton: Automaton, name: str, by_state: bool) -> list[str]:
    count = automaton.acceptance_sets
    acceptance = "&".join(f"Inf({i})" for i in range(count)) or "t"
    named = {0: "all", 1: "Buchi"}.get(count, f"generalized-Buchi {count}")
    names = "".join(f" {_quoted(text)}" for text in automaton.propositions)
    lines = ["HOA: v1"]
    if name:
        lines.append(f"name: {_quoted(name)}")
    return [
        *lines,
        'tool: "everafter"',
        f"States: {len(automaton.states)}",
        f"Start: {automaton.initial}",
        f"AP: {len(automaton.propositions)}{names}",
        f"acc-name: {named}",
        f"Acceptance: {count} {acceptance}",
        f"properties: {' '.join(_properties(automaton, by_state))}",
    ]


def _properties(automaton: Automaton, by_state: bool) -> list[str]:
    found = ["trans-labels", "explicit-labels", "state-acc" if by_state else "trans-acc"]
    if automaton.is_deterministic:
        found.append("deterministic")
    if is_weak(automaton):
        found.append("weak")
    if is_terminal(automaton):
        found.append("terminal")
    return found


def _body(automaton: Automaton, by_state: bool) -> list[str]:
    lines: list[str] = []
    for state in automaton.states:
        accepting = by_state and state in automaton.accepting_states
        lines.append(f"State: {state}{' {0}' if accepting else ''}")
        for edge in automaton.outgoing[state]:
            label = label_text(automaton, edge.label, HOA, str)
            marks = [str(i) for i in range(automaton.acceptance_sets) if edge.marks >> i & 1]
            shown = f" {{{' '.join(marks)}}}" if marks and not by_state else ""
            lines.append(f"[{label}] {edge.target}{shown}")
    return lines


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
