"""Certificates of engines that search by levels: rows of a GPU and of workers of a cluster, with ranks by rounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from oracles.certificates import confirmed, sections_of, written
from oracles.looks import without_look
from oracles.planted_groups import Mortal
from tests.engine.test_cluster_cycles import CALM, EVERY_TIME, MEMORY, WAITS, order_for

from everafter.backends import cluster as backend
from everafter.certificates.file import CertificateError, CertificateWriter
from everafter.certificates.native.listing import listed_blocks
from everafter.certificates.rows import decoded
from everafter.check import check
from everafter.engine.cluster.cycle_coordinator import ClusterCycleSearch
from everafter.engine.cluster.errors import WorkerLost
from everafter.engine.cluster.snapshots import Checkpoints
from everafter.engine.cluster.worker import Phase, Report
from everafter.engine.cluster.worker_group import InProcess, WorkerGroup
from everafter.engine.gpu import devices
from everafter.questions.request import Request
from everafter.record import replace
from everafter.user_model import load, parse

EXAMPLES = Path(__file__).parents[2] / "examples"
ENGINES: dict[str, dict[str, Any]] = {
    "gpu": {"engine": "gpu"},
    "cluster": {"cluster": "inside:3"},
    "trees": {"cluster": "inside:2", "store": "tree"},
}


@pytest.fixture(autouse=True)
def _on_processor(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What is found is found by the engine itself, and threads of the processor are the GPU."""
    monkeypatch.setenv(devices.VARIABLE, "cpu")
    with without_look():
        yield


@pytest.mark.parametrize("reduction", ["none", "static"])
@pytest.mark.parametrize("name", ["peterson", "philosophers_fixed", "process_creation"])
@pytest.mark.parametrize("engine", ENGINES)
def test_verdicts_are_certified(engine: str, name: str, reduction: str, tmp_path: Path) -> None:
    model, file = load(EXAMPLES / f"{name}.pml"), tmp_path / "certificate"
    request = Request(**ENGINES[engine], reduction=reduction)
    verdicts = written(model, request, file)
    assert [each.verdict for each in confirmed(file, model)] == verdicts
    assert [each.verdict for each in confirmed(file, model, "reference")] == verdicts
    alone = tmp_path / "alone"
    written(model, Request(reduction=reduction), alone)
    for (ours, rows), (_, others) in zip(sections_of(file), sections_of(alone), strict=True):
        assert ours["verdict"] == "violated" or {row for row, _ in rows} == {row for row, _ in others}


@pytest.mark.parametrize("engine", ENGINES)
def test_ranks_fall_over_several_rounds(engine: str, tmp_path: Path) -> None:
    model, file, request = parse(CALM), tmp_path / "certificate", Request(formulas=(WAITS,))
    assert written(model, replace(request, **ENGINES[engine]), file) == ["holds"]
    assert [each.verdict for each in confirmed(file, model, request=request)] == ["holds"]
    ranks = {rank for _, rows in sections_of(file) for _, rank in rows}
    assert len(ranks) > 2


class Timeless(InProcess):
    """A group whose rounds do not note when rows leave."""

    def phase(self, phase: Phase, targets: Sequence[tuple[int, int]] = (), time: int = 0) -> Sequence[Report]:
        return super().phase(phase, targets)


def test_without_times_a_certificate_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "group_at", lambda *_: Timeless(2))
    model, file, request = parse(CALM), tmp_path / "certificate", Request(formulas=(WAITS,))
    assert written(model, replace(request, cluster="inside:2"), file) == ["holds"]
    with pytest.raises(CertificateError):
        confirmed(file, model, request=request)


class DyingLate(InProcess):
    """A group that dies while its rows are listed."""

    def listed(self, lister: Any) -> Iterator[Any]:
        yield next(super().listed(lister))
        raise WorkerLost("a worker is lost: it was planted")


def test_rows_of_workers_that_die_are_not_listed_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = iter([DyingLate(2), InProcess(2)])
    monkeypatch.setattr(backend, "group_at", lambda *_: next(groups))
    request = Request(safety=True, cluster="inside:2", checkpoint=str(tmp_path / "checkpoint"))
    with (tmp_path / "certificate").open("wb") as file:
        writer = CertificateWriter(file)
        (result,) = check(load(EXAMPLES / "peterson.pml"), request, certificate=writer)
        assert result.verdict == "incomplete"
        assert not writer.finish()


@pytest.mark.parametrize("store", ["plain", "tree"])
def test_ranks_are_in_a_checkpoint(store: Any, tmp_path: Path) -> None:
    description = replace(order_for(parse(CALM), WAITS, store=store), ranks=True)

    def ranked(group: WorkerGroup, checkpoints: Checkpoints | None = None) -> dict[bytes, int]:
        found: dict[bytes, int] = {}

        def conclude(group: WorkerGroup) -> None:
            for block in group.listed(partial(listed_blocks, sets=1)):
                found.update(decoded(block))

        search = ClusterCycleSearch(group, description, MEMORY, checkpoints=checkpoints)
        search.run(conclude=conclude)
        return found

    expected = ranked(InProcess(3))
    with pytest.raises(WorkerLost):
        ranked(Mortal(36), Checkpoints(str(tmp_path), description, EVERY_TIME))
    saved = Checkpoints(str(tmp_path), description, EVERY_TIME)
    assert saved.latest() is not None
    assert ranked(InProcess(3), saved) == expected
