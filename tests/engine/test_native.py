"""The compiled searches on the native store answer as the interpreted ones, count exactly, and end honestly."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from oracles.engine.models import TableModel, node_of
from oracles.engine.planted_stores import planted_store
from oracles.search.definitions import SmallGraph, random_graph, reachable

from everafter.engine import block
from everafter.engine.code.kernel_archive import Unfit, carried
from everafter.engine.code.machine import Loaded
from everafter.engine.columns import NARROW, NARROW_WORDS, WIDE
from everafter.engine.memory.areas import MODEL_BYTES
from everafter.engine.memory.search_memory import Memory
from everafter.engine.run.native_model import NativeModel
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchEnding, SearchFigures, SearchOutcome
from everafter.engine.run.search_threads import THREAD_NAME
from everafter.search import ALGORITHMS as INTERPRETED
from everafter.search import Generalised, Lasso, Meter, find_path, flaw, path_flaw, shortest_path
from everafter.search.catalogue import ALONE
from everafter.search.space import ACCEPTING, TARGET, GeneralisedSpace, Space
from everafter.search.unordered import find_target
from everafter.user_model import parse

PATHS = {"depth-first": find_path, "breadth-first": shortest_path, "unordered": find_target}
WIDE_MEMORY = 8 * NARROW_WORDS + (1 << 30)


def model_of(graph: SmallGraph, algorithm: str) -> TableModel:
    return TableModel(graph.targets, graph.starts, graph.accepting, TARGET if algorithm in PATHS else ACCEPTING)


def answer_of(outcome: SearchOutcome) -> tuple[int, ...] | Lasso[int] | None:
    """The answer in nodes."""
    match outcome.answer:
        case None:
            return None
        case Lasso(prefix, cycle):
            return Lasso(tuple(map(node_of, prefix)), tuple(map(node_of, cycle)))
        case path:
            return tuple(map(node_of, path))


def interpreted(graph: SmallGraph, algorithm: str, meter: Meter) -> tuple[int, ...] | Lasso[int] | None:
    if algorithm in PATHS:
        return PATHS[algorithm](graph, graph.is_accepting, meter)
    return INTERPRETED[algorithm](graph, meter)


def trouble(graph: SmallGraph, algorithm: str, answer: tuple[int, ...] | Lasso[int] | None) -> str | None:
    if answer is None:
        return None
    return flaw(graph, answer) if isinstance(answer, Lasso) else path_flaw(graph, answer)


def graphs(count: int, most: int) -> Iterator[SmallGraph]:
    rng = random.Random(count)
    for _ in range(count):
        yield random_graph(rng, most)


@pytest.mark.parametrize("algorithm", ALONE)
@pytest.mark.parametrize("memory", [1 << 28, WIDE_MEMORY], ids=["narrow", "wide"])
def test_native_and_interpreted_searches_are_the_same(algorithm: str, memory: int) -> None:
    for graph in graphs(120, 30):
        model = model_of(graph, algorithm)
        outcome = model.search(algorithm, memory).run()
        meter = Meter()
        expected = interpreted(graph, algorithm, meter)
        answer = answer_of(outcome)
        assert (outcome.ending == SearchEnding.ANSWERED) == (expected is not None)
        assert (answer[-1:] if algorithm == "unordered" and isinstance(answer, tuple) else answer) == expected
        assert trouble(graph, algorithm, answer) is None
        if expected is None:
            assert outcome.ending == SearchEnding.COMPLETED
            assert outcome.figures.states == outcome.figures.rows == len(reachable(graph))
            assert outcome.figures.transitions == meter.transitions
            assert outcome.figures.depth == meter.depth
            assert outcome.figures.expansions == meter.expansions


def colours(space: Any) -> dict[int, int]:
    """The colour of each node that a native search has stored."""
    memory = space._worker.memory
    found = {}
    number = memory.words[block.FIRST]
    while number < memory.words[block.END]:
        row = memory.row(number)
        found[node_of(row)] = space.colour[number]
        number += len(row) // 8 + memory.words[block.COLUMN_WORDS]
    return found


@pytest.mark.parametrize("algorithm", ALONE)
def test_native_and_interpreted_searches_colour_alike(algorithm: str) -> None:
    answered = 0
    for graph in graphs(150, 20):
        model = model_of(graph, algorithm)
        search = model.search(algorithm)
        search.algorithm = replace(search.algorithm, explain=colours, gives_path=True)
        outcome = search.run()
        found: Any = outcome.answer
        if outcome.ending == SearchEnding.ANSWERED:
            answered += 1
            space = interpreted_space(graph, algorithm)
            search.algorithm.kernel(space)
            assert found == dict(zip(space.states, space.colour, strict=True))
    assert answered > 20


def interpreted_space(graph: SmallGraph, algorithm: str) -> Space[int]:
    columns = ALONE[algorithm].every_column
    bits = TARGET if algorithm in PATHS else ACCEPTING

    def label(node: int) -> int:
        return bits if node in graph.accepting else 0

    if not ALONE[algorithm].reads_sets:
        return Space(graph.initial(), graph.successors, label, columns=columns)
    space = GeneralisedSpace((), Generalised(graph).successors, 1, columns=columns)
    space.label = label
    space.initial = list(dict.fromkeys(map(space.number, graph.initial())))
    return space


def undiscovered(space: Any) -> list[int]:
    """The discovery times of the successors that the last frame has not come to."""
    depth = space.found[0]
    return [space.discovery[node] for node in space.pending[space.cursor[depth] : space.limit[depth]]]


def test_the_columns_of_a_new_state_are_zero() -> None:
    size = 40
    model = TableModel([[0, *range(1, size)], *[[] for _ in range(1, size)]], [0], frozenset({0}), ACCEPTING)
    search = model.search("tarjan")
    search.algorithm = replace(search.algorithm, explain=undiscovered)
    times: Any = search.run().answer
    assert times == [0] * (size - 1)


def behind_the_table(space: Any) -> list[int]:
    """The first words of the area of the hash table that do not belong to it."""
    memory = space._worker.memory
    begin = 64 * memory.words[block.LINES]
    return [int.from_bytes(memory.slots.copied(begin + offset, 8), "little") for offset in range(0, 1 << 16, 8)]


def test_a_full_end_of_the_hash_table_is_continued_at_its_beginning() -> None:
    graph = big_graph(500)
    model = TableModel(graph.targets, graph.starts, frozenset({499}), TARGET)
    search = model.search("breadth-first", lines=1, store=store_with("last_line_hash"))
    search.algorithm = replace(search.algorithm, explain=behind_the_table)
    words: Any = search.run().answer
    assert words == [0] * (1 << 13)


def big_graph(size: int) -> SmallGraph:
    rng = random.Random(size)
    return SmallGraph([[(node + 1) % size, rng.randrange(size), rng.randrange(size)] for node in range(size)])


@pytest.mark.parametrize("algorithm", ALONE)
def test_the_hash_table_grows_from_nothing(algorithm: str) -> None:
    graph = big_graph(20_000)
    model = model_of(graph, algorithm)
    outcome = model.search(algorithm, lines=1).run()
    assert outcome.ending == SearchEnding.COMPLETED
    assert outcome.figures.states == 20_000
    assert outcome.figures.transitions == 60_000


def constant_hash(row: int, words: int) -> int:
    """Every row collides with every other."""
    return row * 0 + words * 0 + 5


def last_line_hash(row: int, words: int) -> int:
    """Every row belongs at the end of the table, whatever its size, so that all of them wrap around."""
    return row * 0 + words * 0 - 1


@cache
def store_with(name: str) -> Loaded:
    return planted_store({"hash_row": globals()[name]})


@pytest.mark.parametrize("hashing", ["constant_hash", "last_line_hash"])
@pytest.mark.parametrize("algorithm", ["depth-first", "unordered", "breadth-first", "schwoon-esparza"])
def test_rows_that_all_collide_are_still_told_apart(algorithm: str, hashing: str) -> None:
    graph = big_graph(2_000)
    model = model_of(graph, algorithm)
    outcome = model.search(algorithm, lines=1, store=store_with(hashing)).run()
    assert outcome.ending == SearchEnding.COMPLETED
    assert outcome.figures.states == 2_000


def test_rows_that_are_no_states_are_stored_but_not_counted() -> None:
    model = TableModel([[1, 2], [2], [3], [0]], [0, 1], uncounted=frozenset({1, 3}))
    figures = model.search("depth-first").run().figures
    assert (figures.states, figures.rows) == (2, 4)


def test_a_model_without_initial_states_is_complete() -> None:
    model = TableModel([[0]], [])
    assert model.search("depth-first").run().ending == SearchEnding.COMPLETED


def test_initial_states_that_are_given_twice_count_once() -> None:
    model = TableModel([[], []], [1, 0, 1, 1])
    outcome = model.search("schwoon-esparza").run()
    assert (outcome.figures.states, outcome.figures.expansions) == (2, 2)


@pytest.mark.parametrize("algorithm", ALONE)
def test_a_model_that_fails_ends_the_search_with_its_code(algorithm: str) -> None:
    model = TableModel([[1], [2], []], [0], fails=(2, -77))
    outcome = model.search(algorithm).run()
    assert (outcome.ending, outcome.code, outcome.answer) == (SearchEnding.MODEL_FAILED, -77, None)
    failing_at_once = TableModel([[]], [0], fails=(1, -5))
    assert failing_at_once.search(algorithm).run().code == -5


@pytest.mark.parametrize("algorithm", ALONE)
def test_the_memory_limit_ends_the_search(algorithm: str) -> None:
    graph = big_graph(200_000)
    model = model_of(graph, algorithm)
    whole = model.search(algorithm).run()
    assert whole.ending == SearchEnding.COMPLETED
    for share in (0.3, 0.6, 0.9):
        limit = int(share * whole.figures.bytes)
        outcome = model.search(algorithm, memory=limit).run()
        assert outcome.ending == SearchEnding.OUT_OF_MEMORY
        assert outcome.figures.bytes <= limit
        assert 0 < outcome.figures.states < 200_000
    assert model.search(algorithm, memory=whole.figures.bytes + (1 << 20)).run().ending == SearchEnding.COMPLETED


def test_the_observer_sees_the_search_and_stops_it() -> None:
    model = TableModel([[node + 1] for node in range(1_000_000)] + [[0]], [0])
    seen: list[SearchFigures] = []

    def observe(figures: SearchFigures) -> bool:
        seen.append(figures)
        return len(seen) == 3

    outcome = model.search("depth-first").run(observe, interval=0.001)
    assert outcome.ending == SearchEnding.STOPPED_BY_CALLER
    assert seen[0].states <= seen[1].states <= seen[2].states <= outcome.figures.states < 1_000_001


def test_what_the_observer_raises_comes_back_after_the_search_has_ended() -> None:
    model = TableModel([[node + 1] for node in range(1_000_000)] + [[0]], [0])

    def observe(_figures: SearchFigures) -> bool:
        raise KeyError("from the observer")

    with pytest.raises(KeyError, match="from the observer"):
        model.search("depth-first").run(observe, interval=0.001)
    assert eventually_gone()


def test_an_interrupt_from_the_keyboard_ends_the_search() -> None:
    model = TableModel([[node + 1] for node in range(2_000_000)] + [[0]], [0])
    search = model.search("depth-first")
    timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            run_for_ever(search)
    finally:
        signal.signal(signal.SIGINT, before)
    assert eventually_gone()


def eventually_gone() -> bool:
    """Whether the thread of the search is gone; its last steps, after the search, may take a moment."""
    for thread in threading.enumerate():
        if thread.name.startswith(THREAD_NAME):
            thread.join(timeout=10)
    return all(not thread.name.startswith(THREAD_NAME) for thread in threading.enumerate())


def run_for_ever(search: NativeSearch) -> None:
    for _ in range(1_000):
        search.run()


@pytest.mark.parametrize("algorithm", ALONE)
def test_a_path_of_five_million_states_overflows_nothing(algorithm: str) -> None:
    length = 5_000_000
    model = LineModel(length)
    outcome = model.search(algorithm, memory=4 << 30).run()
    assert outcome.ending == SearchEnding.COMPLETED
    assert outcome.figures.states == length
    assert outcome.figures.depth == (0 if algorithm == "unordered" else length)


class LineModel(TableModel):
    """0 → 1 → … → length - 1, without a table for each node in Python."""

    def __init__(self, length: int) -> None:
        super().__init__([[]], [0])
        from array import array

        steps = array("q", range(length))
        steps.append(length - 1)
        steps.append(length)  # the starts are the row after the last node
        targets = array("q", range(1, length))
        targets.append(0)
        self.tables = (steps, targets, array("B", [1]) * length, array("B", [0]) * length)
        addresses = [table.buffer_info()[0] for table in self.tables]
        for index, value in zip((0, 1, 2, 3, 6), (*addresses[:3], length, addresses[3]), strict=True):
            self.control[index] = value


def test_all_memory_is_given_back() -> None:
    model = model_of(big_graph(50_000), "tarjan")
    search = model.search("tarjan")
    before = mappings()
    for _ in range(5):
        search.run()
    assert mappings() == before


def mappings() -> int:
    """How many areas of a gigabyte or more are mapped."""
    count = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end = line.split()[0].split("-")
        count += int(end, 16) - int(begin, 16) >= 1 << 30
    return count


def test_memory_that_is_refused_is_asked_for_in_smaller_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    import mmap

    real = mmap.mmap

    def refusing(handle: int, size: int, **options: int) -> mmap.mmap:
        if size > 1 << 22 and size != MODEL_BYTES:
            raise OSError("too much")
        return real(handle, size, **options)

    monkeypatch.setattr("everafter.engine.memory.areas.mmap.mmap", refusing)
    with Memory(ALONE["tarjan"], 5 << 27) as memory:
        assert memory.words[block.ARENA_WORDS] <= 1 << 19
        assert memory.words[block.FRAMES] <= 1 << 20
    model = model_of(big_graph(200_000), "depth-first")
    assert model.search("depth-first", 5 << 27).run().ending == SearchEnding.OUT_OF_MEMORY


def test_too_little_address_space_for_the_model_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import mmap

    real = mmap.mmap

    def refusing(handle: int, size: int, **options: int) -> mmap.mmap:
        if size >= MODEL_BYTES:
            raise OSError("too much")
        return real(handle, size, **options)

    monkeypatch.setattr("everafter.engine.memory.areas.mmap.mmap", refusing)
    with pytest.raises(MemoryError, match="256 MiB"):
        Memory(ALONE["tarjan"], 1 << 20)


def test_a_second_process_needs_neither_numba_nor_numpy(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from oracles.engine.models import TableModel\n"
        "model = TableModel([[1], [0]], [0], frozenset({1}), 2)\n"
        "told = []\n"
        "assert model.search('schwoon-esparza', tell=told.append).run().ending.name == 'ANSWERED'\n"
        "print(len(told), 'numba' in sys.modules, 'numpy' in sys.modules)\n"
    )
    environment = {**os.environ, "EVERAFTER_CACHE": str(tmp_path)}
    command = [sys.executable, "-c", program]
    root = Path(__file__).parent.parent.parent
    first = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=root) for _ in range(2)]
    told = [process.communicate()[0].split() for process in first]
    built = 2 if isinstance(carried(), Unfit) else 0  # each kernel that is not carried is built by one of them
    assert sum(int(count) for count, *_ in told) == built
    second = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=root, check=True)
    assert second.stdout.split() == ["0", "False", "False"]


def test_an_algorithm_that_does_not_exist_is_refused() -> None:
    with pytest.raises(KeyError):
        NativeModel(parse("active proctype P() { skip }").program).search("depth", 1 << 20, print)


def test_numbers_are_wide_only_where_they_must_be() -> None:
    with Memory(ALONE["tarjan"], 8 * NARROW_WORDS) as memory:
        assert memory.width == NARROW
    with Memory(ALONE["tarjan"], 8 * NARROW_WORDS + 8) as memory:
        assert memory.width == WIDE
