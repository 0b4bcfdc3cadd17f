"""The names of the library of formulas and automata, all together, for those who use it from outside."""

from typing import get_args

from everafter.arguments import guard
from everafter.ltl.automaton import Automaton, Edge
from everafter.ltl.automaton_dot import to_dot
from everafter.ltl.automaton_product import accepts, disjoint, product
from everafter.ltl.classify import is_safety, is_terminal, is_weak
from everafter.ltl.display import displayed
from everafter.ltl.equivalence import equivalent, implies, is_satisfiable, is_valid
from everafter.ltl.formula import (
    FALSE,
    TRUE,
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
    atoms,
)
from everafter.ltl.formula_parser import Located, parse, parse_at, parse_located
from everafter.ltl.formula_text import as_html, text_of
from everafter.ltl.functions import TooLargeError
from everafter.ltl.hoa_reader import from_hoa
from everafter.ltl.hoa_writer import to_hoa
from everafter.ltl.interchange import FORMATS, show
from everafter.ltl.lasso_semantics import Lasso, holds
from everafter.ltl.never_reader import from_never
from everafter.ltl.never_writer import to_never
from everafter.ltl.simplification import simplify
from everafter.ltl.strong_components import is_empty
from everafter.ltl.stutter import are_stutter_separated, is_next_free, is_stutter_invariant
from everafter.ltl.translation import to_buchi, translate


@displayed.register
def _picture_of(automaton: Automaton) -> str:
    from everafter.ltl.picture import as_html  # noqa: PLC0415 # drawing is loaded by notebooks alone

    return as_html(automaton)


for _kind in get_args(Formula):
    displayed.register(_kind, as_html)

__all__ = [
    "FALSE",
    "FORMATS",
    "TRUE",
    "Always",
    "And",
    "Atom",
    "Automaton",
    "Constant",
    "Edge",
    "Equivalent",
    "Eventually",
    "Formula",
    "Implies",
    "Lasso",
    "Located",
    "Next",
    "Not",
    "Or",
    "Release",
    "StrongRelease",
    "TooLargeError",
    "Until",
    "WeakUntil",
    "Xor",
    "accepts",
    "are_stutter_separated",
    "atoms",
    "disjoint",
    "equivalent",
    "from_hoa",
    "from_never",
    "holds",
    "implies",
    "is_empty",
    "is_next_free",
    "is_safety",
    "is_satisfiable",
    "is_stutter_invariant",
    "is_terminal",
    "is_valid",
    "is_weak",
    "parse",
    "parse_at",
    "parse_located",
    "product",
    "show",
    "simplify",
    "text_of",
    "to_buchi",
    "to_dot",
    "to_hoa",
    "to_never",
    "translate",
]

guard(globals(), __all__)
