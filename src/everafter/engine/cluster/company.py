"""What a company of workers does, whoever carries parcels between them; and one whose workers are in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from everafter.engine.cluster.worker import NO_END, Balance, Order, Part, Report, Turn, Worker, usable_memory
from everafter.engine.run.code import Tell

if TYPE_CHECKING:
    from everafter.engine.cluster.worker import Parcel

IsOver = Callable[[], bool]
"""Whether there is no more time."""


class Company(Protocol):
    """Workers that own parts of all states. What cannot be done raises CompanyError."""

    workers: int

    def start(
        self, order: Order, memory: int | None, parts: Sequence[Part], tell: Tell, is_over: IsOver
    ) -> Sequence[Report]:
        """Let each make its code and store its initial states, or its part of a checkpoint, if there are parts.

        `memory` is for all of them, None for what is there. Nobody is waited for any longer when it is over.
        """
        ...

    def save(self, place: str) -> Sequence[Part]:
        """Let each write all that it owns to a file at a place."""
        ...

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        """Let each take in what others sent, perhaps not yet all of it, and expand a part of its level.

        What each had sent and taken in before it expanded. Once a level is complete the next one begins, but none
        behind this number, counted from the start or the last turn.
        """
        ...

    def turn(self, turn: Turn, targets: Sequence[tuple[int, int]] = ()) -> Sequence[Report]:
        """Let each do something with all its rows; targets are rows, by owner and number, that a stem leads to."""
        ...

    def row(self, owner: int, number: int) -> tuple[bytes, int, int]:
        """A row that this worker owns, and its parent's owner and number."""
        ...

    def close(self) -> None:
        """Let all workers go."""
        ...


def owned(rows: Sequence[tuple[int, int]], owner: int) -> list[int]:
    """The numbers of those rows that this worker owns."""
    return [number for place, number in rows if place == owner]


class InProcess:
    """A company whose workers take turns in this process: to try it, and to test it."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.members = [Worker() for _ in range(workers)]
        self._started = 0
        self._sent: list[list[Parcel]] = []

    def start(
        self, order: Order, memory: int | None, parts: Sequence[Part], tell: Tell, _is_over: IsOver
    ) -> Sequence[Report]:
        """Start each."""
        share = (memory if memory is not None else usable_memory()) // self.workers
        reports: list[Report] = []
        for place, worker in enumerate(self.members):
            part = parts[place] if parts else None
            reports.append(worker.start(order, place, self.workers, share, part, tell))
            self._started += 1
        return reports

    def save(self, place: str) -> Sequence[Part]:
        """Save each."""
        return [worker.save(place) for worker in self.members]

    def exchange(self, until: int = NO_END) -> Sequence[Balance]:
        """Take in all that was sent, then expand."""
        balances = [
            worker.take_in([parcels[place] for parcels in self._sent], until)
            for place, worker in enumerate(self.members)
        ]
        self._sent = [worker.expand() for worker in self.members]
        return balances

    def turn(self, turn: Turn, targets: Sequence[tuple[int, int]] = ()) -> Sequence[Report]:
        """Do something with all rows. What is under way then has no rows."""
        self._sent = []
        return [worker.turn(turn, owned(targets, place)) for place, worker in enumerate(self.members)]

    def row(self, owner: int, number: int) -> tuple[bytes, int, int]:
        """A row."""
        return self.members[owner].row(number)

    def close(self) -> None:
        """Give all memory back."""
        for worker in self.members[: self._started]:
            worker.close()
        self._started = 0
