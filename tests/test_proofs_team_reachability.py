"""Workers that look for a target depth-first access what they share as the proved machine does, whatever they read."""

import random
from collections.abc import Callable, Generator
from itertools import pairwise
from typing import Any

import pytest
from oracles.search.machines import Beside, Kernel, Marked, take_turns
from oracles.search.proved import Graph, random_graph
from proofs import searching_in_depth as proved
from proofs.searching_in_depth import SearchingInDepth

from everafter.search.parallel import table
from everafter.search.parallel.framework import forest_shared, go_on
from everafter.search.parallel.reachability import DEPTH_FIRST_SHARED, search_target_shared
from everafter.search.parallel.space import SharedStore
from everafter.search.parallel.stepwise import Request
from everafter.search.parallel.table import WorkerSpace, worker_spaces
from everafter.search.space import ANSWERED, COMPLETED, DISCOVERED, STOPPED, TARGET

Machines = type[SearchingInDepth]
ENDS = {ANSWERED: proved.ANSWERED, COMPLETED: proved.COMPLETED}


class Pair(Beside):
    """A worker, and its machine."""

    def __init__(self, space: WorkerSpace[int], machines: Machines, kernel: Kernel) -> None:
        self.machine = machines(list(space.initial), Marked(space, TARGET))
        super().__init__(space, self.machine, kernel)

    def check_end(self, graph: Graph) -> None:
        """The worker has come to what its machine has, unless it was told to stop; an answer is a path to a target."""
        if self.outcome in ENDS:
            if self.wants is not None:
                assert self.wants == ("raise_abort",)
                self._tell(None)
            assert (self.wants, self.machine.stage) == (None, ENDS[self.outcome])
        if self.outcome == ANSWERED:
            path = self.space.named([*self.machine.path.stack, self.machine.found])
            assert self.space.found_path() == path
            assert path[0] in graph.initial()
            assert all(after in graph.successors(before) for before, after in pairwise(path))
            assert graph.is_accepting(path[-1])


def compare_team(graph: Graph, workers: int, seed: int, machines: Machines, kernel: Kernel) -> list[int | None]:
    """Let a team search the graph, beside its machines, in turns drawn from the seed; what each worker comes to."""
    pairs = [Pair(space, machines, kernel) for space in worker_spaces(graph, workers, (), seed)]
    take_turns(pairs, random.Random(seed))
    for pair in pairs:
        pair.check_end(graph)
    return [pair.outcome for pair in pairs]


Compare = Callable[..., list[int | None]]


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Compare:
    """Compare teams of one, two and three, in whose stores accepting states are targets: what their workers come to."""
    monkeypatch.setattr(table, "ACCEPTING", TARGET)

    def compare(machines: Machines = SearchingInDepth, kernel: Kernel = search_target_shared) -> list[int | None]:
        return [
            outcome
            for seed in range(600)
            for outcome in compare_team(random_graph(seed), 1 + seed % 3, seed, machines, kernel)
        ]

    return compare


def test_accesses_are_those_of_the_proof(compare: Compare) -> None:
    outcomes = compare()
    assert all(outcomes.count(outcome) > 100 for outcome in (COMPLETED, ANSWERED))
    assert STOPPED in outcomes


class DiscoveredWhenEntered(SearchingInDepth):
    def enter(self, node: int) -> Generator[Request, Any, None]:
        yield ("colour_shared", node, DISCOVERED)
        yield from super().enter(node)


class OwnForgotten(SearchingInDepth):
    def step_leave(self) -> Generator[Request, Any, None]:
        self.own.discard(self.path.stack[-1])
        yield from super().step_leave()


class InitialTargetUnseen(SearchingInDepth):
    def step_begin(self) -> None:
        self.stage = proved.WORKS


@pytest.mark.parametrize("machines", [DiscoveredWhenEntered, OwnForgotten, InitialTargetUnseen])
def test_a_changed_machine_is_noticed(machines: Machines, compare: Compare) -> None:
    with pytest.raises(AssertionError):
        compare(machines=machines)


UNRESTRICTED = DEPTH_FIRST_SHARED._replace(restricted=TARGET)
UNLEFT = DEPTH_FIRST_SHARED._replace(post=go_on)


def search_unrestricted(space: SharedStore) -> int:
    return forest_shared(space, UNRESTRICTED)


def search_unleft(space: SharedStore) -> int:
    return forest_shared(space, UNLEFT)


@pytest.mark.parametrize("kernel", [search_unrestricted, search_unleft])
def test_a_changed_kernel_is_noticed(kernel: Kernel, compare: Compare) -> None:
    with pytest.raises(AssertionError):
        compare(kernel=kernel)
