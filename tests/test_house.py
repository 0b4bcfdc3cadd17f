"""What `python -m oracles.house` measures stays within the bounds of house.toml, which only become tighter."""

from __future__ import annotations

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest
from oracles import house

BOUNDS: dict[str, float] = tomllib.loads(Path(__file__).with_name("house.toml").read_text())
measured = cache(house.measures)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_measure_is_within_its_bound(name: str) -> None:
    assert measured()[name] <= BOUNDS[name]


def test_every_measure_has_a_bound() -> None:
    assert set(measured()) == set(BOUNDS)


def test_a_docstring_names_parameters_in_backticks() -> None:
    tree = ast.parse('def f(a, *, b):\n    "Return `a` and `b`."\ndef g(a, b):\n    "Return `a`."\ndef _h(a, b): pass')
    assert [house.named(function) for function in house.public_functions(tree)] == [["a"], ["a", "b"]]
