"""Formulas and lassos for property tests, which Hypothesis shrinks when one fails."""

from __future__ import annotations

from hypothesis import strategies as st
from oracles.ltl.random_formulas import LARGEST, PAIRS, PROPOSITIONS, UNARY

from everafter.ltl import FALSE, TRUE, Always, And, Atom, Eventually, Formula, Lasso, Or
from everafter.ltl.formula import size

_leaves: st.SearchStrategy[Formula] = st.sampled_from([*map(Atom, PROPOSITIONS), TRUE, FALSE])


def _larger(smaller: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    two = st.tuples(smaller, smaller)
    return st.one_of(
        st.builds(lambda make, f: make(f), st.sampled_from(UNARY), smaller),
        st.builds(lambda make, f: make(f), st.sampled_from((Eventually, Always)), smaller),
        st.builds(lambda make, sides: make(*sides), st.sampled_from(PAIRS), two),
        st.builds(lambda make, sides: make(sides), st.sampled_from((And, Or)), two),
    )


formulas: st.SearchStrategy[Formula] = st.recursive(_leaves, _larger, max_leaves=LARGEST).filter(
    lambda formula: size(formula) <= LARGEST
)
letters = st.frozensets(st.sampled_from(PROPOSITIONS))
lassos = st.builds(
    Lasso,
    st.lists(letters, max_size=3).map(tuple),
    st.lists(letters, min_size=1, max_size=4).map(tuple),
)
