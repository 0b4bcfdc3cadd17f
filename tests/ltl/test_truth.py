"""The linear evaluation says of every part, at every position, what the definition says."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from oracles.ltl.random_formulas import all_lassos, random_formula, random_lasso
from tests.ltl.strategies import formulas, lassos

from everafter.ltl import Formula, Lasso, holds, parse, text_of
from everafter.ltl.formula import subformulas
from everafter.ltl.truth import is_true, truth

module = importlib.import_module("everafter.ltl.truth")


@settings(max_examples=300, deadline=None)
@given(formulas, lassos)
def test_every_part_everywhere(formula: Formula, lasso: Lasso) -> None:
    values = truth(formula, lasso)
    assert list(values) == list(subformulas(formula))
    for part, along in values.items():
        assert along == [holds(part, lasso, position) for position in range(len(lasso.letters))]
    assert is_true(formula, lasso) == holds(formula, lasso)


OPERATORS = ("X p", "F p", "G p", "p U q", "p W q", "p R q", "p M q", "G F p", "F G p", "G (p -> F q)", "p U (q R p)")


@pytest.mark.parametrize("text", OPERATORS)
def test_every_operator_on_all_short_lassos(text: str) -> None:
    formula = parse(text)
    for lasso in all_lassos(("p", "q"), 3):
        assert is_true(formula, lasso) == holds(formula, lasso)


def disagreement(tries: int) -> str | None:
    """A formula and a word on which the linear evaluation and the definition differ."""
    for seed in range(tries):
        rng = random.Random(seed)
        formula, word = random_formula(rng, rng.randint(1, 6), ("p", "q")), random_lasso(rng, ("p", "q"))
        if is_true(formula, word) != holds(formula, word):
            return f"{text_of(formula)} on {word}"
    return None


def test_without_a_mistake_there_is_no_disagreement() -> None:
    assert disagreement(3000) is None


def least_always(self: Any, now: Iterable[bool], on: Iterable[bool], at_last: bool) -> list[bool]:
    return honest(self, now, on, False)


def greatest_always(self: Any, now: Iterable[bool], on: Iterable[bool], at_last: bool) -> list[bool]:
    return honest(self, now, on, True)


def one_pass(self: Any, now: Iterable[bool], on: Iterable[bool], at_last: bool) -> list[bool]:
    """As if the word ended behind the cycle."""
    values, behind = [], at_last
    for is_now, goes_on in reversed(list(zip(now, on, strict=True))):
        behind = is_now or (goes_on and behind)
        values.append(behind)
    return values[::-1]


def around_everything(self: Any, now: Iterable[bool], on: Iterable[bool], at_last: bool) -> list[bool]:
    """As if the last position led back to the first."""
    self.loop, loop = 0, self.loop
    try:
        return honest(self, now, on, at_last)
    finally:
        self.loop = loop


honest: Callable[..., list[bool]] = module._Evaluation.unfolded


@pytest.mark.parametrize("mistake", [least_always, greatest_always, one_pass, around_everything])
def test_mistakes_are_seen(mistake: Callable[..., list[bool]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._Evaluation, "unfolded", mistake)
    assert disagreement(3000) is not None


class Counted(frozenset[str]):
    """A letter that counts how often it is looked at."""

    looks = 0

    def __contains__(self, item: object) -> bool:
        Counted.looks += 1
        return super().__contains__(item)


def test_the_effort_is_linear() -> None:
    """Each letter is looked at once for each proposition, also where operators are nested."""
    formula = parse("G (p -> F (q && (p U (q W p))))")
    for prefix, cycle in product((1, 500), repeat=2):
        Counted.looks = 0
        truth(formula, Lasso((Counted(),) * prefix, (Counted("q"),) * cycle))
        assert Counted.looks == 2 * (prefix + cycle)


def test_a_long_word_is_no_deep_recursion() -> None:
    nothing: frozenset[str] = frozenset()
    word = Lasso((nothing,) * 100_000, (*(nothing,) * 99_999, frozenset({"p"})))
    assert is_true(parse("G F p"), word)
    assert not is_true(parse("F G p"), word)
