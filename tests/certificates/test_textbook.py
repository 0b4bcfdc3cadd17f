"""The textbook automaton is the one of proofs/ltl/automaton.v, and accepts what the formula means."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from oracles.ltl.random_formulas import random_formula
from tests.ltl.strategies import formulas, lassos

from everafter.certificates.automaton.textbook import Demand, Naive, kernel_of, parts_of
from everafter.ltl import (
    TRUE,
    And,
    Atom,
    Automaton,
    Edge,
    Formula,
    Lasso,
    Next,
    Not,
    Until,
    accepts,
    holds,
    parse,
    text_of,
)
from everafter.ltl.functions import TooLargeError
from everafter.ltl.truth_tables import functions_of

ANYTHING = Demand(0, 0)
FEW = 64
"""So many guesses a test compares with all sets of parts."""


@given(formulas, lassos)
def test_the_kernel_means_the_same(formula: Formula, word: Lasso) -> None:
    assert holds(kernel_of(formula), word) == holds(formula, word)


# The definitions of the proof, clause by clause


def consistent_about(guess: frozenset[Formula], part: Formula) -> bool:
    match part:
        case Not(f):
            return (part in guess) == (f not in guess)
        case And((f, g)):
            return (part in guess) == (f in guess and g in guess)
        case Until(f, g):
            return (g in guess or f in guess) if part in guess else g not in guess
        case Atom() | Next():
            return True
        case _:
            assert part is TRUE
            return part in guess


def right_about(guess: frozenset[Formula], letter: frozenset[str], after: frozenset[Formula], part: Formula) -> bool:
    match part:
        case Atom(text):
            return (part in guess) == (text in letter)
        case Not(f):
            return (part in guess) == (f not in guess)
        case And((f, g)):
            return (part in guess) == (f in guess and g in guess)
        case Next(f):
            return (part in guess) == (f in after)
        case Until(f, g):
            return (part in guess) == (g in guess or (f in guess and part in after))
        case _:
            assert part is TRUE
            return part in guess


def as_set(naive: Naive, guess: int) -> frozenset[Formula]:
    return frozenset(part for index, part in enumerate(naive.parts) if guess >> index & 1)


def kernels() -> list[Formula]:
    """Formulas with few enough parts to go through all sets of them."""
    found = [kernel_of(parse(text)) for text in ("p U q", "X p && !X X p", "[] <> p", "X (p U q) && !(p U q)", "true")]
    for seed in range(200):
        kernel = kernel_of(random_formula(random.Random(seed), 1 + seed % 4, ("p", "q")))
        if len(parts_of(kernel)) <= 9:
            found.append(kernel)
    return found


@pytest.mark.parametrize("kernel", kernels(), ids=text_of)
def test_guesses_and_steps_are_those_of_the_proof(kernel: Formula) -> None:
    naive = Naive(kernel, 1000)
    parts = naive.parts
    sets = [frozenset(some) for count in range(len(parts) + 1) for some in combinations(parts, count)]
    elementary = {some for some in sets if all(consistent_about(some, part) for part in parts)}
    guesses = {guess: as_set(naive, guess) for guess in naive.meeting(ANYTHING)}
    assert set(guesses.values()) == elementary
    assert len(guesses) == len(elementary)
    assert {guesses[guess] for guess in naive.first()} == {some for some in elementary if kernel in some}
    for guess, believed in guesses.items():
        letter = naive.letter(guess)
        assert letter == {part.text for part in believed if isinstance(part, Atom)}
        steps = {some for some in elementary if all(right_about(believed, letter, some, part) for part in parts)}
        assert {guesses[other] for other in naive.followers(guess)} == steps
        for number, promise in enumerate(naive.promises):
            assert naive.keeps(guess, number) == (promise not in believed or promise.right in believed)


def test_what_is_asked_of_a_guess_is_all_that_is_asked() -> None:
    """Guesses that meet a demand are found in another way than by going through all."""
    chance = random.Random(1)
    for kernel in kernels():
        naive = Naive(kernel, 1000)
        everything = (1 << len(naive.parts)) - 1
        for _ in range(5):
            demand = Demand(*(chance.randint(0, everything) & chance.randint(0, everything) for _ in range(2)))
            wanted = [
                guess
                for guess in naive.meeting(ANYTHING)
                if guess & demand.believed == demand.believed and not guess & demand.doubted
            ]
            assert sorted(naive.meeting(demand)) == sorted(wanted)


def test_promises_go_round_and_none_is_always_kept() -> None:
    naive = Naive(kernel_of(parse("<> p && <> q")), 1000)
    assert len(naive.promises) == 2
    assert all(naive.keeps(guess, 5) == naive.keeps(guess, 1) for guess in naive.meeting(ANYTHING))
    without = Naive(kernel_of(parse("X p")), 1000)
    assert all(without.keeps(guess, 3) for guess in without.meeting(ANYTHING))


def as_automaton(naive: Naive) -> Automaton:
    """The textbook automaton with marks on edges, and one first state."""
    names = tuple(sorted(naive.propositions))
    functions = functions_of(len(names))
    guesses = naive.meeting(ANYTHING)
    numbers = {guess: number for number, guess in enumerate(guesses, 1)}

    def edges(guess: int) -> list[Edge]:
        letter = naive.letter(guess)
        positive = sum(1 << index for index, name in enumerate(names) if name in letter)
        label = functions.of_cube(positive, ~positive & ((1 << len(names)) - 1))
        marks = sum(1 << promise for promise in range(len(naive.promises)) if naive.keeps(guess, promise))
        return [Edge(label, marks, numbers[other]) for other in naive.followers(guess)]

    first = [edge for guess in naive.first() for edge in edges(guess)]
    outgoing = (tuple(first), *(tuple(edges(guess)) for guess in guesses))
    return Automaton(names, functions, 0, outgoing, len(naive.promises))


@given(formulas, lassos)
def test_the_words_accepted_are_those_that_satisfy_the_formula(formula: Formula, word: Lasso) -> None:
    try:
        automaton = as_automaton(Naive(kernel_of(formula), FEW))
    except TooLargeError:
        return
    assert accepts(automaton, word) == holds(formula, word)


def test_a_formula_with_too_many_guesses_is_given_up() -> None:
    formula = parse(" && ".join(f"[] <> p{index}" for index in range(12)))
    with pytest.raises(TooLargeError):
        Naive(kernel_of(formula), 1000).first()


def test_only_kernels_are_guessed() -> None:
    with pytest.raises(ValueError, match="kernel"):
        Naive(parse("[] p"), 1000).first()
