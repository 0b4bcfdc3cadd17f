"""Workers that look for a target access what they share as the proved machine does, whatever they read."""

import random
from collections.abc import Callable, Generator
from typing import Any

import pytest
from oracles.search.proved import Graph, random_graph
from proofs import searching_for_target as proved
from proofs.searching_for_target import SearchingForTarget

from everafter.search import ExplicitGraph
from everafter.search.parallel import table
from everafter.search.parallel.stepwise import PRIVATE, Request, perform, stepwise
from everafter.search.parallel.table import WorkerSpace, worker_spaces
from everafter.search.parallel.unordered import search_unordered_shared
from everafter.search.space import ANSWERED, COMPLETED, STOPPED, TARGET

Machines = type[SearchingForTarget]


class Pair:
    """A worker, and its machine, which is sent whatever the worker reads."""

    def __init__(self, space: WorkerSpace[int], machines: Machines) -> None:
        self.space = space
        self.machine = machines(list(space.initial), lambda node: bool(space.colour[node] & TARGET))
        self.steps: Generator[Request, Any, int] = stepwise(search_unordered_shared)(space)
        self.proved: Generator[Request, Any, None] = self.machine.run()
        self.wants = next(self.proved, None)
        self.outcome: int | None = None
        self.is_told = False
        self.request: Request | None = next(self.steps)

    def move(self) -> None:
        """Let the worker do what it asks for."""
        assert self.request is not None
        name = self.request[0]
        answer = perform(self.space, self.request)
        if name == "abort":
            self.is_told = self.is_told or bool(answer)
        elif not self.is_told:
            self.compare(name, answer)
        try:
            self.request = self.steps.send(answer)
        except StopIteration as end:
            self.request = None
            self.outcome = end.value

    def compare(self, name: str, answer: object) -> None:
        """The machine is about to do the same, and is sent the same."""
        assert self.request is not None
        if name == "expand":
            node, depth = self.request[1:]
            assert self.wants == (name, node)
            answer = list(self.space.pending[self.space.cursor[depth] : self.space.limit[depth]])
        else:
            assert self.wants == self.request
        try:
            self.wants = self.proved.send(answer)
        except StopIteration:
            self.wants = None

    def check_end(self) -> None:
        """The worker has come to what its machine has, unless it was told to stop."""
        if not self.is_told:
            assert self.wants is None
            assert self.outcome == (ANSWERED if self.machine.stage == proved.ANSWERED else COMPLETED)
        if self.outcome == ANSWERED:
            assert self.space.found[1] == self.machine.found


def compare_team(graph: Graph, workers: int, seed: int, machines: Machines) -> list[int | None]:
    """Let a team search the graph, beside its machines, in turns drawn from the seed; what each worker comes to."""
    draw = random.Random(seed)
    active = pairs = [Pair(space, machines) for space in worker_spaces(graph, workers, (), seed)]
    while active:
        pair = draw.choice(active)
        for _ in range(draw.choice((1, 2, 5))):
            while pair.request is not None:
                private = pair.request[0] in PRIVATE
                pair.move()
                if not private:
                    break
        active = [pair for pair in active if pair.request is not None]
    for pair in pairs:
        pair.check_end()
    return [pair.outcome for pair in pairs]


def wide_graph(seed: int) -> Graph:
    """A graph with more states than are expanded together, few of them targets."""
    draw = random.Random(seed)
    edges = {s: draw.choices(range(90), k=draw.choice((0, 2, 4, 8))) for s in range(90)}
    return ExplicitGraph(edges, [0, 1, 2, 3], draw.sample(range(90), seed % 3))


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Callable[[Machines], list[int | None]]:
    """Compare teams of one, two and three, in whose stores accepting states are targets: what their workers come to."""
    monkeypatch.setattr(table, "ACCEPTING", TARGET)
    graphs = [random_graph(seed) for seed in range(400)] + [wide_graph(seed) for seed in range(30)]
    return lambda machines: [
        outcome for seed, graph in enumerate(graphs) for outcome in compare_team(graph, 1 + seed % 3, seed, machines)
    ]


def test_accesses_are_those_of_the_proof(compare: Callable[[Machines], list[int | None]]) -> None:
    outcomes = compare(SearchingForTarget)
    assert all(outcomes.count(outcome) > 100 for outcome in (COMPLETED, ANSWERED))
    assert STOPPED in outcomes


class Unread(SearchingForTarget):
    def step_look(self) -> Generator[Request, Any, None]:
        self.stage = proved.CLAIMS
        yield from ()


class OneByOne(SearchingForTarget):
    def step_expand(self) -> Generator[Request, Any, None]:
        self.batch = self.owed[-1:]
        self.rest += yield ("expand", self.batch[0])


class Untold(SearchingForTarget):
    def step(self) -> Generator[Request, Any, None]:
        if self.stage == proved.TELLS:
            self.stage = proved.ANSWERED
        else:
            yield from super().step()


@pytest.mark.parametrize("machines", [Unread, OneByOne, Untold])
def test_a_difference_is_noticed(machines: Machines, compare: Callable[[Machines], list[int | None]]) -> None:
    with pytest.raises(AssertionError):
        compare(machines)
