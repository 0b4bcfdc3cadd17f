"""Checks on a Ray cluster that is up: from outside, from inside, one after the other, and when nobody has time."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from oracles.corpus import EXAMPLES_FOLDER
from oracles.looks import without_look

from everafter.backends import cluster as backend
from everafter.check import answer, check
from everafter.cli import main
from everafter.commands.status import HOLDS, INCOMPLETE, VIOLATED
from everafter.deadline import Deadline
from everafter.engine.cluster import connection
from everafter.engine.cluster.connection import kept_connections
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.cluster.over_ray import OverRay
from everafter.questions.limits import Progress
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.user_model import load

PETERSON, BROKEN = EXAMPLES_FOLDER / "peterson_n.pml", EXAMPLES_FOLDER / "mutex_broken.pml"
PHILOSOPHERS = EXAMPLES_FOLDER / "philosophers_fixed.pml"
WORKERS = 2
AT_MOST = "5m"
"""A check that takes longer hangs."""


@pytest.fixture(autouse=True)
def _without_look() -> Iterator[None]:
    """What is found is found by the engine itself."""
    with without_look():
        yield


@pytest.fixture(scope="module")
def head() -> Iterator[tuple[str, str]]:
    """The addresses of a cluster of one node with two processors: from outside, and from inside."""
    utilities = pytest.importorskip("ray.cluster_utils")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = utilities.Cluster()
        cluster.add_node(
            num_cpus=WORKERS, object_store_memory=256 << 20, include_dashboard=False, ray_client_server_port=port
        )
        patch.setenv("RAY_ADDRESS", cluster.address)
        try:
            yield f"ray://127.0.0.1:{port}", cluster.address
        finally:
            cluster.shutdown()


@pytest.fixture
def actors(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The actors of each group, once it has ended."""
    noted: list[Any] = []

    class Noted(OverRay):
        def close(self) -> None:
            noted.append(self.actors)
            super().close()

    monkeypatch.setattr(backend, "OverRay", Noted)
    return noted


def told(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["results"]
    return results


@pytest.mark.parametrize("where", ["from outside", "auto"])
def test_a_cluster_that_is_up_finds_what_one_machine_does(
    head: tuple[str, str], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    address = head[0] if where == "from outside" else where
    options = ["--reduction", "none", "--format", "json", "--time", AT_MOST]
    assert main(["check", str(PETERSON), "--safety", "--cluster", address, *options]) == HOLDS
    [result] = told(capsys)
    assert (result["states"], result["transitions"], result["threads"]) == (20_344, 56_094, WORKERS)
    assert main(["check", str(PHILOSOPHERS), "--cluster", address, *options]) == VIOLATED
    ours = told(capsys)
    assert main(["check", str(PHILOSOPHERS), "--algorithm", "tarjan", *options]) == VIOLATED
    assert [each["verdict"] for each in ours] == [each["verdict"] for each in told(capsys)]


def test_nobody_at_an_address_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_CLIENT_MAX_CONNECTION_ATTEMPTS", "1")
    assert main(["check", str(PETERSON), "--safety", "--cluster", "ray://127.0.0.1:9", "--time", "30s"]) == INCOMPLETE
    assert "there is no cluster at ray://127.0.0.1:9" in capsys.readouterr().out


@pytest.mark.parametrize(("busy", "is_there"), [(2, True), (3, False)])
def test_a_cluster_that_is_busy_is_asked_again(busy: int, is_there: bool) -> None:
    """Ray aborts a connection that does not begin in time."""
    asked: list[str] = []

    class Busy:
        def init(self, address: str, **_: object) -> None:
            asked.append(address)
            if len(asked) <= busy:
                raise ConnectionAbortedError("Initialization failure from server:")

    connected = object.__new__(connection.Connection)
    connected.ray = Busy()
    if is_there:
        connected._init("ray://there:1")
    else:
        with pytest.raises(ClusterError, match="there is no cluster"):
            connected._init("ray://there:1")
    assert len(asked) == 3


def test_processors_that_were_lost_meanwhile_are_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that has just died is still counted when a group is gathered."""
    groups = pytest.importorskip("ray.util.placement_group")

    class Smaller:
        exceptions = pytest.importorskip("ray").exceptions

        def cluster_resources(self) -> dict[str, float]:
            return {"CPU": 1.0}

        available_resources = cluster_resources

    class Never:
        def wait(self, _seconds: int) -> bool:
            return False

    removed: list[object] = []
    monkeypatch.setattr(groups, "placement_group", lambda *_, **__: Never())
    monkeypatch.setattr(groups, "remove_placement_group", removed.append)
    connected = object.__new__(connection.Connection)
    connected.ray = Smaller()
    with pytest.raises(WorkerLost, match="2 needed, 1 of 1 free"):
        connected._reserved(2, lambda _: None, lambda: False)
    assert len(removed) == 1


@pytest.mark.usefixtures("head")
def test_several_checks_share_their_actors(actors: list[Any]) -> None:
    with kept_connections():
        for path, verdict in ((BROKEN, "violated"), (PETERSON, "holds"), (BROKEN, "violated")):
            limit = Deadline.after(300.0)
            question = Question(load(path).program, SAFETY, reduction="none", deadline=limit, shown_by=limit)
            assert answer(question, Request(cluster="auto")).verdict == verdict
    assert actors[0] == actors[1] == actors[2]
    results = check(load(PHILOSOPHERS), Request(cluster="auto"))
    assert len(results) > 1
    assert all(each == actors[3] != actors[0] for each in actors[3:])


@pytest.mark.usefixtures("head")
def test_others_take_the_place_of_an_actor_that_died_between_two_checks(actors: list[Any]) -> None:
    ray = pytest.importorskip("ray")
    limit = Deadline.after(300.0)
    question = Question(load(BROKEN).program, SAFETY, deadline=limit, shown_by=limit)
    with kept_connections():
        assert answer(question, Request(cluster="auto")).verdict == "violated"
        ray.kill(actors[0][1])
        assert answer(question, Request(cluster="auto")).verdict == "violated"
    assert not set(actors[0]) & set(actors[1])


@pytest.mark.usefixtures("head")
def test_a_cluster_without_free_processors_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(connection, "PATIENCE", 3.0)
    seen: list[Progress | str] = []
    question = replace(Question(load(PETERSON).program, SAFETY), observer=seen.append)
    ray.init(address=os.environ["RAY_ADDRESS"], log_to_driver=False, logging_level="ERROR")
    try:
        group = ray.util.placement_group([{"CPU": 1}])
        ray.get(group.ready(), timeout=120)
        result = answer(question, Request(cluster="auto"))
        assert result.verdict == "incomplete"
        assert f"too few free processors: {WORKERS} needed, 1 of {WORKERS} free" in result.reason
        assert any("waiting for processors" in each for each in seen if isinstance(each, str))
        ray.util.remove_placement_group(group)
        assert answer(question, Request(cluster="auto")).verdict == "holds"
    finally:
        ray.shutdown()
