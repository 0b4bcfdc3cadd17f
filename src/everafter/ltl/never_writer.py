"""Büchi automata as never claims, in the form that SPIN reads and prints itself."""

from __future__ import annotations

from everafter.ltl.automaton import Automaton, Edge
from everafter.ltl.edge_labels import PROMELA, label_text
from everafter.ltl.functions import TRUE


def to_never(automaton: Automaton, name: str = "") -> str:
    """Return the never claim of `automaton`, which has accepting states; `name` goes into a comment."""
    if not automaton.has_state_acceptance and automaton.edge_count:
        raise ValueError("a never claim needs accepting states; give the result of to_buchi")
    comment = f" /* {name.replace('*/', '* /')} */" if name else ""
    order = [automaton.initial, *(state for state in automaton.states if state != automaton.initial)]
    lines = [f"never {{{comment}"]
    for state in order:
        lines += _state(automaton, state)
    return "\n".join([*lines, "}", ""])


def _state(automaton: Automaton, state: int) -> list[str]:
    edges = automaton.outgoing[state]
    label = f"{_name(automaton, state)}:"
    if not edges:
        return [label, "\tfalse;"]
    if _reads_all_for_ever(automaton, state):
        return [label, "\tskip"] if _may_be_last(automaton, state) else [label, "\tdo", "\t:: (1)", "\tod;"]
    options = [
        f"\t:: ({label_text(automaton, edge.label, PROMELA)}) -> goto {_name(automaton, edge.target)}" for edge in edges
    ]
    return [label, "\tdo", *options, "\tod;"]


def _reads_all_for_ever(automaton: Automaton, state: int) -> bool:
    return automaton.outgoing[state] == (Edge(TRUE, 1, state),)


def _may_be_last(automaton: Automaton, state: int) -> bool:
    """Only the last state may run into the closing brace, which SPIN takes for acceptance of everything."""
    return state == len(automaton.states) - 1 and state != automaton.initial


def _name(automaton: Automaton, state: int) -> str:
    accepting = state in automaton.accepting_states
    if state == automaton.initial:
        return "accept_init" if accepting else "T0_init"
    if _reads_all_for_ever(automaton, state) and _may_be_last(automaton, state):
        return "accept_all"
    return f"accept_S{state}" if accepting else f"T0_S{state}"
