"""A team that is stopped anywhere, or interrupted to write, and gone on with comes to what it would have come to."""

from __future__ import annotations

import ctypes
import os
import random
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from oracles.engine.teams import TableTeam
from oracles.search.definitions import SmallGraph, random_graph

from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.checkpoint import team_keeper
from everafter.engine.checkpoint.checkpoint_file import CheckpointError
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.team_keeper import TeamKeeper, WaitingNodes
from everafter.engine.run import native_search
from everafter.engine.run.search_outcome import SearchEnding, SearchOutcome
from everafter.engine.run.search_threads import THREAD_NAME

NEVER: Final = 1e9
STORES: Final[tuple[StoreKind, ...]] = ("plain", "tree")
EXPAND: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)


class Interrupter:
    """Lets something happen to the keeper of a team when so many states were expanded."""

    def __init__(self, act: Callable[[TeamKeeper], None]) -> None:
        self.act = act
        self.left = -1
        self.keepers: list[TeamKeeper] = []
        self.calls: list[Any] = []
        self._lock = threading.Lock()

    def of(self, search: TableTeam) -> TableTeam:
        real = EXPAND(search.model[block.EXPAND])

        def expand(row: int, out: int, control: int) -> int:
            if threading.current_thread().name.startswith(THREAD_NAME):
                with self._lock:
                    self.left -= 1
                    if self.left == 0:
                        self.act(self.keepers[-1])
            return int(real(row, out, control))

        self.calls.append(EXPAND(expand))
        search.model[block.EXPAND] = ctypes.cast(self.calls[-1], ctypes.c_void_p).value or 0
        return search


@pytest.fixture
def interrupter(monkeypatch: pytest.MonkeyPatch) -> Interrupter:
    made = Interrupter(lambda keeper: keeper.memory.stop())

    class Watched(TeamKeeper):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            made.keepers.append(self)

    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power fails here, and to wait for the disk takes long
    monkeypatch.setattr(native_search, "TeamKeeper", Watched)
    return made


def graphs(seed: str, count: int, most: int = 400) -> Iterator[SmallGraph]:
    """Graphs with several starts, most of which have nothing to find."""
    rng = random.Random(seed)
    for _ in range(count):
        graph = random_graph(rng, most)
        starts = tuple({*graph.starts, *(rng.randrange(len(graph.targets)) for _ in range(rng.randrange(9)))})
        found = frozenset(graph.accepting) if rng.random() < 0.2 else frozenset()
        yield replace(graph, starts=starts, accepting=found)


def generations(folder: Path, interval: float = NEVER) -> Generations:
    return Generations(folder, "a key", "a search", interval)


def by_parts(
    graph: SmallGraph, workers: int, kind: StoreKind, folder: Path, interrupter: Interrupter, steps: Sequence[int]
) -> tuple[SearchOutcome, int]:
    """What a team comes to that is stopped after so many expansions, and again; and how often it was."""
    rng = random.Random(len(graph.targets))
    for number in range(1000):
        interrupter.left = rng.choice(steps)
        team = interrupter.of(TableTeam(graph, "unordered", workers, kind=kind))
        outcome = team.run(checkpoints=generations(folder))
        if outcome.cut is not None:  # the way to what was found is as long as the search: it is not cut again
            interrupter.left = -1
            outcome = interrupter.of(TableTeam(graph, "unordered", workers, kind=kind)).run()
        if outcome.ending is not SearchEnding.STOPPED_BY_CALLER:
            return outcome, number
    raise AssertionError("the search does not come to an end")


def reached(graph: SmallGraph) -> set[int]:
    known, pending = set(graph.starts), list(graph.starts)
    while pending:
        new = set(graph.targets[pending.pop()]) - known
        known |= new
        pending += new
    return known


def trouble(graph: SmallGraph, outcome: SearchOutcome) -> str:
    """What is wrong with the outcome."""
    known = reached(graph)
    if outcome.ending is SearchEnding.ANSWERED:
        return "" if known & graph.accepting else "something was found that is not there"
    figures, edges = outcome.figures, sum(len(graph.targets[node]) for node in known)
    if outcome.ending is not SearchEnding.COMPLETED or known & graph.accepting:
        return f"it ended as {outcome.ending}"
    if (figures.states, figures.transitions, figures.expansions) != (len(known), edges, len(known)):
        return f"{figures} of {len(known)} states and {edges} transitions"
    return ""


def troubles(
    workers: int, kind: StoreKind, folder: Path, interrupter: Interrupter, count: int = 25
) -> tuple[list[str], int]:
    """What was wrong with searches by parts, and how many parts there were."""
    found, parts = [], 0
    for number, graph in enumerate(graphs(f"{workers} {kind}", count)):
        place = folder / str(number)
        outcome, stops = by_parts(graph, workers, kind, place, interrupter, (1, 2, 3, 9, 60, 150))
        parts += stops
        found += [wrong for wrong in [trouble(graph, outcome)] if wrong]
    return found, parts


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_team_by_parts_is_the_whole_team(
    workers: int, kind: StoreKind, tmp_path: Path, interrupter: Interrupter
) -> None:
    found, parts = troubles(workers, kind, tmp_path, interrupter)
    assert found == []
    assert parts > 25


@pytest.mark.parametrize("kind", STORES)
def test_a_team_that_is_interrupted_to_write_goes_on(kind: StoreKind, tmp_path: Path, interrupter: Interrupter) -> None:
    interrupter.act = lambda keeper: keeper.look()
    written = 0
    for number, graph in enumerate(graphs(kind, 25)):
        interrupter.left = 1 + 7 * number
        folder = tmp_path / str(number)
        team = interrupter.of(TableTeam(graph, "unordered", 2, kind=kind))
        assert trouble(graph, team.run(checkpoints=generations(folder, interval=0))) == ""
        interrupter.left = -1
        if generations(folder).latest() is not None:
            written += 1
            again = interrupter.of(TableTeam(graph, "unordered", 2, kind=kind))
            assert trouble(graph, again.run(checkpoints=generations(folder))) == ""
    assert written > 5


def test_another_number_of_workers_is_refused(tmp_path: Path, interrupter: Interrupter) -> None:
    graph = next(graph for graph in graphs("refused", 50) if len(reached(graph)) > 100)
    interrupter.left = 20
    team = interrupter.of(TableTeam(replace(graph, accepting=frozenset()), "unordered", 2))
    assert team.run(checkpoints=generations(tmp_path)).ending is SearchEnding.STOPPED_BY_CALLER
    with pytest.raises(CheckpointError, match="has other words"):
        TableTeam(graph, "unordered", 3).run(checkpoints=generations(tmp_path))


def _without_initial(self: WaitingNodes) -> None:
    if self._initial is None:
        _gather(self)


def _with_idle(self: WaitingNodes) -> None:
    self._is_idle = False
    _gather(self)


_gather = WaitingNodes.gather  # mistakes are planted here


@pytest.mark.parametrize("planted", [_without_initial, _with_idle, lambda _: None])
def test_a_node_that_is_lost_or_expanded_twice_is_noticed(
    planted: Callable[[WaitingNodes], None], tmp_path: Path, interrupter: Interrupter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_keeper.WaitingNodes, "gather", planted)
    assert troubles(2, "plain", tmp_path, interrupter)[0] != []
