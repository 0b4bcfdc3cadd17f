"""Products and sums: the words that two automata both accept, or one of them; whether one accepts a given lasso."""

from __future__ import annotations

from everafter.ltl.automaton import Automaton, Edge, on_alphabet
from everafter.ltl.functions import FALSE, TRUE
from everafter.ltl.lasso_semantics import Lasso
from everafter.ltl.strong_components import is_empty
from everafter.ltl.truth_tables import functions_of


def product(left: Automaton, right: Automaton) -> Automaton:
    """Return the automaton of the words that both `left` and `right` accept."""
    left, right = _on_one_alphabet(left, right)
    conjoin = left.functions.conjoin
    numbers = {(left.initial, right.initial): 0}
    waiting = [(left.initial, right.initial)]
    outgoing: list[list[Edge]] = []
    while len(outgoing) < len(waiting):
        a, b = waiting[len(outgoing)]
        edges: list[Edge] = []
        for one in left.outgoing[a]:
            for other in right.outgoing[b]:
                label = conjoin(one.label, other.label)
                if label != FALSE:
                    target = (one.target, other.target)
                    if target not in numbers:
                        numbers[target] = len(waiting)
                        waiting.append(target)
                    edges.append(Edge(label, one.marks | other.marks << left.acceptance_sets, numbers[target]))
        outgoing.append(edges)
    return left.with_edges(outgoing, 0, left.acceptance_sets + right.acceptance_sets)


def union(left: Automaton, right: Automaton) -> Automaton:
    """Return the automaton of the words that `left` or `right` accepts: a new first state with a choice of both."""
    left, right = _on_one_alphabet(left, right)
    sets = max(left.acceptance_sets, right.acceptance_sets)
    outgoing: list[list[Edge]] = [[]]
    for automaton in (left, right):
        start = len(outgoing)
        # A side with fewer sets meets the missing ones on every edge.
        padding = ((1 << sets) - 1) & ~automaton.all_marks
        for edges in automaton.outgoing:
            outgoing.append([Edge(e.label, e.marks | padding, e.target + start) for e in edges])
        outgoing[0] += outgoing[start + automaton.initial]
    return left.with_edges(outgoing, 0, sets)


def _on_one_alphabet(left: Automaton, right: Automaton) -> tuple[Automaton, Automaton]:
    if left.functions is right.functions and left.propositions == right.propositions:
        return left, right
    names = (*left.propositions, *(name for name in right.propositions if name not in left.propositions))
    functions = functions_of(len(names))
    return on_alphabet(left, names, functions), on_alphabet(right, names, functions)


def disjoint(left: Automaton, right: Automaton) -> bool:
    """Return whether no word is accepted by both `left` and `right`."""
    return is_empty(product(left, right))


def accepts(automaton: Automaton, lasso: Lasso) -> bool:
    """Return whether `automaton` has an accepting run on the word `lasso`."""
    valuations = [automaton.valuation(letter) for letter in lasso.letters]
    width = len(valuations)
    outgoing: list[tuple[Edge, ...]] = []
    for state in automaton.states:
        for position, valuation in enumerate(valuations):
            after = lasso.successor(position)
            outgoing.append(
                tuple(
                    Edge(TRUE, edge.marks, edge.target * width + after)
                    for edge in automaton.successors(state, valuation)
                )
            )
    return not is_empty(automaton.with_edges(outgoing, automaton.initial * width))
