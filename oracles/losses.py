"""Checks on a Ray cluster in which an actor, a node or the driver is killed at a random moment: each must end right.

One cluster is used for many checks. `python -m oracles.losses FOLDER SECONDS` is a driver that can be killed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal, get_args
from unittest.mock import patch

from everafter.backends import cluster as backend
from everafter.check import answer
from everafter.deadline import Deadline
from everafter.engine.cluster.over_ray import OverRay
from everafter.engine.cluster.snapshots import Checkpoints
from everafter.questions.property import SAFETY
from everafter.questions.question import Question
from everafter.questions.request import Request
from everafter.stated_questions import questions
from everafter.user_model import load
from everafter.verdict.result import Result
from oracles.corpus import EXAMPLES_FOLDER

Victim = Literal["actor", "node", "driver"]
VICTIMS: Final[tuple[Victim, ...]] = get_args(Victim)
_ASKED: Final = (("peterson_n", None), ("two_phase_commit", "decided"), ("philosophers_fixed", "first_eats"))
"""What is asked: safety of the first, and formulas that hold and that do not."""
_NODES: Final = 2
_ATTEMPTS: Final = 5
"""Where much else runs, a node may not be there in Ray's time."""
_PATIENCE: Final = 300.0
"""A check that takes so many seconds hangs."""
_OBJECTS: Final = 128 << 20


class Losses:
    """A Ray cluster on this machine, of a head that has no workers and some nodes that have."""

    def __init__(self) -> None:
        import ray  # only this needs it
        from ray.cluster_utils import Cluster

        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        self.ray: Any = ray
        self.cluster: Any = Cluster()
        self.cluster.add_node(num_cpus=0, object_store_memory=_OBJECTS, include_dashboard=False)
        self.nodes = [self._node() for _ in range(_NODES)]
        ray.init(address=self.cluster.address, log_to_driver=False, logging_level="ERROR")
        self.groups: list[OverRay] = []
        self.expected = [self.checked(question, "inside:2", None, 0.0) for question in range(len(_ASKED))]
        self.durations = [self._duration(question) for question in range(len(_ASKED))]

    def _node(self) -> Any:
        """Another node, with one worker."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                return self.cluster.add_node(num_cpus=1, object_store_memory=_OBJECTS)
            except Exception:  # Ray raises just that
                if not left:
                    raise
        raise AssertionError

    def _duration(self, question: int) -> float:
        """How many seconds the check takes if nobody is killed, once all code is made."""
        for _ in range(2):
            begun = time.monotonic()
            self.checked(question, "auto", None, 0.0)
        return time.monotonic() - begun

    def checked(self, question: int, where: str, folder: str | None, interval: float) -> tuple[str, int, int]:
        """The verdict, and where it holds the counts, of a check on this cluster or elsewhere."""
        with self._noted():
            return checked(question, where, folder, interval)

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Note the groups that are gathered, so that their actors can be killed."""
        gather = backend.group_at

        def noted(*given: Any) -> Any:
            group = gather(*given)
            if isinstance(group, OverRay):
                self.groups.append(group)
            return group

        with patch.object(backend, "group_at", noted):
            yield

    def differences(self, seed: int) -> tuple[Victim, bool, list[str]]:
        """Who was to be killed in the check of a seed, whether that was before its end, and what is different then."""
        while len(self.nodes) < _NODES:
            self.nodes.append(self._node())
        rng = random.Random(seed)
        victim, question = VICTIMS[seed % len(VICTIMS)], rng.randrange(len(_ASKED))
        interval = rng.choice((0.0, 0.2, 1.0))
        moment = rng.uniform(0.0, 0.9 * self.durations[question])
        with TemporaryDirectory() as folder:
            if victim == "driver":
                was_alive = self._driver_killed(question, folder, interval, moment)
                found = self.checked(question, "auto", folder, interval)
            else:
                kill = partial(self._kill_actor if victim == "actor" else self._kill_node, rng)
                found, was_alive = self._while_killing(kill, moment, question, folder, interval)
            left = list(Path(folder).iterdir())
        wrong = [] if found == self.expected[question] else [f"{found}, expected {self.expected[question]}"]
        return victim, was_alive, wrong + ([f"{left[0]} is left"] if left else [])

    def _while_killing(
        self, kill: Callable[[], None], moment: float, question: int, folder: str, interval: float
    ) -> tuple[tuple[str, int, int], bool]:
        self.groups.clear()
        done = threading.Event()
        killed = threading.Event()

        def wait() -> None:
            while not (self.groups and self.groups[-1].actors) and not done.wait(0.01):
                pass
            if not done.wait(moment):
                killed.set()
                kill()

        thread = threading.Thread(target=wait)
        thread.start()
        try:
            found = self.checked(question, "auto", folder, interval)
        finally:
            done.set()
            thread.join()
        return found, killed.is_set()

    def _kill_actor(self, rng: random.Random) -> None:
        actors = self.groups[-1].actors
        if actors:
            self.ray.kill(rng.choice(actors))

    def _kill_node(self, rng: random.Random) -> None:
        node = self.nodes.pop(rng.randrange(len(self.nodes)))
        self.cluster.remove_node(node, allow_graceful=False)

    def _driver_killed(self, question: int, folder: str, interval: float, moment: float) -> bool:
        command = [sys.executable, "-m", "oracles.losses", str(question), folder, str(interval)]
        environment = {**os.environ, "RAY_ADDRESS": self.cluster.address, "RAY_USAGE_STATS_ENABLED": "0"}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as driver:
            assert driver.stdout is not None
            driver.stdout.readline()  # it has read the model, and is about to gather its workers
            try:
                driver.wait(moment + 1.0)
            except subprocess.TimeoutExpired:
                driver.send_signal(signal.SIGKILL)
                return True
            return False

    def close(self) -> None:
        """Stop the cluster."""
        self.ray.shutdown()
        self.cluster.shutdown()


def checked(question: int, where: str, folder: str | None, interval: float) -> tuple[str, int, int]:
    """The verdict, and where it holds the counts, of a check with checkpoints so many seconds apart."""
    name, formula = _ASKED[question]
    model = load(EXAMPLES_FOLDER / f"{name}.pml")
    deadline = Deadline.after(_PATIENCE)
    like = Question(model.program, SAFETY, reduction="none", deadline=deadline, shown_by=deadline)
    if formula is not None:
        (asked,) = questions(model, Request(formulas=(formula,)))
        like = asked.question(like)
    with patch.object(backend, "Checkpoints", lambda at, order, *_: Checkpoints(at, order, interval)):
        return _told(answer(like, Request(cluster=where, checkpoint=folder)))


def _told(result: Result) -> tuple[str, int, int]:
    if result.verdict == "holds":
        return result.verdict, result.states, result.transitions
    return (f"{result.verdict} {result.reason}" if result.verdict == "incomplete" else result.verdict), 0, 0


if __name__ == "__main__":
    print("begun", flush=True)
    checked(int(sys.argv[1]), "auto", sys.argv[2], float(sys.argv[3]))
