"""Automata of formulas are justified; wrong ones are not, whatever reason is claimed for them."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from oracles.ltl.random_formulas import all_lassos, random_formula
from oracles.ltl.translators import SIZES

from everafter.certificates.automaton.fair_simulation import guesses_met, reason_for
from everafter.certificates.automaton.inclusion import GIVEN_UP, Reason, is_reason
from everafter.certificates.automaton.justification import Justified, Refuted, Unjustified, justify
from everafter.certificates.automaton.textbook import Naive, kernel_of
from everafter.ltl import Automaton, Formula, Not, accepts, atoms, holds, parse, text_of, to_buchi

PATTERNS = ("[] p", "<> p", "[] <> p", "<> [] p", "[] (p -> <> q)", "p U q", "[] (p -> (!q U r))", "p W X q")
"""What must hold; the automata are of the negations."""

FEW = 300
"""Textbook automata with more guesses take too long for a test."""


@cache
def formulas_of_sizes() -> dict[str, Formula]:
    with SIZES.open() as file:
        return {line["name"]: parse(line["formula"], glued=True) for line in csv.DictReader(file)}


@pytest.mark.parametrize("text", PATTERNS)
def test_the_automaton_of_a_negated_pattern_is_justified(text: str) -> None:
    formula = Not(parse(text))
    found = justify(formula, to_buchi(formula))
    assert isinstance(found, Justified)
    assert found.pairs > 0


@pytest.mark.parametrize("name", formulas_of_sizes())
def test_the_automata_of_classic_formulas_are_justified(name: str) -> None:
    """Of the formula and of its negation, unless the textbook automaton is too large for a test."""
    for formula in (formulas_of_sizes()[name], Not(formulas_of_sizes()[name])):
        found = justify(formula, to_buchi(formula), most=FEW)
        assert isinstance(found, Justified) or (isinstance(found, Unjustified) and "more than" in found.why)


def test_the_automata_of_most_formulas_are_justified() -> None:
    left = []
    for seed in range(200):
        formula = random_formula(random.Random(seed), 1 + seed % 8)
        found = justify(formula, to_buchi(formula), most=FEW)
        assert not isinstance(found, Refuted), text_of(formula)
        if isinstance(found, Unjustified) and "more than" not in found.why:
            left.append(text_of(formula))
    assert len(left) <= 2, left


def missed(formula: Formula, automaton: Automaton, longest: int = 4) -> bool:
    """Whether some short word satisfies the formula and is not accepted."""
    words = all_lassos(atoms(formula), longest)
    return any(holds(formula, word) and not accepts(automaton, word) for word in words)


# Planted mistakes


def without_edges(automaton: Automaton) -> Iterator[Automaton]:
    for state, edges in enumerate(automaton.outgoing):
        for index in range(len(edges)):
            outgoing = list(automaton.outgoing)
            outgoing[state] = edges[:index] + edges[index + 1 :]
            yield automaton.with_edges(outgoing)


def not_accepting(automaton: Automaton) -> Iterator[Automaton]:
    for state in automaton.accepting_states:
        outgoing = list(automaton.outgoing)
        outgoing[state] = tuple(edge._replace(marks=0) for edge in outgoing[state])
        yield automaton.with_edges(outgoing)


def with_narrow_labels(automaton: Automaton) -> Iterator[Automaton]:
    for state, edges in enumerate(automaton.outgoing):
        for index, edge in enumerate(edges):
            for name in range(len(automaton.propositions)):
                label = automaton.functions.conjoin(edge.label, automaton.functions.variable(name))
                outgoing = list(automaton.outgoing)
                outgoing[state] = (*edges[:index], edge._replace(label=label), *edges[index + 1 :])
                yield automaton.with_edges(outgoing)


def begun_elsewhere(automaton: Automaton) -> Iterator[Automaton]:
    for state in automaton.states:
        yield automaton.with_edges(automaton.outgoing, initial=state)


MISTAKES: dict[str, Callable[[Automaton], Iterator[Automaton]]] = {
    "an edge removed": without_edges,
    "an accepting state not marked": not_accepting,
    "a label narrowed": with_narrow_labels,
    "begun elsewhere": begun_elsewhere,
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_automaton_is_refuted(mistake: str) -> None:
    wrong = 0
    for text in PATTERNS[:-2]:
        formula = Not(parse(text))
        right = to_buchi(formula)
        naive = Naive(kernel_of(formula), 1000)
        reason = reason_for(naive, right, 1000)
        assert reason is not None
        for automaton in MISTAKES[mistake](right):
            if missed(formula, automaton):
                wrong += 1
                assert isinstance(justify(formula, automaton), Refuted), text
                assert not is_reason(reason, naive, automaton), text
            else:
                assert not isinstance(justify(formula, automaton), Refuted), text
    assert wrong >= 2


@pytest.mark.parametrize("text", PATTERNS)
def test_a_formula_that_was_not_negated_is_refuted(text: str) -> None:
    formula = parse(text)
    assert isinstance(justify(Not(formula), to_buchi(formula)), Refuted)


# Forged reasons


def forgeries(reason: Reason, chance: random.Random) -> Iterator[Reason]:
    """Reasons with ranks that are all equal, all different, or any."""
    yield dict.fromkeys(reason, 0)
    yield {pair: rank for rank, pair in enumerate(reason)}
    for _ in range(20):
        yield {pair: chance.randrange(5) for pair in reason}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_no_reason_is_accepted_for_a_wrong_automaton(mistake: str) -> None:
    chance = random.Random(1)
    for text in PATTERNS[:-2]:
        formula = Not(parse(text))
        right = to_buchi(formula)
        naive = Naive(kernel_of(formula), 1000)
        everything = {(guess, state): 0 for guess in guesses_met(naive, 1000) for state in (*right.states, GIVEN_UP)}
        for automaton in MISTAKES[mistake](right):
            if missed(formula, automaton):
                assert not any(is_reason(each, naive, automaton) for each in forgeries(everything, chance))


@pytest.mark.parametrize("text", PATTERNS)
def test_a_reason_is_whole(text: str) -> None:
    """No first guess may be left out, and where ranks are needed they cannot be equal."""
    formula = Not(parse(text))
    automaton = to_buchi(formula)
    naive = Naive(kernel_of(formula), 1000)
    reason = reason_for(naive, automaton, 1000)
    assert reason is not None
    assert is_reason(reason, naive, automaton)
    for guess in naive.first():
        assert not is_reason({pair: rank for pair, rank in reason.items() if pair[0] != guess}, naive, automaton)
    assert not is_reason({}, naive, automaton)
    assert not is_reason({pair: rank - 1000 for pair, rank in reason.items()}, naive, automaton)


def test_giving_up_is_no_answer() -> None:
    formula = parse("[] <> p")
    naive = Naive(kernel_of(formula), 1000)
    for reason in forgeries({(guess, GIVEN_UP): 0 for guess in guesses_met(naive, 1000)}, random.Random(1)):
        assert not is_reason(reason, naive, to_buchi(formula))


def test_an_automaton_of_other_propositions_is_not_justified() -> None:
    automaton = to_buchi(parse("<> q"))
    assert isinstance(justify(parse("<> p"), automaton), Unjustified)
    assert not is_reason({}, Naive(kernel_of(parse("<> p")), 1000), automaton)


def test_what_is_too_large_is_told() -> None:
    formula = parse(" && ".join(f"<> p{index}" for index in range(4)))
    found = justify(formula, to_buchi(formula), most=10)
    assert isinstance(found, Unjustified)
    assert "more than 10 states" in found.why
