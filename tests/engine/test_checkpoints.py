"""A search that is stopped anywhere and gone on with comes to what it would have come to, in every order and store."""

from __future__ import annotations

import ctypes
import json
import os
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from oracles.engine.models import TableModel
from oracles.search.definitions import SmallGraph, random_graph

from everafter import seal
from everafter.choices import StoreKind
from everafter.engine import block
from everafter.engine.checkpoint import checkpoint_file, fast_forward, keeper, points
from everafter.engine.checkpoint.checkpoint_file import MAGIC, PIECE, SEAL_DIGITS, CheckpointError
from everafter.engine.checkpoint.folder import Generations
from everafter.engine.checkpoint.keeper import Keeper
from everafter.engine.checkpoint.points import WAYS
from everafter.engine.columns import NARROW_WORDS, can_be_packed
from everafter.engine.memory.packed_memory import PackedMemory
from everafter.engine.memory.search_memory import Memory
from everafter.engine.memory.tree_memory import TreeMemory
from everafter.engine.run import native_search
from everafter.engine.run.native_search import NativeSearch
from everafter.engine.run.search_outcome import SearchEnding, SearchOutcome
from everafter.engine.run.search_threads import THREAD_NAME, Work
from everafter.search.catalogue import ALONE
from everafter.search.space import ACCEPTING, TARGET

NEVER: Final = 1e9
MEMORY: Final = 1 << 28
WIDE_MEMORY: Final = 8 * NARROW_WORDS + (1 << 30)
EXPAND: Final = ctypes.CFUNCTYPE(*[ctypes.c_int64] * 4)
NESTED: Final = ("schwoon-esparza", "holzmann", "courcoubetis")
STORES: Final[tuple[StoreKind, ...]] = ("plain", "tree")
PAIRS: Final[list[tuple[str, StoreKind]]] = [
    *((algorithm, store) for algorithm in WAYS for store in STORES),
    *((algorithm, "packed") for algorithm in WAYS if can_be_packed(ALONE[algorithm])),
]


class Stopper:
    """Stops the searches of a model, or lets something else happen, when so many states were expanded."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.memory: list[Memory] = []
        self.left = -1
        stopper = self

        class Watched(Memory):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                stopper.memory.append(self)

        class WatchedTree(TreeMemory):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                stopper.memory.append(self)

        class WatchedPacked(PackedMemory):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                stopper.memory.append(self)

        watched = {"plain": Watched, "tree": WatchedTree, "packed": WatchedPacked}
        monkeypatch.setattr(native_search, "MEMORIES", watched)

    def keeping(self, *arguments: Any) -> Keeper:
        """A keeper, which is noted."""
        self.keeper = Keeper(*arguments)
        return self.keeper

    def act(self) -> None:
        """What happens then."""
        self.memory[-1].stop()

    def stopping(self, search: NativeSearch) -> NativeSearch:
        real = EXPAND(search.model[block.EXPAND])

        def expand(row: int, out: int, control: int) -> int:
            if threading.current_thread().name.startswith(THREAD_NAME):  # not while an answer is explained
                self.left -= 1
                if self.left == 0:
                    self.act()
            return int(real(row, out, control))

        self.call = EXPAND(expand)
        search.model[block.EXPAND] = ctypes.cast(self.call, ctypes.c_void_p).value or 0
        return search


@pytest.fixture
def stopper(monkeypatch: pytest.MonkeyPatch) -> Stopper:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power fails here, and to wait for the disk takes long
    return Stopper(monkeypatch)


def model_of(graph: SmallGraph, algorithm: str) -> TableModel:
    bits = TARGET if ALONE[algorithm].question == "reachability" else ACCEPTING
    starts = graph.starts[:1] if algorithm == "unordered" else graph.starts
    return TableModel(graph.targets, starts, graph.accepting, bits)


def graphs(algorithm: str, count: int, most: int) -> Iterator[SmallGraph]:
    """Random graphs, some of them with few accepting nodes, so that searches come far."""
    rng = random.Random(f"{algorithm} {count}")
    for _ in range(count):
        graph = random_graph(rng, most)
        few = frozenset(node for node in graph.accepting if rng.random() < 0.1)
        yield replace(graph, accepting=few)


def said(outcome: SearchOutcome) -> tuple[Any, ...]:
    """All that must be the same."""
    figures = replace(outcome.figures, seconds=0.0, bytes=0)
    return outcome.ending, outcome.answer, figures


def by_parts(
    folder: Path, stopper: Stopper, search: Callable[[], NativeSearch], steps: Iterator[int]
) -> tuple[SearchOutcome, int]:
    """What a search comes to that is stopped after so many expansions, and again; and how often it was."""
    for number, left in enumerate(steps):
        stopper.left = left
        outcome = stopper.stopping(search()).run(checkpoints=generations(folder))
        if outcome.cut is not None:  # the way to what was found is as long as the search: it is not cut again
            stopper.left = -1
            outcome = stopper.stopping(search()).run(checkpoints=generations(folder))
        if outcome.ending is not SearchEnding.STOPPED_BY_CALLER:
            return outcome, number
    raise AssertionError("the search does not come to an end")


def generations(folder: Path, interval: float = NEVER, key: str = "a key") -> Generations:
    return Generations(folder, key, "a search", interval)


def steps_of(rng: random.Random) -> Iterator[int]:
    while True:
        yield rng.choice((1, 2, 3, 5, 8, 30))


@pytest.mark.parametrize(("algorithm", "store"), PAIRS)
def test_a_search_by_parts_is_the_whole_search(
    algorithm: str, store: StoreKind, tmp_path: Path, stopper: Stopper
) -> None:
    rng = random.Random(f"{algorithm} {store}")
    parts = 0
    for number, graph in enumerate(graphs(algorithm, 60, 90)):
        model = model_of(graph, algorithm)
        whole = model.search(algorithm, MEMORY, kind=store).run()
        folder = tmp_path / str(number)
        search = partial(model.search, algorithm, MEMORY, kind=store)
        outcome, stops = by_parts(folder, stopper, search, steps_of(rng))
        parts += stops
        assert said(outcome) == said(whole), number
    assert parts > 20


@pytest.mark.parametrize("algorithm", NESTED)
def test_a_nested_search_can_be_stopped_at_every_state(algorithm: str, tmp_path: Path, stopper: Stopper) -> None:
    rng = random.Random(algorithm)
    inside = 0
    for number in range(80):
        graph = random_graph(rng, 12)
        model = model_of(graph, algorithm)
        whole = model.search(algorithm, MEMORY).run()
        for steps in range(1, whole.figures.expansions):
            folder = tmp_path / f"{number} {steps}"
            search = partial(model.search, algorithm, MEMORY)
            outcome, _ = by_parts(folder, stopper, search, iter((steps, -1)))
            inside += whole.figures.expansions > whole.figures.states
            assert said(outcome) == said(whole), (number, steps)
    assert inside > 50, "no inner search was stopped"


@pytest.mark.parametrize(("algorithm", "store"), PAIRS)
def test_a_checkpoint_on_the_way_is_gone_on_from(
    algorithm: str, store: StoreKind, tmp_path: Path, stopper: Stopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search that writes it goes on, and comes to the same; so does one that goes on from it."""
    keepers: list[Keeper] = []
    made = Keeper.__init__

    def init(keeper: Keeper, *arguments: Any) -> None:
        made(keeper, *arguments)
        keepers.append(keeper)
        if stopper.left == 0:  # before the first state is expanded
            keeper.look()

    monkeypatch.setattr(Keeper, "__init__", init)
    monkeypatch.setattr(Stopper, "act", lambda _: keepers[-1].look())
    written = 0
    for number, graph in enumerate(graphs(algorithm, 30, 90)):
        model = model_of(graph, algorithm)
        search = partial(model.search, algorithm, MEMORY, kind=store)
        whole = search().run()
        stopper.left = number % 9
        folder = tmp_path / str(number)
        assert said(stopper.stopping(search()).run(checkpoints=generations(folder, interval=0))) == said(whole)
        written += generations(folder).latest() is not None
        assert said(search().run(checkpoints=generations(folder))) == said(whole)
    assert written > 5


def test_nothing_is_written_of_a_search_that_has_ended(
    tmp_path: Path, stopper: Stopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be time just then: but what asks for successors next explains the answer."""
    watched = Work.watch

    def watch(work: Work, *arguments: Any) -> None:
        watched(work, *arguments)
        assert stopper.keeper is not None
        stopper.keeper.look()

    monkeypatch.setattr(native_search, "Keeper", stopper.keeping)
    monkeypatch.setattr(Work, "watch", watch)
    model = TableModel([[1], [2], [1]], [0], frozenset({2}), ACCEPTING)
    outcome = model.search("tarjan", MEMORY).run(checkpoints=generations(tmp_path, interval=0))
    assert outcome.ending is SearchEnding.ANSWERED
    assert generations(tmp_path).latest() is None


@pytest.mark.parametrize("algorithm", ["breadth-first", "unordered", "courcoubetis"])
def test_numbers_of_states_may_be_wide(algorithm: str, tmp_path: Path, stopper: Stopper) -> None:
    for number, graph in enumerate(graphs(algorithm, 12, 90)):
        search = partial(model_of(graph, algorithm).search, algorithm, WIDE_MEMORY)
        outcome, _ = by_parts(tmp_path / str(number), stopper, search, iter((3, 5, 20, -1)))
        assert said(outcome) == said(search().run())


def stopped_at(folder: Path, stopper: Stopper, algorithm: str, steps: int, kind: StoreKind = "plain") -> TableModel:
    """A model whose search has left a checkpoint, and can be gone on with."""
    nodes = range(500)
    targets = [[(3 * node + 1) % 500, (node + 7) % 500] for node in nodes]
    model = TableModel(targets, [0])
    stopper.left = steps
    outcome = stopper.stopping(model.search(algorithm, MEMORY, kind=kind)).run(checkpoints=generations(folder))
    assert outcome.ending is SearchEnding.STOPPED_BY_CALLER
    return model


def damage(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    match how:
        case "another file":
            content = bytearray(b"It was a dark and stormy night.\n")
        case "an empty file":
            content = bytearray()
        case "another version":
            content[20] ^= 3
        case "a bit of the heading":
            content[60] ^= 1
        case "a bit of the rows":
            content[len(content) // 2] ^= 1
        case "the last bit":
            content[-1] ^= 128
        case "cut off":
            del content[-9:]
        case "cut off in the heading":
            del content[50:]
        case "longer":
            content += b"\0"
    path.write_bytes(content)


DAMAGES: Final = {
    "another file": "is none, or one of another version",
    "an empty file": "is cut off",
    "another version": "is none, or one of another version",
    "a bit of the heading": "is damaged",
    "a bit of the rows": "is damaged",
    "the last bit": "is damaged",
    "cut off": "is cut off",
    "cut off in the heading": "is damaged",
    "longer": "longer than it should be",
}


@pytest.mark.parametrize("how", DAMAGES)
def test_a_damaged_checkpoint_is_refused(how: str, tmp_path: Path, stopper: Stopper) -> None:
    model = stopped_at(tmp_path, stopper, "depth-first", 40)
    (path,) = tmp_path.glob("*.checkpoint")
    damage(path, how)
    with pytest.raises(CheckpointError, match=DAMAGES[how]) as refused:
        model.search("depth-first", MEMORY).run(checkpoints=generations(tmp_path))
    assert str(path) in str(refused.value)
    assert refused.value.advice


def forged(content: bytes, rng: random.Random | None) -> bytes:
    """What anybody can make of a checkpoint: parts of it changed, and sealed as it should be, with the key at hand."""
    line, _, rest = content[len(MAGIC) :].partition(b"\n")
    heading = json.loads(line[SEAL_DIGITS + 1 :])
    areas: dict[str, bytearray] = {}
    for name, size in heading["sizes"].items():
        area = bytearray()
        while len(area) < size:
            piece = min(PIECE, size - len(area))
            area += rest[:piece]
            rest = rest[piece + seal.SEAL_BYTES :]
        areas[name] = area
    if rng is not None:
        forge(heading, areas, rng)
    digest = seal.begun()
    text = json.dumps(heading).encode()
    digest.update(text)
    made = bytearray(MAGIC + digest.hexdigest().encode() + b" " + text + b"\n")
    for area in areas.values():
        for begin in range(0, len(area), PIECE):
            digest.update(area[begin : begin + PIECE])
            made += area[begin : begin + PIECE] + digest.digest()
    return bytes(made)


def forge(heading: dict[str, Any], areas: dict[str, bytearray], rng: random.Random) -> None:
    """Change rows, sizes, positions, the stack or the words, so that machine code would go astray."""
    name = rng.choice([each for each, area in areas.items() if area])
    strange: Any = rng.choice((-1, 0, 1, 1 << 31, 1 << 62, "a word", None, [[]]))
    match rng.choice(("bytes", "shuffled", "size", "words", "point", "field")):
        case "bytes":
            for _ in range(rng.randint(1, 40)):
                areas[name][rng.randrange(len(areas[name]))] = rng.randrange(256)
        case "shuffled":
            areas[name] = bytearray(rng.sample(areas[name], len(areas[name])))
        case "size":
            areas[name] = areas[name][: rng.randrange(len(areas[name]))]
            heading["sizes"][name] = len(areas[name])
        case "words":
            heading["words"][rng.choice(list(heading["words"]))] = strange
        case "point":
            heading["point"][rng.choice(list(heading["point"]))] = strange
        case "field":
            heading[rng.choice(list(heading))] = strange


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("algorithm", ["depth-first", "breadth-first", "unordered", "tarjan"])
def test_no_forged_checkpoint_is_believed(
    algorithm: str, store: StoreKind, tmp_path: Path, stopper: Stopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does anything of it reach machine code. The same file, sealed with the key it needs, is taken."""
    model = stopped_at(tmp_path, stopper, algorithm, 40, kind=store)
    (path,) = tmp_path.glob("*.checkpoint")
    honest = path.read_bytes()
    assert forged(honest, None) == honest
    run = model.search(algorithm, MEMORY, kind=store).run
    ours = os.environ["EVERAFTER_KEY"]
    for seed in range(60):
        monkeypatch.setenv("EVERAFTER_KEY", str(tmp_path / "another key"))
        path.write_bytes(forged(honest, random.Random(seed)))
        monkeypatch.setenv("EVERAFTER_KEY", ours)
        with pytest.raises(CheckpointError, match="was written with another key"):
            run(checkpoints=generations(tmp_path))
    path.write_bytes(honest)
    assert run(checkpoints=generations(tmp_path)).ending is SearchEnding.COMPLETED


def test_nothing_is_written_of_a_table_that_could_not_grow(tmp_path: Path, stopper: Stopper) -> None:
    """A row that was to move is not there any more; a state that does not fit says nothing of the others."""
    nodes = range(30_000)
    model = TableModel([[(node + 1) % 30_000, (7 * node + 1) % 30_000] for node in nodes], [0])
    search = partial(model.search, "unordered", kind="packed")
    outcome = search(1 << 18).run(checkpoints=generations(tmp_path))
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY
    assert generations(tmp_path).latest() is None
    stopper.left = 100
    outcome = stopper.stopping(search(MEMORY)).run(checkpoints=generations(tmp_path))
    assert outcome.ending is SearchEnding.STOPPED_BY_CALLER
    assert generations(tmp_path).latest() is not None
    assert said(search(MEMORY).run(checkpoints=generations(tmp_path))) == said(search(MEMORY).run())


def test_a_checkpoint_of_another_search_is_refused(tmp_path: Path, stopper: Stopper) -> None:
    model = stopped_at(tmp_path, stopper, "depth-first", 40)
    (path,) = tmp_path.glob("*.checkpoint")
    path.rename(tmp_path / "another.1.checkpoint")
    with pytest.raises(CheckpointError, match="of another model, question or search: a search") as refused:
        model.search("depth-first", MEMORY).run(checkpoints=generations(tmp_path, key="another"))
    assert "another.1.checkpoint" in str(refused.value)


def test_a_checkpoint_is_of_one_width(tmp_path: Path, stopper: Stopper) -> None:
    model = stopped_at(tmp_path, stopper, "depth-first", 40)
    with pytest.raises(CheckpointError, match="another memory limit"):
        model.search("depth-first", WIDE_MEMORY).run(checkpoints=generations(tmp_path))


def test_two_checkpoints_are_kept_and_what_is_unfinished_is_none(tmp_path: Path, stopper: Stopper) -> None:
    model = stopped_at(tmp_path, stopper, "depth-first", 20)
    for _ in range(3):
        stopper.left = 20
        stopper.stopping(model.search("depth-first", MEMORY)).run(checkpoints=generations(tmp_path))
    assert [path.name for path in generations(tmp_path).files()] == ["a key.3.checkpoint", "a key.4.checkpoint"]
    (tmp_path / "a key.9.checkpoint.unfinished").write_text("begun")
    latest = generations(tmp_path).latest()
    assert latest is not None
    assert latest.name == "a key.4.checkpoint"
    generations(tmp_path).remove()
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_written_does_not_end_the_search(tmp_path: Path, stopper: Stopper) -> None:
    (tmp_path / "file").write_text("no folder")
    where = generations(tmp_path / "file", interval=0)
    model = TableModel([[1], [2], [0]], [0])
    stopper.left = 2
    assert (
        stopper.stopping(model.search("depth-first", MEMORY)).run(checkpoints=where).ending
        is not SearchEnding.COMPLETED
    )
    assert where.failed.startswith(f"no checkpoint could be written to {tmp_path / 'file'}: ")


class Blind:
    """A digest of nothing."""

    def update(self, data: Any) -> None:
        pass

    def digest(self) -> bytes:
        return bytes(seal.SEAL_BYTES)

    def hexdigest(self) -> str:
        return self.digest().hex()


def orphan(lost: Any, nodes: Any) -> None:
    for node in nodes:
        lost._parent[node] = -1


PLANTED: Final[dict[str, tuple[Any, str, Any]]] = {
    "colours stay as the way has left them": (fast_forward.OnStack, "_set_back", lambda _: None),
    "parents are forgotten": (fast_forward.OnQueue, "_adopt", orphan),
    "the next level is forgotten": (fast_forward.OnQueue, "_written", lambda self, _, end: self._limit[0] or end),
    "nobody is told that a state waits": (fast_forward.OnHeap, "_uncolour", lambda *_: None),
    "the inner search begins at a state that is left": (points, "_enter_again", lambda *_: None),
    "levels count from the checkpoint on": (Keeper, "levels_before", property(lambda _: 0)),
    "the words are those of a search that begins": (Memory, "noted", ()),
    "a changed byte is not noticed": (checkpoint_file, "begun", Blind),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_planted_mistakes_are_found(
    mistake: str, tmp_path: Path, stopper: Stopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, name, wrong = PLANTED[mistake]
    monkeypatch.setattr(where, name, wrong)
    with pytest.raises((AssertionError, CheckpointError, pytest.fail.Exception)):
        _go_through(tmp_path, stopper)


def _go_through(folder: Path, stopper: Stopper) -> None:
    for algorithm in ("holzmann", "breadth-first", "unordered"):
        for number, graph in enumerate(graphs(algorithm, 40, 30)):
            model = model_of(graph, algorithm)
            whole = model.search(algorithm, MEMORY).run()
            search = partial(model.search, algorithm, MEMORY)
            where = folder / f"{algorithm} {number}"
            outcome, _ = by_parts(where, stopper, search, iter((3, 4, 5, 6, -1)))
            assert said(outcome) == said(whole)
    test_a_damaged_checkpoint_is_refused("a bit of the rows", folder, stopper)


@pytest.mark.parametrize("algorithm", ["unordered", "schwoon-esparza"])
def test_rows_kept_as_trees_stay_split_as_they_were(algorithm: str, tmp_path: Path, stopper: Stopper) -> None:
    """Another split is chosen for the search that goes on: it must not count."""
    rng = random.Random(algorithm)
    for number, graph in enumerate(graphs(algorithm, 20, 90)):
        model = model_of(graph, algorithm)

        def search(model: TableModel = model) -> NativeSearch:
            found = model.search(algorithm, MEMORY, kind="tree")
            found.split, found.usual_words = rng.getrandbits(64), rng.choice([0, 4, 6, 9])
            return found

        outcome, _ = by_parts(tmp_path / str(number), stopper, search, steps_of(rng))
        assert said(outcome) == said(model.search(algorithm, MEMORY, kind="tree").run())


@pytest.mark.parametrize("place", ["in writing", "on the way"])
def test_what_goes_wrong_beside_the_search_ends_it(
    place: str, tmp_path: Path, stopper: Stopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python would only print it, and the search go on without a state's successors."""
    model = stopped_at(tmp_path, stopper, "depth-first", 40)

    def fails(*_: Any) -> None:
        raise ZeroDivisionError

    if place == "on the way":
        monkeypatch.setattr(fast_forward.OnStack, "_set_back", fails)
        search, where = model.search("depth-first", MEMORY), generations(tmp_path)
    else:
        monkeypatch.setattr(keeper, "parts_of", fails)
        monkeypatch.setattr(Stopper, "act", lambda self: self.keeper.look())
        monkeypatch.setattr(native_search, "Keeper", stopper.keeping)
        stopper.left = 5
        search, where = stopper.stopping(model.search("depth-first", MEMORY)), generations(tmp_path / "new", interval=0)
    with pytest.raises(ZeroDivisionError):
        search.run(checkpoints=where)
