"""The machine of a worker of PNDFS in Viper, which is proved, takes the steps of the one in Python."""

from collections.abc import Generator
from functools import partial
from typing import Any

import pytest
from oracles.search.proved import random_graph
from oracles.search.viper_machines import ANSWERED, COMPLETED, Making, compare_steps
from oracles.viper_methods import functions_of
from proofs.machines import SharingRed

from everafter.search.parallel.stepwise import Request

VARIANTS = [partial(SharingRed, early=early, redden=redden) for early in (False, True) for redden in (False, True)]


def compare_all(making: Making, change: tuple[str, str] = ("", "")) -> list[int]:
    """What the workers of teams of one, two and three come to."""
    return [
        outcome
        for seed in range(200)
        for outcome in compare_steps(random_graph(seed), making, 1 + seed % 3, seed, change)
    ]


@pytest.mark.parametrize("making", VARIANTS)
def test_machines_in_viper_and_in_python_are_one(making: Making) -> None:
    outcomes = compare_all(making)
    assert all(outcomes.count(outcome) > 40 for outcome in (COMPLETED, ANSWERED))


class Hasty(SharingRed):
    def step_look(self, s: int) -> Generator[Request, Any, None]:
        yield ("count", s)
        self.phase += 1


class Unnoted(SharingRed):
    def step_back(self) -> Generator[Request, Any, None]:
        yield from super().step_back()
        self.mixed.clear()


@pytest.mark.parametrize("machine", [Hasty, Unnoted])
def test_a_changed_machine_in_python_is_noticed(machine: type[SharingRed]) -> None:
    with pytest.raises(AssertionError):
        compare_all(partial(machine, redden=True))


@pytest.mark.parametrize(
    "change",
    [
        ("  if (g.its_count[s] == 0) {", "  if (g.its_count[s] >= 0) {"),
        ("!redden || !is_red)", "!redden)"),
        ("if (t in g.its_pink[w] || t in g.its_red) {", "if (t in g.its_pink[w]) {"),
        ("cursor2 := cursor[|stack| - 1 := top(cursor) + 1]\n", "cursor2 := cursor[|stack| - 1 := top(cursor) + 2]\n"),
        ("  g.its_count := g.its_count[s := g.its_count[s] - 1]", "  g.its_count := g.its_count[s := 0]"),
    ],
)
def test_a_changed_machine_in_viper_is_noticed(change: tuple[str, str]) -> None:
    with pytest.raises((AssertionError, IndexError)):
        compare_all(partial(SharingRed, redden=True), change)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(AssertionError):
        list(functions_of("method f(g: Ref)\n{\n  label here\n}\n"))
