"""Choices between sets of obligations against their definition, letter by letter and set by set."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial, reduce

import pytest

from everafter.ltl.diagrams import Diagrams
from everafter.ltl.functions import FALSE, Functions, TooLargeError
from everafter.ltl.terms import AT_ONCE, NEVER, Terms, both, either, later, now, widened
from everafter.ltl.truth_tables import Tables

LETTERS = 2
OBLIGATIONS = 3
CASES = tuple((letter, done) for letter in range(1 << LETTERS) for done in range(1 << OBLIGATIONS))
Meaning = frozenset[tuple[int, int]]
"""The letters and sets of obligations met that satisfy a choice."""


def meaning(functions: Functions, terms: Terms) -> Meaning:
    return frozenset(
        (letter, done)
        for letter, done in CASES
        if any(mask & done == mask and functions.holds(letters, letter) for mask, letters in terms)
    )


def random_terms(functions: Functions, rng: random.Random, depth: int) -> tuple[Terms, Meaning]:
    """A choice, and what it means by its definition, built side by side."""
    if depth == 0:
        number = rng.randrange(LETTERS + OBLIGATIONS)
        if number < OBLIGATIONS:
            return later(1 << number), frozenset(case for case in CASES if case[1] >> number & 1)
        bit, negated = number - OBLIGATIONS, rng.random() < 0.5
        letters = functions.variable(bit)
        return now(~letters if negated else letters), frozenset(c for c in CASES if (c[0] >> bit & 1) != negated)
    one, left = random_terms(functions, rng, depth - 1)
    other, right = random_terms(functions, rng, rng.randrange(depth))
    if rng.random() < 0.5:
        return both(functions, one, other), left & right
    return either(functions, one, other), left | right


@pytest.mark.parametrize("make", [Diagrams, lambda: Tables(LETTERS)], ids=["diagrams", "tables"])
def test_equal_choices_are_written_alike(make: Callable[[], Functions]) -> None:
    functions = make()
    known: dict[Meaning, Terms] = {frozenset(): NEVER, frozenset(CASES): AT_ONCE}
    rng = random.Random(1)
    for _ in range(4000):
        terms, expected = random_terms(functions, rng, rng.randint(0, 6))
        assert meaning(functions, terms) == expected
        assert known.setdefault(expected, terms) == terms
        assert meaning(functions, widened(functions, terms)) == expected
    assert len(known) > 300


def test_wide_terms_are_open_to_all_letters_that_suffice() -> None:
    functions = Tables(1)
    letter = functions.variable(0)
    terms = either(functions, both(functions, now(letter), later(1)), later(3))
    assert terms == ((1, letter), (3, ~letter))
    assert widened(functions, terms) == ((1, letter), (3, letter | ~letter))


def test_no_letter_is_never() -> None:
    assert now(FALSE) == NEVER


def test_too_many_ways_to_go_on_are_given_up() -> None:
    functions = Tables(0)
    choices = [either(functions, later(1 << index), later(2 << index)) for index in range(0, 40, 2)]
    with pytest.raises(TooLargeError):
        reduce(partial(both, functions), choices)
