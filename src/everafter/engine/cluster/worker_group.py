"""What a cluster of workers does, whatever carries message batches between them; and one that is in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from everafter.engine.cluster.worker import (
    NO_END,
    ClusterWorker,
    JobDescription,
    Lister,
    MessageCounters,
    Part,
    Phase,
    Report,
    usable_memory,
)
from everafter.engine.run.kernel_code import Tell

if TYPE_CHECKING:
    from everafter.engine.cluster.worker import MessageBatch

IsOver = Callable[[], bool]
"""Whether there is no more time."""


class WorkerGroup(Protocol):
    """The workers of a cluster, each of which owns a part of all states. Methods that fail raise ClusterError."""

    workers: int

    def start(
        self, description: JobDescription, memory: int | None, parts: Sequence[Part], tell: Tell, is_over: IsOver
    ) -> Sequence[Report]:
        """Let each worker make its code for the `description`, and store its initial states, or its part of `parts`, if
        given.

        `memory` is for all workers, None for what there is. `tell` takes a message at what takes long. Once `is_over`,
        no worker is waited for.
        """
        ...

    def save(self, place: str) -> Sequence[Part]:
        """Let each worker write all that it owns to a file at `place`; return these parts of a checkpoint."""
        ...

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        """Let each worker take in what others sent, perhaps not yet all of it, and expand a part of its level.

        Return what each had sent and taken in before it expanded. Once a level is complete the next one begins, but
        none behind `until`, counted from the start or the last phase.
        """
        ...

    def phase(self, phase: Phase, targets: Sequence[tuple[int, int]] = (), time: int = 0) -> Sequence[Report]:
        """Let each worker do what `phase` says with all its rows, and return the reports.

        `targets` are rows, by owner and number, that a stem leads to; rows leave behind this `time`.
        """
        ...

    def listed(self, lister: Lister) -> Iterator[Any]:
        """Yield what `lister` makes of the rows of each worker, part by part."""
        ...

    def row(self, owner: int, number: int) -> tuple[bytes, int, int]:
        """Return the row `number` of the worker `owner`, and its parent's owner and number."""
        ...

    def close(self) -> None:
        """Let all workers go."""
        ...


def owned(rows: Sequence[tuple[int, int]], owner: int) -> list[int]:
    """Return the numbers of those of `rows`, each given by owner and number, that belong to `owner`."""
    return [number for place, number in rows if place == owner]


class InProcess:
    """A cluster whose workers take turns in this process: to try it, and to test it."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.members = [ClusterWorker() for _ in range(workers)]
        self._started = 0
        self._sent: list[list[MessageBatch]] = []

    def start(
        self, description: JobDescription, memory: int | None, parts: Sequence[Part], tell: Tell, _is_over: IsOver
    ) -> Sequence[Report]:
        """Start each worker on `description`, with its share of `memory` and part of `parts`; `tell` gets messages."""
        share = (memory if memory is not None else usable_memory()) // self.workers
        reports: list[Report] = []
        for place, worker in enumerate(self.members):
            part = parts[place] if parts else None
            reports.append(worker.start(description, place, self.workers, share, part, tell))
            self._started += 1
        return reports

    def save(self, place: str) -> Sequence[Part]:
        """Let each worker save what it owns at `place`."""
        return [worker.save(place) for worker in self.members]

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        """Let each worker take in all that was sent, up to the level `until`, then expand."""
        all_counters = [
            worker.take_in([batches[place] for batches in self._sent], until)
            for place, worker in enumerate(self.members)
        ]
        self._sent = [worker.expand() for worker in self.members]
        return all_counters

    def phase(self, phase: Phase, targets: Sequence[tuple[int, int]] = (), time: int = 0) -> Sequence[Report]:
        """Let each worker do what `phase` says, with its `targets`, behind `time`. Nothing is under way then."""
        self._sent = []
        return [worker.phase(phase, owned(targets, place), time) for place, worker in enumerate(self.members)]

    def listed(self, lister: Lister) -> Iterator[Any]:
        """Yield what `lister` makes of the rows of each worker, part by part."""
        for worker in self.members:
            while (part := worker.listed(lister)) is not None:
                yield part

    def row(self, owner: int, number: int) -> tuple[bytes, int, int]:
        """Return the row `number` of the worker `owner`, and its parent's owner and number."""
        return self.members[owner].row(number)

    def close(self) -> None:
        """Give all memory back."""
        for worker in self.members[: self._started]:
            worker.close()
        self._started = 0
