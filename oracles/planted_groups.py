"""Groups in which something goes wrong."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from everafter.engine.cluster.errors import WorkerLost
from everafter.engine.cluster.over_ray import RayActor
from everafter.engine.cluster.worker import LEVEL, NO_END, THROUGH, ClusterWorker, MessageCounters, Phase, Report
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.cluster.worker_words import PADDING


class Late(InProcess):
    """A group of three in which something goes wrong behind so many turns: 0 for while states are explored."""

    def __init__(self, turns: int = 0) -> None:
        super().__init__(3)
        self.turns = turns

    def phase(self, phase: Phase, targets: Sequence[tuple[int, int]] = (), time: int = 0) -> Sequence[Report]:
        self.turns -= 1
        return super().phase(phase, targets, time)

    @property
    def is_due(self) -> bool:
        return self.turns <= 0


class Planted(Late):
    """A group in which something goes wrong once."""

    is_done = False

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        for sender, batches in enumerate(self._sent):
            for owner, batch in enumerate(batches):
                if batch.size > PADDING and self.is_due and not self.is_done:
                    self.is_done = True
                    self.spoil(self._sent, sender, owner)
        return super().exchange(until)

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        raise NotImplementedError


class Lost(Planted):
    """A batch does not arrive."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][-PADDING:]


class Doubled(Planted):
    """A batch arrives twice."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        none = [batches[owner][-PADDING:] for batches in sent]
        self.members[owner].take_in([*none[:sender], sent[sender][owner], *none[sender + 1 :]])


class Misdirected(Planted):
    """A batch arrives at another worker."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        other = next(each for each in range(3) if each not in (sender, owner))
        sent[sender][other], sent[sender][owner] = sent[sender][owner], sent[sender][other]


class Torn(Planted):
    """A batch is cut off."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][:-8]


class FalseParent(Planted):
    """As many rows arrive as were sent, but not the same."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        batch = sent[sender][owner].copy()
        batch[0] ^= 1
        sent[sender][owner] = batch


class Early(Late):
    """The first level with more than a few rows ends before it is expanded."""

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        all_counters = super().exchange(until)
        if not self.is_due or sum(counters.report.rows for counters in all_counters) < 100:
            return all_counters
        return [replace(each, report=replace(each.report, is_idle=True)) for each in all_counters]


class SkipsAPart(Late):
    """A worker goes on to the next level though it has not expanded all of this one."""

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        all_counters = super().exchange(until)
        for batches in self._sent if self.is_due else ():
            for batch in batches:
                batch[-PADDING] |= THROUGH
        return all_counters


class TwoOwners(Late):
    """A worker takes itself for another."""

    def start(self, *given: Any) -> Sequence[Report]:
        reports = super().start(*given)
        self.members[2].place = 1
        return reports


class OtherPartition(Late):
    """A worker tells in another way who owns a state."""

    def start(self, *given: Any) -> Sequence[Report]:
        reports = super().start(*given)
        chosen = self.members[2].memory.chosen
        chosen[1] = chosen[1] ^ 0xFF << 24
        return reports


class Mortal(InProcess):
    """A group whose workers die when so many levels are complete, and after the checkpoint that may be written."""

    def __init__(self, levels: int) -> None:
        super().__init__(3)
        self.levels = levels
        self.complete = 0

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        if self.levels <= 0:
            raise WorkerLost("a worker is lost: it was planted")
        all_counters = super().exchange(until)
        self.levels -= all_counters[0].complete > self.complete
        self.complete = all_counters[0].complete
        return all_counters


class OtherLevel(Late):
    """A worker is told of all that they are through with a level that has not begun."""

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        all_counters = super().exchange(until)
        for batches in self._sent if self.is_due else ():
            told = batches[0].copy()
            told[-PADDING] = told[-PADDING] + LEVEL | THROUGH
            batches[0] = told
        return all_counters


class Apart(InProcess):
    """A group of actors without Ray: batches take some steps to arrive, as many as chance says."""

    def __init__(self, workers: int, seed: int, most: int) -> None:
        super().__init__(workers)
        self.actors = [RayActor() for _ in range(workers)]
        self.members = list[ClusterWorker](self.actors)
        self._chance = random.Random(seed)
        self._most = most
        self._rounds: deque[list[list[Any]]] = deque()

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        behind = self._chance.randint(0, self._most)
        handed = [self._rounds.popleft() for _ in range(len(self._rounds) - behind)]
        answers = []
        for owner, actor in enumerate(self.actors):
            others = [sent[owner] for each in handed for sender, sent in enumerate(each) if sender != owner]
            answer = actor.step(until, len(handed), *others)
            answers.append(list(answer) if self.workers > 1 else [answer])
        all_counters = [answer.pop(0) for answer in answers]
        for sender, made in enumerate(answers):
            copied = [batch.copy() for batch in made]
            answers[sender] = [*copied[:sender], None, *copied[sender:]]
        self._rounds.append(answers)
        return all_counters

    def phase(self, phase: Phase, targets: Sequence[tuple[int, int]] = (), time: int = 0) -> Sequence[Report]:
        self._rounds.clear()
        return super().phase(phase, targets, time)


MISTAKES: dict[type[Late], str] = {
    Lost: "which has taken in",
    Doubled: "which has taken in",
    FalseParent: "others",
    Misdirected: "a row that another worker owns",
    Torn: "half a row",
    Early: "rows and expanded",
    SkipsAPart: "rows and expanded",
    TwoOwners: "two workers own the same states",
    OtherLevel: "do not agree",
    OtherPartition: "a row that another worker owns|in different ways",
}
