"""Our automata against those of SPIN and LBT: the same words, decided by products with the negations."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from oracles.ltl.random_formulas import random_formula, random_lasso
from oracles.ltl.translators import by_lbt, by_spin

from everafter.ltl import (
    Automaton,
    Formula,
    Next,
    Not,
    accepts,
    disjoint,
    holds,
    text_of,
    to_buchi,
    to_never,
    translate,
)
from everafter.ltl.formula import Equivalent, Implies, Release, Until, WeakUntil, subformulas

NAMES = ("p0", "p1", "p2")
WANTED = 300
PLAIN = (Until, Release, WeakUntil, Implies, Equivalent)


def disagreement(formula: Formula, theirs: Automaton, theirs_negated: Automaton, rng: random.Random) -> str | None:
    """Where two translators differ: no word of one side may be in the other side's negation."""
    if not disjoint(theirs, translate(Not(formula))):
        return "theirs accepts a word that violates the formula, says ours"
    if not disjoint(theirs_negated, to_buchi(formula)):
        return "ours accepts a word that violates the formula, says theirs"
    if not disjoint(theirs, theirs_negated):
        return "theirs contradicts itself"
    words = [random_lasso(rng, NAMES) for _ in range(5)]
    if any(accepts(theirs, word) != holds(formula, word) for word in words):
        return "theirs contradicts the meaning"
    return None


def compare(oracle: Callable[[Formula], Automaton | None], usable: Callable[[Formula], bool]) -> None:
    rng = random.Random(2024)
    compared = 0
    while compared < WANTED:
        formula = random_formula(rng, rng.randint(1, 6), NAMES, PLAIN)
        if not usable(formula):
            continue
        theirs, negated = oracle(formula), oracle(Not(formula))
        if theirs is not None and negated is not None:
            assert disagreement(formula, theirs, negated, rng) is None, formula
            compared += 1


@pytest.mark.spin
def test_spin_agrees() -> None:
    compare(by_spin, lambda formula: not any(isinstance(part, Next) for part in subformulas(formula)))


@pytest.mark.spin
def test_lbt_agrees() -> None:
    compare(by_lbt, lambda formula: True)


@pytest.mark.spin
def test_spin_reads_our_claims(tmp_path: Path) -> None:
    rng = random.Random(5)
    model = "bool p0, p1, p2;\nactive proctype P() { do :: p0 = !p0 :: p1 = !p1 :: p2 = !p2 od }\n"
    for _ in range(40):
        formula = random_formula(rng, rng.randint(1, 7), NAMES)
        (tmp_path / "model.pml").write_text(model + to_never(to_buchi(formula), text_of(formula, "spin")))
        done = subprocess.run(
            ["spin", "-a", "model.pml"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stdout
        assert "rror" not in done.stdout


def test_a_wrong_automaton_would_be_noticed() -> None:
    rng = random.Random(1)
    formula, other = random_formula(rng, 4, NAMES), random_formula(rng, 5, NAMES)
    assert disagreement(formula, translate(formula), translate(Not(formula)), rng) is None
    assert disagreement(formula, translate(other), translate(Not(formula)), rng) is not None
    assert disagreement(formula, translate(formula), translate(Not(other)), rng) is not None
