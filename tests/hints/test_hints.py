"""What is said beside a verdict, compared on random programs with its definition: a share of `campaigns.hints`."""

from collections import Counter

import pytest
from oracles.asking import Engine
from oracles.hints.comparisons import COMPARISONS

from everafter.source import InputError

SHARES = [
    ("coverage", "reference", 20, 20),
    ("coverage", "native", 2, 4),
    ("formulas", "reference", 12, 25),
    ("formulas", "native", 1, 1),
    ("waits", "reference", 40, 40),
    ("warnings", "reference", 8, 60),
    ("figures", "reference", 30, 50),
    ("figures", "native", 3, 5),
    ("sweeps", "reference", 3, 40),
]


@pytest.mark.parametrize(("name", "engine", "seeds", "least"), SHARES)
def test_it_is_what_its_definition_says(name: str, engine: Engine, seeds: int, least: int) -> None:
    compared: Counter[str] = Counter()
    for seed in range(seeds):
        try:
            compared.update(COMPARISONS[name](seed, engine))
        except InputError:
            continue
    assert compared.total() >= least
