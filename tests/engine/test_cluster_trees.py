"""Workers that keep their states as trees: what goes wrong in their kernels, or in a checkpoint, is noticed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracles.corpus import EXAMPLES_FOLDER
from oracles.planted_groups import Mortal

from everafter.engine.block import ROWS
from everafter.engine.cluster import worker
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.owned_rows import PARENT, as_parent
from everafter.engine.cluster.owned_trees import NO_FRAMES, PENDING
from everafter.engine.cluster.snapshots import Checkpoints
from everafter.engine.cluster.worker import JobDescription
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.cluster.worker_memory import OwnedTrees
from everafter.engine.cluster.worker_words import LISTED_BYTES
from everafter.engine.code.intrinsics import load as load_word
from everafter.engine.code.intrinsics import word
from everafter.engine.code.machine import Loaded
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.engine.store.single_store import NO_ROOM, as_number, settle
from everafter.engine.store.tree.roots import root_at, same_root, segment_of
from everafter.user_model import load

PETERSON, BROKEN = EXAMPLES_FOLDER / "peterson_n.pml", EXAMPLES_FOLDER / "mutex_broken.pml"
MEMORY = 1 << 28
STATES = 20_344


def order_of(path: Path) -> JobDescription:
    return JobDescription(code_of(load(path).program), batch=256, lines=1, store="tree")


def searched(path: Path, workers: int = 3) -> ClusterOutcome:
    return ClusterSearch(InProcess(workers), order_of(path), MEMORY).run()


class Segmented(InProcess):
    """A group that counts the numbers that none of its rows has."""

    left_out = 0

    def close(self) -> None:
        for member in self.members:
            self.left_out += member.memory.end - 1 - int(member.memory.words[ROWS])
        super().close()


def test_segments_end_early_in_what_is_searched() -> None:
    """Otherwise the tests below would not meet numbers of no row."""
    group = Segmented(3)
    outcome = ClusterSearch(group, order_of(PETERSON), MEMORY).run()
    assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, STATES)
    assert group.left_out > 1000


# Planted mistakes


def every_number(_block: int, number: int) -> int:
    """Numbers behind the end of a segment are taken for those of rows."""
    return number


def last_parents(block: int, listed: int, count: int, _words: int) -> int:
    """Whoever leads to a state last is its parent."""
    if settle(block, count, 0, 0, NO_FRAMES) < 0:
        return NO_ROOM
    pending = as_number(word(block, PENDING))
    parents = as_parent(word(block, PARENT))
    for position in range(count):
        parents[pending[position]] = load_word(listed + position * LISTED_BYTES + 16)
    return count


def no_parents(block: int, _listed: int, count: int, _words: int) -> int:
    """Parents are not noted."""
    return NO_ROOM if settle(block, count, 0, 0, NO_FRAMES) < 0 else count


def forgotten_root(block: int, number: int, left: int, right: int, header: int) -> bool:
    """The state with the number 7 is not recognised, and so entered twice."""
    segment = segment_of(block, number)
    return number != 7 and same_root(root_at(block, segment, number), segment, left, right, header)


Planted = tuple[str, Callable[..., Any]]


@cache
def kernels_with(name: str, mistake: Callable[..., Any]) -> Loaded:
    from everafter.engine.cluster.worker_kernels import build_cluster

    return Loaded(build_cluster("tree", {name: mistake}))


def plant(monkeypatch: pytest.MonkeyPatch, planted: Planted) -> None:
    monkeypatch.setattr(worker, "kernels", lambda *_: kernels_with(*planted))


@pytest.mark.parametrize("planted", [("row_from", every_number), ("is_root", forgotten_root)], ids=lambda each: each[0])
def test_a_mistake_in_what_is_stored_is_noticed(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, planted)
    try:
        outcome = searched(PETERSON)
    except ClusterError:
        return
    assert (outcome.ending, outcome.figures.states) != (SearchEnding.COMPLETED, STATES)


@pytest.mark.parametrize("mistake", [last_parents, no_parents], ids=lambda each: each.__name__)
def test_wrong_parents_are_noticed(mistake: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = searched(BROKEN).path
    assert whole
    plant(monkeypatch, ("settle_listed", mistake))
    try:
        path = searched(BROKEN).path
    except ClusterError:
        return
    assert len(path) != len(whole)


# Checkpoints


@pytest.mark.parametrize("lost", ["segments", "roots", "headers", "left halves"])
def test_a_checkpoint_without_an_area_is_noticed(lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digests are right: what was written is all that is read."""
    description = order_of(PETERSON)

    def held(memory: OwnedTrees) -> list[tuple[int, int, int]]:
        return [(area.address, size, area.size) for name, (area, size) in memory.extents.items() if name != lost]

    monkeypatch.setattr(OwnedTrees, "held", property(held))
    with pytest.raises(WorkerLost):
        ClusterSearch(Mortal(40), description, MEMORY, checkpoints=Checkpoints(str(tmp_path), description, 0.0)).run()
    with pytest.raises(ClusterError, match=r"another worker owns|half a row"):
        ClusterSearch(InProcess(3), description, MEMORY, checkpoints=Checkpoints(str(tmp_path), description, 0.0)).run()
