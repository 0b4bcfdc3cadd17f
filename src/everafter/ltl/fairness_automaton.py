"""Many fairness conditions at once, GF a && GF b && …, or their negation FG a || FG b || …, without exponential growth.

One state that counts every condition on every letter has an edge for each combination of conditions. These
automata have an edge or a state for each condition instead; the rest of the formula joins by product or union.
"""

from __future__ import annotations

from collections.abc import Sequence

from everafter.ltl.automaton import Automaton, Edge, joined_edges
from everafter.ltl.formula import Always, And, Eventually, Formula, Or, conjunction, disjunction
from everafter.ltl.functions import TRUE, Functions
from everafter.ltl.normal_form import is_boolean


def split_fairness(formula: Formula) -> tuple[Formula, tuple[Formula, ...]]:
    """The formula as a conjunction of something and of "infinitely often" for each of some boolean formulas."""
    parts = formula.parts if isinstance(formula, And) else (formula,)
    conditions = tuple(
        part.operand.operand
        for part in parts
        if isinstance(part, Always) and isinstance(part.operand, Eventually) and is_boolean(part.operand.operand)
    )
    fair = {Always(Eventually(condition)) for condition in conditions}
    return conjunction(part for part in parts if part not in fair), conditions


def split_persistence(formula: Formula) -> tuple[Formula, tuple[Formula, ...]]:
    """The formula as a disjunction of something and of "for ever from some point on" for each of some boolean ones."""
    parts = formula.parts if isinstance(formula, Or) else (formula,)
    conditions = tuple(
        part.operand.operand
        for part in parts
        if isinstance(part, Eventually) and isinstance(part.operand, Always) and is_boolean(part.operand.operand)
    )
    lasting = {Eventually(Always(condition)) for condition in conditions}
    return disjunction(part for part in parts if part not in lasting), conditions


def lasting_states(propositions: tuple[str, ...], functions: Functions, conditions: Sequence[int]) -> Automaton:
    """Return an automaton over `propositions` that waits for as long as it takes, then stays where one condition holds.

    It has accepting states, one for each of `conditions`, which are labels in `functions`.
    """
    waiting = [Edge(TRUE, 0, 0), *(Edge(condition, 0, 1 + i) for i, condition in enumerate(conditions))]
    staying = (((Edge(condition, 1, 1 + i)),) for i, condition in enumerate(conditions))
    return Automaton(propositions, functions, 0, (tuple(waiting), *staying), 1)


def fair_state(propositions: tuple[str, ...], functions: Functions, conditions: Sequence[int]) -> Automaton:
    """Return an automaton over `propositions` with one state, and an acceptance set for each of `conditions`.

    The conditions are labels in `functions`. Each letter is counted for one condition that it meets.
    """
    edges = [Edge(TRUE, 0, 0), *(Edge(condition, 1 << i, 0) for i, condition in enumerate(conditions))]
    return Automaton(propositions, functions, 0, (joined_edges(functions, edges),), len(conditions))


def fair_rounds(propositions: tuple[str, ...], functions: Functions, conditions: Sequence[int]) -> Automaton:
    """Return a deterministic automaton over `propositions` that waits for each of `conditions`, in turn.

    The conditions are labels in `functions`. The last state ends a round; it is the accepting one.
    """
    last = len(conditions)
    outgoing = []
    for state in range(last + 1):
        waiting = state % last
        edges = [Edge(conditions[waiting], int(state == last), waiting + 1)]
        edges.append(Edge(~conditions[waiting], int(state == last), waiting))
        outgoing.append(joined_edges(functions, edges))
    return Automaton(propositions, functions, 0, tuple(outgoing), 1)
