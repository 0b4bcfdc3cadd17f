"""Questions about formulas as languages, decided with automata: exact, where `simplify` only sees the evident."""

from __future__ import annotations

from everafter.ltl.automaton_product import disjoint
from everafter.ltl.formula import Formula, Not, Xor
from everafter.ltl.strong_components import is_empty
from everafter.ltl.translation import translate


def is_satisfiable(formula: Formula) -> bool:
    """Whether some word satisfies the formula."""
    return not is_empty(translate(formula))


def is_valid(formula: Formula) -> bool:
    """Whether every word satisfies the formula."""
    return not is_satisfiable(Not(formula))


def implies(left: Formula, right: Formula) -> bool:
    """Return whether every word that satisfies `left` satisfies `right`."""
    return disjoint(translate(left), translate(Not(right)))


def equivalent(left: Formula, right: Formula) -> bool:
    """Return whether the same words satisfy `left` and `right`."""
    return not is_satisfiable(Xor(left, right)) if left is not right else True
