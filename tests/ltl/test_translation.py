"""The automaton accepts exactly the words that satisfy the formula, after every stage of the translation."""

from __future__ import annotations

import importlib
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles.ltl.random_formulas import all_lassos, random_formula, random_lasso
from tests.ltl.strategies import formulas, lassos

from everafter.ltl import (
    Automaton,
    Formula,
    Lasso,
    Not,
    accepts,
    disjoint,
    holds,
    parse,
    to_buchi,
    translate,
    truth_tables,
)
from everafter.ltl.cleanup import clean
from everafter.ltl.degeneralise import degeneralised
from everafter.ltl.direct_simulation import (
    by_bisimulation,
    by_direct_simulation,
    by_reverse_simulation,
    reduced,
    reduced_by_state,
)
from everafter.ltl.formula import atoms
from everafter.ltl.functions import TooLargeError
from everafter.ltl.obligation import weak_deterministic
from everafter.ltl.simplification import simplify
from everafter.ltl.tableau import Choice, Unfolding, tableau
from everafter.ltl.translation import Translator

some_lassos = st.lists(lassos, min_size=8, max_size=8)


def unfolded(formula: Formula, choice: Choice) -> Automaton:
    simple = simplify(formula)
    return tableau(Unfolding(atoms(formula)), simple, choice, 5000)


@settings(max_examples=200, deadline=None)
@given(formulas, some_lassos)
@example(parse("G (p0 && X X F !p0)"), [Lasso((), (frozenset({"p0"}),))])
def test_both_automata_agree_with_the_meaning(formula: Formula, words: list[Lasso]) -> None:
    generalised, buchi = translate(formula), to_buchi(formula)
    assert buchi.has_state_acceptance
    for word in words:
        assert accepts(generalised, word) == accepts(buchi, word) == holds(formula, word)


@settings(max_examples=60, deadline=None)
@given(formulas)
def test_a_formula_and_its_negation_share_no_word(formula: Formula) -> None:
    assert disjoint(translate(formula), translate(Not(formula)))
    assert disjoint(to_buchi(formula), to_buchi(Not(formula)))


@settings(max_examples=60, deadline=None)
@given(formulas, st.sampled_from(["early", "late"]))
def test_every_stage_keeps_the_language(formula: Formula, choice: Choice) -> None:
    opposite = unfolded(Not(formula), choice)
    first = unfolded(formula, choice)
    rng = random.Random(1)
    words = [random_lasso(rng) for _ in range(10)]
    for stage in stages(first):
        assert disjoint(stage, opposite)
        assert all(accepts(stage, word) == holds(formula, word) for word in words)


def stages(automaton: Automaton) -> list[Automaton]:
    """The result of every step that claims to keep the language, each applied to the result before it or alone."""
    small = clean(automaton)
    orders = [list(range(small.acceptance_sets)), list(range(small.acceptance_sets))[::-1]]
    counted = [
        degeneralised(small, order, reuse, twice)
        for order in orders
        for reuse in (True, False)
        for twice in (True, False)
    ]
    return [
        automaton,
        small,
        by_bisimulation(small),
        by_direct_simulation(small),
        by_reverse_simulation(small),
        by_reverse_simulation(clean(by_direct_simulation(small))),
        reduced(automaton),
        *counted,
        *(by_direct_simulation(one, by_state=True) for one in counted),
        *(by_reverse_simulation(one, by_state=True) for one in counted),
        *(reduced_by_state(one) for one in counted),
    ]


def test_translation_is_the_same_with_tables_and_with_diagrams(monkeypatch: pytest.MonkeyPatch) -> None:
    some = [random_formula(random.Random(index), 8) for index in range(60)]
    with_tables = [shape(to_buchi(formula)) for formula in some]
    monkeypatch.setattr(truth_tables, "MOST_VARIABLES", 0)
    assert [shape(to_buchi(formula)) for formula in some] == with_tables


def shape(automaton: Automaton) -> list[list[tuple[int, int]]]:
    """The edges without their letters, whose numbers depend on what was computed before."""
    return [[(edge.marks, edge.target) for edge in edges] for edges in automaton.outgoing]


@settings(max_examples=80, deadline=None)
@given(formulas, some_lassos)
def test_the_weak_automaton_is_used_only_where_it_is_right(formula: Formula, words: list[Lasso]) -> None:
    weak = Translator(formula).weak()
    if weak is not None:
        assert weak.is_deterministic
        for word in words:
            assert accepts(weak, word) == holds(formula, word)


def test_the_weak_automaton_of_no_obligation_is_refused() -> None:
    infinitely_often = Translator(parse("G F p"))
    assert weak_deterministic(translate(parse("G F p")), 100) is not None
    assert infinitely_often.weak() is None
    assert Translator(parse("F p && G q")).weak() is not None


@pytest.mark.parametrize(
    "text", ["G F p -> G F q", "p U (q R p)", "F (p && X q) W X p", "(F G p) xor (q M p)", "G (p -> X (q U p))"]
)
def test_all_short_words(text: str) -> None:
    formula = parse(text)
    generalised, buchi = translate(formula), to_buchi(formula)
    for word in all_lassos(("p", "q"), 4):
        assert accepts(generalised, word) == accepts(buchi, word) == holds(formula, word)


def test_fairness_stays_small() -> None:
    for count in (1, 2, 4, 5, 8, 16):
        formula = parse(" && ".join(f"[] <> p{i}" for i in range(count)))
        assert len(translate(formula).states) == 1
        assert len(to_buchi(formula).states) == count + 1
        assert len(translate(Not(formula)).states) == count + 1


@pytest.mark.parametrize(
    "shape", ["{fair}", "!({fair})", "({fair}) -> [] (p -> <> q)", "({fair}) && (p U q)", "p U ({fair})"]
)
def test_many_fairness_conditions_agree_with_the_meaning(shape: str) -> None:
    names = tuple(f"p{i}" for i in range(6))
    formula = parse(shape.format(fair=" && ".join(f"[] <> {name}" for name in names)))
    generalised, buchi = translate(formula), to_buchi(formula)
    opposite = translate(Not(formula))
    assert disjoint(generalised, opposite)
    assert disjoint(buchi, opposite)
    rng = random.Random(13)
    for _ in range(150):
        letters = [frozenset(n for n in (*names, "p", "q") if rng.random() < 0.7) for _ in range(rng.randint(1, 5))]
        cut = rng.randrange(len(letters))
        word = Lasso(tuple(letters[:cut]), tuple(letters[cut:]))
        assert accepts(generalised, word) == accepts(buchi, word) == holds(formula, word)


@pytest.mark.parametrize(
    ("part", "joint", "states"),
    [
        ("[] (a{0} -> <> b{0})", " && ", 13),
        ("[] (a{0} -> [] b{0})", " && ", 14),
        ("[] <> (a{0} && b{0})", " || ", 2),
    ],
)
def test_the_negation_of_many_properties_stays_small(part: str, joint: str, states: int) -> None:
    formula = parse(joint.join(part.format(i) for i in range(12)))
    assert len(translate(Not(formula)).states) == states


def test_a_formula_beyond_all_limits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.import_module("everafter.ltl.translation"), "MOST_STATES", 50)
    with pytest.raises(TooLargeError):
        translate(parse(" && ".join(f"<> (a{i} && X b{i})" for i in range(5))))


def test_a_limit_on_states_is_kept() -> None:
    with pytest.raises(TooLargeError):
        tableau(Unfolding(("p", "q", "r")), parse("p U (q U r)"), "early", 1)


def test_translation_does_not_depend_on_what_came_before() -> None:
    rng = random.Random(3)
    chosen = [random_formula(rng, 6) for _ in range(15)]
    first = [translate(formula).outgoing for formula in chosen]
    for formula in [random_formula(rng, 8) for _ in range(30)]:
        translate(formula)
    assert [translate(formula).outgoing for formula in reversed(chosen)] == first[::-1]
