"""A group of workers: states, verdicts and counterexamples are those of one machine, and what is lost is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from oracles.asking import check_safety
from oracles.corpus import EXAMPLES, EXAMPLES_FOLDER
from oracles.counting import count_states
from oracles.looks import without_look
from oracles.planted_groups import MISTAKES, Apart, Lost, Mortal
from oracles.promela.random_programs import program as random_program

from everafter.backends import cluster as backend
from everafter.check import answer
from everafter.choices import ReductionWish, StoreKind
from everafter.cli import main
from everafter.commands.status import BAD_INPUT, HOLDS
from everafter.engine.cluster import address
from everafter.engine.cluster.coordinator import ClusterOutcome, ClusterSearch
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.snapshots import Checkpoints
from everafter.engine.cluster.worker import JobDescription, Part
from everafter.engine.cluster.worker_group import InProcess, WorkerGroup
from everafter.engine.emit.module import code_of
from everafter.engine.run.search_outcome import SearchEnding
from everafter.program.program import Program
from everafter.questions.limits import Limits, Progress, Sharing
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.seal import sealed
from everafter.user_model import load, parse
from everafter.verdict.result import Result

PETERSON, BROKEN = EXAMPLES_FOLDER / "peterson_n.pml", EXAMPLES_FOLDER / "mutex_broken.pml"
MEMORY = 1 << 28


STORES: tuple[StoreKind, ...] = ("plain", "tree")


@pytest.fixture(autouse=True)
def _without_look() -> Iterator[None]:
    """What is found is found by the engine itself."""
    with without_look():
        yield


def searched(
    program: Program, group: WorkerGroup, past_errors: bool = False, store: StoreKind = "plain"
) -> ClusterOutcome:
    """What the group comes to with little room: a level takes many parts, and hash tables grow often."""
    description = JobDescription(code_of(program), past_errors, batch=256, lines=1, store=store)
    return ClusterSearch(group, description, MEMORY).run()


def decided(
    program: Program,
    where: str,
    reduction: ReductionWish = "none",
    limits: Limits | None = None,
    store: StoreKind = "plain",
) -> Result:
    question = Question(program, SAFETY, reduction=reduction, limits=limits or Limits(memory=1 << 32))
    return answer(question, Request(cluster=where, store=store))


@pytest.mark.parametrize("reduction", ["none", "static"])
@pytest.mark.parametrize(
    ("workers", "store"), [(1, "plain"), (2, "plain"), (3, "plain"), (5, "plain"), (1, "tree"), (3, "tree")]
)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_the_states_and_the_verdict_of_one_machine(
    path: Path, workers: int, store: StoreKind, reduction: ReductionWish
) -> None:
    program = load(path).program
    ours = decided(program, f"inside:{workers}", reduction, store=store)
    native = check_safety(program, algorithm="breadth-first", engine="native", reduction=reduction)
    assert (ours.engine, ours.threads, ours.verdict) == ("cluster", workers, native.verdict)
    assert ours.store == store
    if native.verdict == "holds":
        assert (ours.states, ours.transitions) == (native.states, native.transitions)
    else:
        assert ours.counterexample is not None
        assert native.counterexample is not None
        assert len(ours.counterexample) == len(native.counterexample)


@pytest.mark.parametrize("seed", range(8100, 8130))
def test_a_random_program_has_the_states_of_one_machine(seed: int) -> None:
    program = parse(random_program(seed)).program
    if check_safety(program, Limits(states=5_000), engine="native", reduction="none").verdict == "incomplete":
        return
    expected, _ = count_states(program, engine="native")
    for workers, store in product((1, 3), STORES):
        outcome = searched(program, InProcess(workers), past_errors=True, store=store)
        assert (outcome.ending, outcome.figures.states) == (SearchEnding.COMPLETED, expected)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(("workers", "most"), [(1, 2), (2, 0), (2, 1), (3, 1), (3, 4)])
def test_batches_may_be_under_way_for_some_steps(workers: int, most: int, store: StoreKind, tmp_path: Path) -> None:
    for seed, path in product(range(3), (PETERSON, BROKEN)):
        program = load(path).program
        expected = searched(program, InProcess(workers), store=store)
        outcome = searched(program, Apart(workers, seed, most), store=store)
        assert (outcome.ending, len(outcome.path)) == (expected.ending, len(expected.path))
        if outcome.ending is SearchEnding.COMPLETED:
            assert (outcome.figures.states, outcome.figures.transitions) == (20_344, 56_094)
            assert outcome.levels == expected.levels
            saved = resumed(tmp_path / f"{seed}", Apart(workers, seed, most), program, store)
            assert (saved.ending, saved.levels) == (SearchEnding.COMPLETED, expected.levels)


# Planted mistakes


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("group", MISTAKES, ids=lambda group: group.__name__)
def test_a_planted_mistake_is_noticed(group: Any, store: StoreKind) -> None:
    with pytest.raises(ClusterError, match=MISTAKES[group]):
        searched(load(PETERSON).program, group(), store=store)


def test_what_is_noticed_makes_the_verdict_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "group_at", lambda *_: Lost())
    result = decided(load(PETERSON).program, "inside:3")
    assert result.verdict == "incomplete"
    assert "which has taken in" in result.reason


# Limits


def test_limits_end_in_incomplete() -> None:
    program = load(PETERSON).program
    few = decided(program, "inside:2", limits=Limits(states=100))
    assert (few.verdict, few.reason) == ("incomplete", "the limit of 100 states was reached")


@pytest.mark.parametrize("store", STORES)
def test_a_full_worker_is_incomplete(store: StoreKind) -> None:
    outcome = ClusterSearch(InProcess(2), JobDescription(code_of(load(PETERSON).program), store=store), 1 << 20).run()
    assert outcome.ending is SearchEnding.OUT_OF_MEMORY


def test_workers_of_another_version_are_refused() -> None:
    description = JobDescription(code_of(load(PETERSON).program), digest="of another text")
    with pytest.raises(ClusterError, match="another version"):
        ClusterSearch(InProcess(1), description, MEMORY).run()


# Checkpoints

EVERY_LEVEL = 0.0


def resumed(folder: Path, group: WorkerGroup, program: Program, store: StoreKind = "plain") -> ClusterOutcome:
    description = JobDescription(code_of(program), batch=256, lines=1, store=store)
    return ClusterSearch(
        group, description, MEMORY, checkpoints=Checkpoints(str(folder), description, EVERY_LEVEL)
    ).run()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("levels", [1, 7, 40, 108])
def test_others_go_on_from_the_last_checkpoint(tmp_path: Path, levels: int, store: StoreKind) -> None:
    program = load(PETERSON).program
    with pytest.raises(WorkerLost):
        resumed(tmp_path, Mortal(levels), program, store)
    outcome = resumed(tmp_path, InProcess(3), program, store)
    assert (outcome.ending, outcome.levels) == (SearchEnding.COMPLETED, 109)
    assert (outcome.figures.states, outcome.figures.transitions) == (20_344, 56_094)


@pytest.mark.parametrize("store", STORES)
def test_a_counterexample_behind_a_checkpoint_is_whole(tmp_path: Path, store: StoreKind) -> None:
    program = load(BROKEN).program
    whole = searched(program, InProcess(3)).path
    with pytest.raises(WorkerLost):
        resumed(tmp_path, Mortal(4), program, store)
    assert len(resumed(tmp_path, InProcess(3), program, store).path) == len(whole)


def forge(listed: Path, part: Path) -> None:
    """Change a part, and list its digest, with another key than that of who goes on."""
    before = hashlib.blake2b(part.read_bytes()).hexdigest()
    content = bytearray(part.read_bytes())
    content[-20] ^= 1
    part.write_bytes(content)
    said = json.dumps(json.loads(listed.read_bytes())["content"])
    assert before in said
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVERAFTER_KEY", str(listed.parent / "another key"))
        listed.write_bytes(sealed(said.replace(before, hashlib.blake2b(content).hexdigest())))


def spoilt(folder: Path, how: str) -> None:
    """Damage a checkpoint of several parts."""
    first, second = sorted(folder.glob("level-*/*.rows"))[:2]
    match how:
        case "a flipped bit":
            content = bytearray(first.read_bytes())
            content[-20] ^= 1
            first.write_bytes(content)
        case "cut off":
            first.write_bytes(first.read_bytes()[:-8])
        case "of another worker":
            first.write_bytes(second.read_bytes())
        case "gone":
            first.unlink()
        case "no list":
            (folder / "checkpoint.json").write_text("{}", encoding="utf-8")
        case "forged":
            forge(folder / "checkpoint.json", first)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("how", ["a flipped bit", "cut off", "of another worker", "gone", "no list", "forged"])
def test_a_damaged_checkpoint_is_noticed(tmp_path: Path, how: str, store: StoreKind) -> None:
    with pytest.raises(WorkerLost):
        resumed(tmp_path, Mortal(20), load(PETERSON).program, store)
    spoilt(tmp_path, how)
    with pytest.raises(ClusterError, match=r"damaged|cannot be read"):
        resumed(tmp_path, InProcess(3), load(PETERSON).program, store)


def test_a_stale_part_is_noticed(tmp_path: Path) -> None:
    program = load(PETERSON).program
    for folder, levels in (("old", 10), ("new", 20)):
        with pytest.raises(WorkerLost):
            resumed(tmp_path / folder, Mortal(levels), program)
    [old] = (tmp_path / "old").glob("level-*/worker-1.rows")
    [new] = (tmp_path / "new").glob("level-*/worker-1.rows")
    new.write_bytes(old.read_bytes())
    with pytest.raises(ClusterError, match="damaged, or an older one"):
        resumed(tmp_path / "new", InProcess(3), program)


def test_a_checkpoint_of_another_model_or_number_of_workers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkerLost):
        resumed(tmp_path, Mortal(5), load(PETERSON).program)
    with pytest.raises(ClusterError, match="of another model"):
        resumed(tmp_path, InProcess(3), load(BROKEN).program)
    with pytest.raises(ClusterError, match="of another model"):  # or with another store
        resumed(tmp_path, InProcess(3), load(PETERSON).program, "tree")
    with pytest.raises(ClusterError, match="of 3 workers, and there are 2"):
        resumed(tmp_path, InProcess(2), load(PETERSON).program)


def test_a_check_goes_on_when_workers_die(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        backend, "Checkpoints", lambda folder, description, _: Checkpoints(folder, description, EVERY_LEVEL)
    )
    groups: list[WorkerGroup] = [Mortal(10), Mortal(10), InProcess(3)]
    monkeypatch.setattr(backend, "group_at", lambda *_: groups.pop(0))
    question = Question(load(PETERSON).program, SAFETY, reduction="none", limits=Limits(memory=1 << 32))
    result = answer(question, Request(cluster="inside:3", checkpoint=str(tmp_path)))
    assert (result.verdict, result.states, result.transitions) == ("holds", 20_344, 56_094)
    assert not groups
    assert not list(tmp_path.iterdir())


def test_an_incomplete_check_says_where_it_can_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        backend, "Checkpoints", lambda folder, description, _: Checkpoints(folder, description, EVERY_LEVEL)
    )
    monkeypatch.setattr(backend, "group_at", lambda *_: InProcess(3))
    question = Question(load(PETERSON).program, SAFETY, reduction="none", limits=Limits(memory=1 << 32, states=5000))
    options = Request(cluster="inside:3", checkpoint=str(tmp_path))
    stopped = answer(question, options)
    assert (stopped.verdict, stopped.checkpoint) == ("incomplete", str(tmp_path))
    result = answer(replace(question, limits=Limits(memory=1 << 32)), options)
    assert (result.verdict, result.states, result.checkpoint) == ("holds", 20_344, None)


def test_without_a_checkpoint_a_loss_is_incomplete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "group_at", lambda *_: Mortal(10))
    result = decided(load(PETERSON).program, "inside:3")
    assert (result.verdict, result.reason) == ("incomplete", "a worker is lost: it was planted")


class Unlucky(InProcess):
    """A part of the checkpoint is that of another worker, and its digest says so."""

    def save(self, folder: str) -> Sequence[Part]:
        first, second, *others = super().save(folder)
        return [second, first, *others]


@pytest.mark.parametrize("store", STORES)
def test_swapped_parts_are_noticed(tmp_path: Path, store: StoreKind) -> None:
    """Each part is what it says, but neither is the worker's own."""
    program = load(PETERSON).program
    group = Unlucky(3)
    description = JobDescription(code_of(program), batch=256, lines=1, store=store)
    stopped = ClusterSearch(
        group, description, MEMORY, checkpoints=Checkpoints(str(tmp_path), description, EVERY_LEVEL)
    ).run(lambda _, levels: levels == 20)
    assert stopped.ending is SearchEnding.STOPPED_BY_CALLER
    with pytest.raises(ClusterError):
        resumed(tmp_path, InProcess(3), program, store)


# The command line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cluster", "moon"], "there is no cluster 'moon'"),
        (["--cluster", "local:0"], "0 workers cannot be started here"),
        (["--cluster", "inside:2", "--engine", "native"], "the native engine runs on no cluster"),
        (["--cluster", "inside:2", "--threads", "2"], "the cluster engine has its own threads"),
        (["--cluster", "inside:2", "--store", "bitstate"], "the workers of a cluster have no bitstate store"),
    ],
    ids=lambda given: given[-1] if isinstance(given, list) else "",
)
def test_what_cannot_be_is_said(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(PETERSON), *options]) == BAD_INPUT
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("store", STORES)
def test_the_store_that_workers_have_may_be_named(store: StoreKind, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--safety", "--cluster", "inside:2", "--store", store, "--format", "json"]
    assert main(["check", str(PETERSON), *options]) == HOLDS
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert (result["verdict"], result["store"]) == ("holds", store)


def test_without_ray_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(address, "find_spec", lambda _: None)
    assert main(["check", str(PETERSON), "--safety", "--cluster", "local:2"]) == BAD_INPUT
    assert "pip install 'everafter[cluster]'" in capsys.readouterr().err
    assert main(["check", str(PETERSON), "--safety", "--cluster", "inside:2"]) == HOLDS


# Ray itself


@pytest.mark.ray
@pytest.mark.parametrize(("workers", "store"), [(1, "plain"), (2, "plain"), (2, "tree")])
def test_workers_on_nodes_of_ray_find_the_same(
    workers: int, store: StoreKind, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--safety", "--reduction", "none", "--cluster", f"local:{workers}", "--store", store]
    assert main(["check", str(PETERSON), *options, "--format", "json"]) == HOLDS
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert (result["states"], result["transitions"], result["threads"]) == (20_344, 56_094, workers)


def test_each_worker_tells_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--safety", "--reduction", "none", "--cluster", "inside:3", "--format", "json"]
    assert main(["check", str(PETERSON), *options]) == HOLDS
    [result] = json.loads(capsys.readouterr().out)["results"]
    workers = result["workers"]
    assert [len(workers), sum(each["states"] for each in workers)] == [3, result["states"]]
    assert sum(each["transitions"] for each in workers) == result["transitions"]
    assert all(each["sent"] and each["sent_bytes"] > 8 * each["sent"] for each in workers)
    assert all(0 < each["messages"] < each["sent"] and each["machine"] for each in workers)


def test_progress_tells_how_workers_share_the_search() -> None:
    seen: list[Sharing] = []

    def observe(progress: Progress | str) -> None:
        if isinstance(progress, Progress) and progress.sharing is not None:
            seen.append(progress.sharing)

    limits = Limits(memory=1 << 32)
    question = Question(load(PETERSON).program, SAFETY, reduction="none", limits=limits, observer=observe)
    answer(question, Request(cluster="inside:3"))
    assert [each.level for each in seen] == sorted(each.level for each in seen)
    assert {each.workers for each in seen} == {3}
    assert seen[-1].level > 50
    assert all(each.memory <= each.room for each in seen)
    assert seen[-1].messages > 0
