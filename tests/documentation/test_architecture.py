"""docs/architecture.md draws the chain of imports that import-linter checks: every package, in the same order."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LAYERS: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0][
    "layers"
]
OUTSIDE = {"__main__", "pytest_plugin", "notebook"}
"""Modules that start a process; the chain begins below them."""


def listed() -> dict[str, int]:
    """Return for each name in the contract, as `page/live`, the number of its layer, from above."""
    found = {
        name.replace(".", "/"): number
        for number, layer in enumerate(LAYERS)
        for name in re.findall(r"everafter\.([\w.]+)", layer)
    }
    return {name: number for name, number in found.items() if name not in OUTSIDE}


def drawn() -> list[set[str]]:
    """Return the layers of the chain on the page, from above to below."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    [chain] = re.findall(r"^cli ►.*?(?=```)", text, re.DOTALL | re.MULTILINE)
    return [set(re.findall(r"[\w/]+", layer)) for layer in chain.split("►")]


def test_the_chain_has_every_package_and_every_module_beside_them() -> None:
    assert {name.split("/")[0] for layer in drawn() for name in layer} == {name.split("/")[0] for name in listed()}


def test_the_chain_has_the_order_of_the_contract() -> None:
    names = set().union(*drawn())
    for above, below in itertools.pairwise(drawn()):
        for upper, lower in itertools.product(above, below):
            assert place(upper, names) < place(lower, names), (upper, lower)


def place(name: str, names: set[str]) -> int:
    """Return the layer of `name`: the highest of its parts that `names` does not have by themselves."""
    parts = {part: number for part, number in listed().items() if f"{part}/".startswith(f"{name}/")}
    return min(number for part, number in parts.items() if part == name or part not in names)
