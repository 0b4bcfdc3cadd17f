"""Companies in which something goes wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from everafter.engine.cluster.company import InProcess
from everafter.engine.cluster.errors import WorkerLost
from everafter.engine.cluster.worker import Balance, Report, Turn


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

    def exchange(self) -> Sequence[Report]:
        sent = [worker.expand() for worker in self.members]
        for sender, parcels in enumerate(sent):
            for owner, parcel in enumerate(parcels):
                if parcel.size and self.is_due and not self.is_done:
                    self.is_done = True
                    self.spoil(sent, sender, owner)
        return [worker.take_in([parcels[place] for parcels in sent]) for place, worker in enumerate(self.members)]

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        raise NotImplementedError


class Lost(Planted):
    """A parcel does not arrive."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        sent[sender][owner] = sent[sender][owner][:0]


class Doubled(Planted):
    """A parcel arrives twice."""

    def spoil(self, sent: list[list[Any]], sender: int, owner: int) -> None:
        none = [sent[0][0][:0]] * self.workers
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

    def settle(self) -> Sequence[Balance]:
        balances = super().settle()
        if not self.is_due or sum(balance.report.rows for balance in balances) < 100:
            return balances
        return [replace(each, report=replace(each.report, is_idle=True)) for each in balances]


class SkipsAPart(Late):
    """A worker goes on to the next level though it has not expanded all of this one."""

    def exchange(self) -> Sequence[Report]:
        reports = super().exchange()
        return [replace(report, is_through=True) for report in reports] if self.is_due else reports


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

    def advance(self) -> None:
        super().advance()
        self.levels -= 1
        if self.levels < 0:
            raise WorkerLost("a worker is lost: it was planted")


MISTAKES: dict[type[Late], str] = {
    Lost: "which has taken in",
    Doubled: "which has taken in",
    FalseParent: "others",
    Misdirected: "a row that another worker owns",
    Torn: "half a row",
    Early: "rows and expanded",
    SkipsAPart: "rows and expanded",
    TwoOwners: "two workers own the same states",
    OtherOwning: "a row that another worker owns|in different ways",
}
