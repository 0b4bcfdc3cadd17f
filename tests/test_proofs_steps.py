"""Workers of a team access what they share as their proved machines do: one after the other, whatever they read."""

from collections.abc import Generator
from functools import partial
from typing import Any

import pytest
from oracles.search.machines import MACHINES, Kernel, Making, compare_team
from oracles.search.proved import random_graph
from proofs.machines import SharingBlue, SharingRed

from everafter.search.parallel.cndfs import CNDFS, CNDFS_RED, await_gathered, redden_gathered
from everafter.search.parallel.framework import depth_first_shared_again, forest_shared
from everafter.search.parallel.pndfs import PNDFS, PNDFS_RED, search_pndfs_all_red, search_pndfs_early_all_red
from everafter.search.parallel.space import SharedStore, colour_shared
from everafter.search.parallel.stepwise import Request
from everafter.search.space import ACCEPTING, ANSWERED, COMPLETED, DISCOVERED, GO_ON, RED, STOPPED


def compare_teams(name: str, machine: Making | None = None, kernel: Kernel | None = None) -> list[int | None]:
    """What the workers of teams of one, two and three come to."""
    return [
        outcome
        for seed in range(600)
        for outcome in compare_team(random_graph(seed), name, 1 + seed % 3, seed, machine, kernel)
    ]


@pytest.mark.parametrize("name", MACHINES)
def test_accesses_are_those_of_the_proof(name: str) -> None:
    outcomes = compare_teams(name)
    assert all(outcomes.count(outcome) > 100 for outcome in (COMPLETED, ANSWERED))
    assert STOPPED in outcomes


class Unawaited(SharingBlue):
    def step_look(self, s: int) -> Generator[Request, Any, None]:
        self.left.remove(s)
        if not self.left:
            self.stage, self.left = 3, list(self.gathered)
        yield from ()


class Unnoted(SharingRed):
    def step_back(self) -> Generator[Request, Any, None]:
        self.blue.add(self.blue_path.pop())
        self.listed.pop()
        self.phase = 0
        yield from ()


@pytest.mark.parametrize(("name", "machine"), [("cndfs", Unawaited), ("pndfs-all-red", partial(Unnoted, redden=True))])
def test_a_changed_machine_is_noticed(name: str, machine: Making) -> None:
    with pytest.raises(AssertionError):
        compare_teams(name, machine=machine)


def leave_without_await(space: SharedStore, depth: int, node: int) -> int:
    """POST of CNDFS without its await."""
    colour_shared(space, node, DISCOVERED)
    if not space.colour[node] & ACCEPTING:
        return GO_ON
    outcome = depth_first_shared_again(space, depth, CNDFS_RED)
    if outcome == GO_ON:
        redden_gathered(space)
    return outcome


def leave_blue_last(space: SharedStore, depth: int, node: int) -> int:
    """POST of CNDFS that tells that the node is blue after the red search."""
    outcome = GO_ON
    if space.colour[node] & ACCEPTING:
        outcome = depth_first_shared_again(space, depth, CNDFS_RED)
        if outcome == GO_ON:
            outcome = await_gathered(space, node)
        if outcome == GO_ON:
            redden_gathered(space)
    colour_shared(space, node, DISCOVERED)
    return outcome


HASTY = CNDFS._replace(post=leave_without_await)
LATE = CNDFS._replace(post=leave_blue_last)
TWICE = CNDFS._replace(restricted=ACCEPTING)


def search_hasty(space: SharedStore) -> int:
    return forest_shared(space, HASTY)


def search_late(space: SharedStore) -> int:
    return forest_shared(space, LATE)


def search_twice(space: SharedStore) -> int:
    """What is blue is entered again, what accepts is not."""
    return forest_shared(space, TWICE)


def leave_uncounted(space: SharedStore, depth: int, node: int) -> int:
    """POST of PNDFS without the count of red searches."""
    if not space.colour[node] & ACCEPTING or space.colour[node] & RED:
        return GO_ON
    return depth_first_shared_again(space, depth, PNDFS_RED)


UNCOUNTED = PNDFS._replace(post=leave_uncounted)


def search_uncounted(space: SharedStore) -> int:
    return forest_shared(space, UNCOUNTED)


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("cndfs", search_hasty),
        ("cndfs", search_late),
        ("cndfs", search_twice),
        ("pndfs", search_uncounted),
        ("pndfs", search_pndfs_all_red),
        ("pndfs-all-red", search_pndfs_early_all_red),
    ],
)
def test_a_changed_kernel_is_noticed(name: str, kernel: Kernel) -> None:
    with pytest.raises(AssertionError):
        compare_teams(name, kernel=kernel)
