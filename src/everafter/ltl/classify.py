"""What kind of automaton is this? A search can do with less on the simpler kinds.

Bloem, Ravi and Somenzi, Efficient decision procedures for model checking of linear time logic properties,
CAV 1999. Terminal automata are weak, and the questions are about the reachable part.
"""

from __future__ import annotations

from everafter.ltl.automaton import Automaton
from everafter.ltl.functions import FALSE, TRUE
from everafter.ltl.strong_components import Components, components, components_of


def is_safety(automaton: Automaton) -> bool:
    """Whether every infinite run is accepting: a run that cannot go on is the only failure."""
    found = components(automaton)
    return all(
        accepting or not cycle for cycle, accepting in zip(found.has_cycle, found.is_accepting, strict=True)
    ) and is_weak(automaton)


def is_weak(automaton: Automaton) -> bool:
    """Whether in every component either all cycles are accepting or none is."""
    found = components(automaton)
    return not any(
        found.is_accepting[number] and _misses_a_set(automaton, found, number)
        for number in range(len(found.is_accepting))
    )


def is_terminal(automaton: Automaton) -> bool:
    """Whether a run that has come to an accepting component can read any word and stay accepting."""
    found = components(automaton)
    return is_weak(automaton) and all(
        _reads_everything(automaton, found, state)
        for state in automaton.states
        if found.of[state] >= 0 and found.is_accepting[found.of[state]]
    )


def _misses_a_set(automaton: Automaton, found: Components, number: int) -> bool:
    """Whether some cycle of the component avoids some acceptance set."""
    members = [state for state in automaton.states if found.of[state] == number]
    for acceptance_set in range(automaton.acceptance_sets):
        avoiding = [
            [
                edge.target
                for edge in automaton.outgoing[state]
                if found.of[state] == found.of[edge.target] == number and not edge.marks >> acceptance_set & 1
            ]
            for state in automaton.states
        ]
        parts = components_of(avoiding, members)
        if any(parts[state] == parts[target] for state in members for target in avoiding[state]):
            return True
    return False


def _reads_everything(automaton: Automaton, found: Components, state: int) -> bool:
    """Whether every letter leads on inside accepting components."""
    letters = FALSE
    for edge in automaton.outgoing[state]:
        if found.is_accepting[found.of[edge.target]]:
            letters = automaton.functions.disjoin(letters, edge.label)
    return letters == TRUE


def description(automaton: Automaton) -> str:
    """The kind in words, for people."""
    words = ["deterministic" if automaton.is_deterministic else "nondeterministic"]
    if is_safety(automaton):
        words.append("safety")
    words.append("terminal" if is_terminal(automaton) else "weak" if is_weak(automaton) else "strong")
    return ", ".join(words)
