"""What is said beside a verdict, compared on random programs with its definition: a share of `campaigns.hints`."""

from collections import Counter

import pytest
from oracles.asking import Engine
from oracles.hints.comparisons import COMPARISONS

from everafter.source import InputError
from everafter.user_model import parse

SHARES = [
    ("coverage", "reference", 20, 20),
    ("coverage", "native", 2, 4),
    ("formulas", "reference", 12, 25),
    ("formulas", "native", 1, 1),
    ("waits", "reference", 40, 40),
    ("warnings", "reference", 9, 60),
    ("figures", "reference", 30, 50),
    ("figures", "native", 3, 5),
    ("products", "reference", 12, 12),
    ("sweeps", "reference", 3, 40),
]
BRANCHES = """byte x;
active [2] proctype P() { byte i; i = 7; atomic { i = 1; if :: x == 0; i = 3 :: i = 2; i = 4 fi; x = 3 } }
"""
"""Where SPIN counts 20 states and, with that to the first of them, 32 transitions."""


@pytest.mark.parametrize(("name", "engine", "seeds", "least"), SHARES)
def test_it_is_what_its_definition_says(name: str, engine: Engine, seeds: int, least: int) -> None:
    compared: Counter[str] = Counter()
    for seed in range(seeds):
        try:
            compared.update(COMPARISONS[name](seed, engine))
        except InputError:
            continue
    assert compared.total() >= least


@pytest.mark.parametrize("engine", ["reference", "native"])
@pytest.mark.parametrize("algorithm", ["breadth-first", "depth-first", "unordered"])
def test_a_choice_in_an_atomic_sequence_makes_two_transitions(engine: Engine, algorithm: str) -> None:
    """A transition is a way from one state to the next, in every engine, for safety and for a formula."""
    model = parse(BRANCHES)
    safety = model.check(engine=engine, algorithm=algorithm, threads=1, reduction="none")
    assert (safety.verdict, safety.states, safety.transitions) == ("holds", 20, 31)
    formula = model.check("[] (x < 9)", engine=engine, algorithm="tarjan", threads=1, reduction="none")
    assert (formula.verdict, formula.states, formula.transitions) == ("holds", 20, 32)  # the last state stands still


def test_a_search_in_rounds_follows_edges_again() -> None:
    """Where accepting states are left for a round, transitions are more than those of the product."""
    assert list(COMPARISONS["products"](129, "reference"))
