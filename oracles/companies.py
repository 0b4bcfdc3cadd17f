"""Companies in which something goes wrong."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from everafter.engine.cluster.errors import WorkerLost
from everafter.engine.cluster.over_ray import RayActor
from everafter.engine.cluster.worker import LEVEL, NO_END, THROUGH, Balance, ClusterWorker, Report, Turn
from everafter.engine.cluster.worker_group import InProcess
from everafter.engine.cluster.worker_words import PADDING


class Late(InProcess):
    """A company of three in which something goes wrong behind so many turns: 0 for while states are explored."""

    def __init__(self, turns: int = 0) -> None:
        super().__init__(3)
        self.turns = turns

    def turn(self, turn: Turn, targets: Sequence[tuple[int, int]] = ()) -> Sequence[Report]:
        self.turns -= 1
        return super().turn(turn, targets)

    @property
    def is_due(self) -> bool:
        return self.turns <= 0


class Planted(Late):
    """A company in which something goes wrong once."""

    is_done = False

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        for sender, parcels in enumerate(self._sent):
            for owner, parcel in enumerate(parcels):
                if parcel.size > PADDING and self.is_due and not self.is_done:
                    self.is_done = True
                    self.spoil(self._sent, sender, owner)
        return super().exchange(until)

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        raise NotImplementedError


class Lost(Planted):
    """A parcel does not arrive."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][-PADDING:]


class Doubled(Planted):
    """A parcel arrives twice."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        none = [parcels[owner][-PADDING:] for parcels in sent]
        self.members[owner].take_in([*none[:sender], sent[sender][owner], *none[sender + 1 :]])


class Misdirected(Planted):
    """A parcel arrives at another worker."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        other = next(each for each in range(3) if each not in (sender, owner))
        sent[sender][other], sent[sender][owner] = sent[sender][owner], sent[sender][other]


class Torn(Planted):
    """A parcel is cut off."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][:-8]


class FalseParent(Planted):
    """As many rows arrive as were sent, but not the same."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        parcel = sent[sender][owner].copy()
        parcel[0] ^= 1
        sent[sender][owner] = parcel


class Early(Late):
    """The first level with more than a few rows ends before it is expanded."""

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        balances = super().exchange(until)
        if not self.is_due or sum(balance.report.rows for balance in balances) < 100:
            return balances
        return [replace(each, report=replace(each.report, is_idle=True)) for each in balances]


class SkipsAPart(Late):
    """A worker goes on to the next level though it has not expanded all of this one."""

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        balances = super().exchange(until)
        for parcels in self._sent if self.is_due else ():
            for parcel in parcels:
                parcel[-PADDING] |= THROUGH
        return balances


class TwoOwners(Late):
    """A worker takes itself for another."""

    def start(self, *given: Any) -> Sequence[Report]:
        reports = super().start(*given)
        self.members[2].place = 1
        return reports


class OtherOwning(Late):
    """A worker tells in another way who owns a state."""

    def start(self, *given: Any) -> Sequence[Report]:
        reports = super().start(*given)
        chosen = self.members[2].memory.chosen
        chosen[1] = chosen[1] ^ 0xFF << 24
        return reports


class Mortal(InProcess):
    """A company whose workers die when so many levels are complete, and after the checkpoint that may be written."""

    def __init__(self, levels: int) -> None:
        super().__init__(3)
        self.levels = levels
        self.complete = 0

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        if self.levels <= 0:
            raise WorkerLost("a worker is lost: it was planted")
        balances = super().exchange(until)
        self.levels -= balances[0].complete > self.complete
        self.complete = balances[0].complete
        return balances


class OtherLevel(Late):
    """A worker is told of all that they are through with a level that has not begun."""

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        balances = super().exchange(until)
        for parcels in self._sent if self.is_due else ():
            told = parcels[0].copy()
            told[-PADDING] = told[-PADDING] + LEVEL | THROUGH
            parcels[0] = told
        return balances


class Apart(InProcess):
    """A company of actors without Ray: parcels take some steps to arrive, as many as chance says."""

    def __init__(self, workers: int, seed: int, most: int) -> None:
        super().__init__(workers)
        self.actors = [RayActor() for _ in range(workers)]
        self.members = list[ClusterWorker](self.actors)
        self._chance = random.Random(seed)
        self._most = most
        self._rounds: deque[list[list[Any]]] = deque()

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        behind = self._chance.randint(0, self._most)
        handed = [self._rounds.popleft() for _ in range(len(self._rounds) - behind)]
        answers = []
        for owner, actor in enumerate(self.actors):
            others = [sent[owner] for each in handed for sender, sent in enumerate(each) if sender != owner]
            answer = actor.step(until, len(handed), *others)
            answers.append(list(answer) if self.workers > 1 else [answer])
        balances = [answer.pop(0) for answer in answers]
        for sender, made in enumerate(answers):
            copied = [parcel.copy() for parcel in made]
            answers[sender] = [*copied[:sender], None, *copied[sender:]]
        self._rounds.append(answers)
        return balances

    def turn(self, turn: Turn, targets: Sequence[tuple[int, int]] = ()) -> Sequence[Report]:
        self._rounds.clear()
        return super().turn(turn, targets)


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
    OtherOwning: "a row that another worker owns|in different ways",
}
