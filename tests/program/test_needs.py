"""Asking a question changes nothing: neither the tree, nor what another question is answered."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import permutations
from typing import Any

import pytest
from oracles.asking import Engine

from everafter.check import check
from everafter.program.program import program_for
from everafter.promela.propositions import formula_text
from everafter.promela.units import Needs
from everafter.questions.property import understand
from everafter.questions.request import Request
from everafter.user_model import Model, parse

TEXT = """byte x, y; hidden byte h;
active proctype A() { x = 1; again: goto there; there: x = 2 }
active proctype B() { y = 1; h = 3; y = 2 }
"""
DEMANDING = ("[] (_last < 9)", "[] (get_priority(0) < 9)", "[] !A@again", "[] (h < 9)")
"""Formulas for which a state must tell more than for the model alone."""
FORMULAS = (*DEMANDING, "<> (x == 2)")


def answers(model: Model, *formulas: str, engine: Engine = "reference") -> list[tuple[str, int, str]]:
    """What is said of these formulas, or without one of safety."""
    request = Request(safety=not formulas, formulas=formulas, engine=engine)
    return [(result.verdict, result.states, result.unreduced) for result in check(model, request)]


def needs_of(model: Model, formula: str) -> Needs:
    """What a formula needs."""
    return understand(model.tree, formula_text(model.tree, formula, "ltl")).needs


def snapshot(part: Any, seen: dict[int, int]) -> Any:
    """A tree as plain values, objects known by identity in order of their first appearance."""
    if is_dataclass(part) and not isinstance(part, type):
        if id(part) in seen:
            return seen[id(part)]
        seen[id(part)] = len(seen)
        return type(part), [snapshot(getattr(part, item.name), seen) for item in fields(part)]
    if isinstance(part, tuple | list):
        return [snapshot(item, seen) for item in part]
    if isinstance(part, frozenset | set):
        return sorted(map(repr, part))
    return repr(part) if not hasattr(part, "items") else [(key, snapshot(part[key], seen)) for key in part]


@pytest.mark.parametrize("formula", FORMULAS)
def test_safety_is_the_same_after_a_formula(formula: str) -> None:
    alone = answers(parse(TEXT))
    model = parse(TEXT)
    answers(model, formula)
    assert answers(model) == alone
    assert alone[0][2] == "", "the model alone can be reduced"


def test_a_formula_is_answered_the_same_whatever_was_asked_before() -> None:
    alone = {formula: answers(parse(TEXT), formula) for formula in FORMULAS}
    for order in permutations(FORMULAS):
        model = parse(TEXT)
        assert {formula: answers(model, formula) for formula in order} == alone


@pytest.mark.parametrize("engine", ["native", "reference"])
def test_formulas_asked_together_are_answered_as_alone(engine: Engine) -> None:
    alone = [answer for formula in FORMULAS for answer in answers(parse(TEXT), formula, engine=engine)]
    assert answers(parse(TEXT), *FORMULAS, engine=engine) == alone


@pytest.mark.parametrize("formula", FORMULAS)
def test_the_tree_is_the_same_before_and_after(formula: str) -> None:
    model = parse(TEXT)
    before = snapshot(model.tree, {})
    answers(model, formula)
    assert snapshot(model.tree, {}) == before


@pytest.mark.parametrize("formula", FORMULAS)
def test_another_program_is_built_only_for_what_the_own_one_cannot_tell(formula: str) -> None:
    model = parse(TEXT)
    needs = needs_of(model, formula)
    assert (program_for(model.program, needs) is model.program) == (formula not in DEMANDING)
    better = program_for(model.program, needs)
    assert program_for(better, needs) is better


def test_a_formula_of_the_text_counts_for_the_whole_model() -> None:
    """As SPIN counts: the states of a model with such a formula tell what it asks for."""
    model = parse(TEXT + "ltl who { [] (_last < 9) } ltl where { [] !A@again }")
    assert model.program.uses_last
    assert answers(model)[0][1] > answers(parse(TEXT))[0][1]
