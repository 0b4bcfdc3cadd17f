"""A search whose stacks go to the disk in the middle comes to what it would have come to in memory."""

from __future__ import annotations

import ctypes
import errno
import os
import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from oracles.engine.models import TableModel, code
from oracles.search.definitions import SmallGraph, random_graph

from everafter.backends.memory_shortage import disk_for
from everafter.check import check
from everafter.choices import LOSSY, StoreKind
from everafter.engine import block
from everafter.engine.memory import disk as disk_module
from everafter.engine.memory.areas import PAGE, Area
from everafter.engine.memory.disk import Disk, DiskError
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run import spill as spilling
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchOutcome
from everafter.engine.run.search_threads import THREAD_NAME
from everafter.engine.run.spill import Spill
from everafter.questions.limits import Limits
from everafter.questions.request import Request
from everafter.search.catalogue import ALONE, TEAM
from everafter.search.space import ACCEPTING, TARGET
from everafter.source import OptionError
from everafter.system import is_in_memory
from everafter.user_model import load

MEMORY: Final = 1 << 26
STORES: Final[tuple[StoreKind, ...]] = ("plain", "tree")
EXPAND: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)
PHILOSOPHERS: Final = Path(__file__).parents[2] / "examples" / "philosophers_fixed.pml"

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="only Linux goes over to disk")


@pytest.fixture(autouse=True)
def any_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of tests may be in memory."""
    monkeypatch.setattr(disk_module, "is_in_memory", lambda _: False)


class Mover:
    """Lets the workers of a search move their stacks when so many states were expanded."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, left: int) -> None:
        self.left = left
        self.spills: list[Spill] = []
        self._lock = threading.Lock()
        mover = self

        class Watched(Spill):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                mover.spills.append(self)

        monkeypatch.setattr("everafter.engine.run.native_search.Spill", Watched)

    def moving(self, search: Any) -> Any:
        """The same search, whose model counts its expansions."""
        real = EXPAND(search.model[block.EXPAND])

        def expand(row: int, out: int, control: int) -> int:
            if threading.current_thread().name.startswith(THREAD_NAME):
                with self._lock:
                    self.left -= 1
                    if self.left == 0:
                        for worker in self.spills[-1].workers:
                            worker.ask()
            return int(real(row, out, control))

        self.call = EXPAND(expand)
        search.model[block.EXPAND] = ctypes.cast(self.call, ctypes.c_void_p).value or 0
        return search

    @property
    def has_moved(self) -> bool:
        return any(worker.moved for spill in self.spills for worker in spill.workers)


def graphs(name: str, count: int) -> Iterator[SmallGraph]:
    rng = random.Random(name)
    for _ in range(count):
        graph = random_graph(rng, 40)
        yield replace(graph, accepting=frozenset(node for node in graph.accepting if rng.random() < 0.1))


def said(outcome: SearchOutcome) -> tuple[Any, ...]:
    """All that must be the same."""
    return outcome.ending, outcome.answer, replace(outcome.figures, seconds=0.0, bytes=0, disk=0)


def model_of(graph: SmallGraph, bits: int) -> TableModel:
    return TableModel(graph.targets, graph.starts, graph.accepting, bits)


def team_of(model: TableModel, algorithm: str, store: StoreKind = "plain") -> NativeSearch:
    expand, initial = code().address("expand"), code().address("initial")
    controls = [ctypes.addressof(model.control)] * 2
    return NativeSearch(TEAM[algorithm], expand, initial, controls, MEMORY, kind=store)


def differences(
    algorithm: str, store: StoreKind, folder: Path, monkeypatch: pytest.MonkeyPatch, count: int = 8
) -> tuple[int, int]:
    """How many searches came to something else when their stacks were moved, and how many were moved.

    What is moved is what the marks say: for one worker that is enough.
    """
    monkeypatch.setattr(spilling, "_MARGIN", 0)
    bits = TARGET if ALONE[algorithm].question == "reachability" else ACCEPTING
    differ = moved = 0
    for number, graph in enumerate(graphs(algorithm, count)):
        model = model_of(graph, bits)
        expected = model.search(algorithm, MEMORY, kind=store).run()
        for left in (1, 2, 3 + number, 9):
            mover = Mover(monkeypatch, left)
            found = mover.moving(model.search(algorithm, MEMORY, kind=store)).run(disk=Disk(folder))
            moved += mover.has_moved
            differ += said(found) != said(expected)
    return differ, moved


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("algorithm", ALONE)
def test_a_search_on_disk_is_the_search_in_memory(
    algorithm: str, store: StoreKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    differ, moved = differences(algorithm, store, tmp_path, monkeypatch)
    assert differ == 0
    assert moved > 5


@pytest.mark.parametrize("algorithm", TEAM)
def test_a_team_on_disk_is_a_team_in_memory(algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bits = TARGET if TEAM[algorithm].question == "reachability" else ACCEPTING
    moved = 0
    for number, graph in enumerate(graphs(algorithm, 8)):
        model = model_of(graph, bits)
        expected = team_of(model, algorithm).run()
        mover = Mover(monkeypatch, 1 + number)
        found = mover.moving(team_of(model, algorithm)).run(disk=Disk(tmp_path))
        moved += mover.has_moved
        assert found.ending is expected.ending
        assert 0 <= found.figures.bytes <= MEMORY
    assert moved > 2


@pytest.mark.parametrize("store", LOSSY)
def test_a_search_that_forgets_states_goes_over_to_disk(
    store: StoreKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    differ, moved = differences("depth-first", store, tmp_path, monkeypatch)
    assert differ == 0
    assert moved > 5
    team = 0
    for number, graph in enumerate(graphs(store, 8)):
        model = model_of(graph, TARGET)
        expected = team_of(model, "depth-first", store).run()
        mover = Mover(monkeypatch, 1 + number)
        found = mover.moving(team_of(model, "depth-first", store)).run(disk=Disk(tmp_path))
        team += mover.has_moved
        assert found.ending is expected.ending
    assert team > 2


def _without_parents(self: spilling.SpillingWorker, index: Any) -> int:
    return 0 if index == "state" else _elements(self, index)


_elements = spilling.SpillingWorker._elements  # a mistake is planted here


def test_what_is_not_moved_is_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilling.SpillingWorker, "_elements", _without_parents)
    differ, _ = differences("breadth-first", "tree", tmp_path, monkeypatch)
    assert differ > 0


def test_an_area_keeps_its_bytes_and_its_address(tmp_path: Path) -> None:
    area = Area(4 * PAGE)
    content = os.urandom(2 * PAGE)
    area._map[: len(content)] = content  # as machine code would
    address = area.address
    disk = Disk(tmp_path)
    disk.move(area, len(content), 3 * PAGE)
    disk.drop()
    assert area.address == address
    assert area.copied(0, len(content)) == content
    area._map[PAGE] = 7  # likewise
    disk.drop()
    assert area.copied(PAGE, 1) == b"\7"
    assert list(tmp_path.iterdir()) == []  # the file has no name
    area.close()


def test_a_disk_without_room_leaves_all_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(disk_module, "_take", full)
    area = Area(4 * PAGE)
    area._map[0] = 5  # as machine code would
    with pytest.raises(DiskError, match="No space left"):
        Disk(tmp_path).move(area, PAGE, 2 * PAGE)
    assert area.copied(0, 1) == b"\5"
    differ, moved = differences("breadth-first", "tree", tmp_path, monkeypatch, 3)
    assert (differ, moved) == (0, 0)
    area.close()


def test_a_folder_in_memory_is_no_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk_module, "is_in_memory", is_in_memory)
    with pytest.raises(DiskError, match="itself in memory"):
        Disk(Path("/dev/shm")).room()


def test_nothing_goes_to_the_disk_if_that_is_asked() -> None:
    assert disk_for(Limits(disk="none")) is None


def test_a_folder_that_is_not_there_is_refused() -> None:
    with pytest.raises(OptionError, match="no folder"):
        Limits(disk="/no/such/folder")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_check_that_is_short_of_memory_goes_over_to_disk(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole path, where memory is short from the beginning."""
    monkeypatch.setattr(Spill, "is_due", True)
    model = load(PHILOSOPHERS, {"N": 7})
    request = Request(formulas=["somebody_eats"], threads=threads, reduction="none")
    told: list[object] = []
    (expected,) = check(model, request, Limits(disk="none"))
    (found,) = check(model, request, Limits(disk=str(tmp_path)), told.append)
    assert (found.verdict, found.states) == (expected.verdict, expected.states)
    assert found.disk_bytes > 0
    assert expected.disk_bytes == 0
    assert any("on disk" in str(each) for each in told)


@pytest.mark.parametrize(
    ("used", "stacks", "due"), [(0.7, 0.2, False), (0.8, 0.2, True), (0.8, 0.0, False), (1.0, 1.0, True)]
)
def test_memory_is_short_when_three_quarters_are_used_and_stacks_have_a_part(
    used: float, stacks: float, due: bool, tmp_path: Path
) -> None:
    with Memory(ALONE["breadth-first"], MEMORY) as memory:
        words = memory.words
        words[block.HIGHEST_FRAME] = int(stacks * MEMORY) // int(words[block.FRAME_BYTES])
        words[block.END] = int((used - stacks) * MEMORY) // 8
        assert Spill(memory, Disk(tmp_path), print).is_due is due
