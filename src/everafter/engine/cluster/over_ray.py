"""A cluster whose workers are actors of Ray, on one machine or many; Ray carries message batches, and reports who has
died.

A step of a worker is one task: it takes in message batches, and expands a part. The next step of all is begun before
this one has ended, so that no worker waits for the coordinator; batches go from worker to worker by themselves. In a
level of several parts a step takes in the batches of the part before the last: the last ones are under way meanwhile.
"""

from __future__ import annotations

import socket
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from everafter.engine.cluster.address import Address
from everafter.engine.cluster.connection import Actors, connection_to, first_line, leave
from everafter.engine.cluster.errors import ClusterError, WorkerLost
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
from everafter.engine.cluster.worker_group import IsOver, owned
from everafter.engine.run.kernel_code import Tell, text_digest
from everafter.record import dataclass, replace

if TYPE_CHECKING:
    from everafter.engine.cluster.worker import MessageBatch

_PATIENCE: Final = 0.5
"""How many seconds the caller waits for workers before it checks whether there is still time."""
_ASKED_AHEAD: Final = 2
"""How many steps are under way at a time."""


class RayActor(ClusterWorker):
    """A worker to which message batches are handed one by one, since Ray fetches what is an argument by itself.

    What it would send to itself stays here until the batches of the same part are handed.
    """

    _own: deque[MessageBatch]

    def machine(self) -> tuple[str, int]:
        """Return the machine it is on, and how much memory workers may have there."""
        return socket.gethostname(), usable_memory()

    def start(self, *given: Any) -> Report:
        """As always."""
        self._own = deque()
        return super().start(*given)

    def step(self, until: int, parts: int, *others: MessageBatch) -> Any:
        """Take in the message batches of `parts` parts, `others`, and expand another; no level begins behind `until`.

        Return how things stood, and a message batch for each other worker. Ray makes an answer of each where there are
        several, and none of a list of one.
        """
        many, place = self.workers - 1, self.place
        batches: list[MessageBatch] = []
        for part in range(parts):
            others_of_part = others[part * many : (part + 1) * many]
            batches += (*others_of_part[:place], self._own.popleft(), *others_of_part[place:])
        counters = self.take_in(batches, until)
        made = self.expand()
        self._own.append(made.pop(place).copy())
        return (counters, *made) if made else counters

    def phase(self, phase: Phase, targets: Sequence[int] = (), time: int = 0) -> Report:
        """Do what `phase` says, with `targets` and `time`, as any worker. What is under way is not handed on."""
        self._own.clear()
        return super().phase(phase, targets, time)


@dataclass(frozen=True, slots=True)
class _Round:
    """A step of all workers that was begun: what will be known of each, and of its batches, by sender and owner."""

    all_counters: list[Any]
    batches: list[list[Any]]


class OverRay:
    """The cluster at `address`: with one worker for each processor there, or for each node that is started here.

    If `workers` is given, as many workers share the processors there are.
    """

    def __init__(self, address: Address, workers: int = 0) -> None:
        self._connection = connection_to(address)
        self._ray = self._connection.ray
        self._is_over: IsOver = lambda: False
        self.workers = workers or address.workers or max(self._connection.processors, 1)
        self._reserve = not workers  # as many as before are wanted, though there may be fewer processors now
        self._gathered: Actors | None = None
        self._is_sound = True
        self._asked: deque[_Round] = deque()
        self._under_way: deque[_Round] = deque()
        self._behind = 0

    @property
    def actors(self) -> list[Any]:
        """Return the workers, once they are gathered."""
        return self._gathered.handles if self._gathered is not None else []

    def start(
        self, description: JobDescription, memory: int | None, parts: Sequence[Part], tell: Tell, is_over: IsOver
    ) -> Sequence[Report]:
        """Start each worker on the `description` with its share of `memory` and its part of `parts`.

        `tell` takes messages; once `is_over`, no worker is waited for.
        """
        self._is_over = is_over
        self._gathered = self._connection.actors(RayActor, self.workers, self._reserve, tell, is_over)
        machines = self._each([actor.machine.remote() for actor in self.actors])
        crowd = Counter(name for name, _ in machines)
        told = self._ray.put(replace(description, digest=text_digest()))
        started = []
        for place, (actor, (name, there)) in enumerate(zip(self.actors, machines, strict=True)):
            share = memory // self.workers if memory is not None else there // crowd[name]
            started.append(actor.start.remote(told, place, self.workers, share, parts[place] if parts else None))
        return self._each(started)

    def save(self, place: str) -> Sequence[Part]:
        """Let each worker save what it owns at `place`."""
        return self._each([actor.save.remote(place) for actor in self.actors])

    def exchange(self, until: int = NO_END) -> Sequence[MessageCounters]:
        """Let each worker do a step, up to the level `until`, and begin the next."""
        while len(self._asked) < _ASKED_AHEAD:
            self._ask(until)
        all_counters = self._each(self._asked.popleft().all_counters)
        self._behind = 0 if all(counters.report.is_through for counters in all_counters) else 1
        return all_counters

    def _ask(self, until: int) -> None:
        """Begin a step of all workers, up to the level `until`."""
        handed: list[_Round] = []
        while len(self._under_way) > self._behind:
            handed.append(self._under_way.popleft())
        answers = []
        for owner, actor in enumerate(self.actors):
            batches = [sent[owner] for each in handed for sender, sent in enumerate(each.batches) if sender != owner]
            step = actor.step.options(num_returns=self.workers)
            answers.append(step.remote(until, len(handed), *batches))
        if self.workers == 1:
            answers = [[answer] for answer in answers]
        all_counters = [made.pop(0) for made in answers]
        for sender, made in enumerate(answers):
            made.insert(sender, None)
        asked = _Round(all_counters, answers)
        self._asked.append(asked)
        self._under_way.append(asked)

    def _finish(self) -> None:
        """Wait for all steps that were begun, though their results are not needed any more."""
        while self._asked:
            self._each(self._asked.popleft().all_counters)
        self._under_way.clear()
        self._behind = 0

    def phase(self, phase: Phase, targets: Sequence[tuple[int, int]] = (), time: int = 0) -> Sequence[Report]:
        """Let each worker do what `phase` says with all its rows, and with its `targets`, behind `time`."""
        self._finish()
        given = [(phase, owned(targets, place), time) for place in range(len(self.actors))]
        return self._each([actor.phase.remote(*each) for actor, each in zip(self.actors, given, strict=True)])

    def listed(self, lister: Lister) -> Iterator[Any]:
        """Yield what `lister` makes of the rows of each worker, part by part."""
        self._finish()
        for actor in self.actors:
            while (part := self._each([actor.listed.remote(lister)])[0]) is not None:
                yield part

    def row(self, owner: int, number: int) -> tuple[bytes, int, int]:
        """Return the row `number` of the worker `owner`, and its parent's owner and number."""
        found: tuple[bytes, int, int] = self._each([self.actors[owner].row.remote(number)])[0]
        return found

    def close(self) -> None:
        """Let the workers go, or rest."""
        if self._is_sound:
            with suppress(ClusterError):
                self._finish()
        actors, self._gathered = self._gathered, None
        is_sound = self._is_sound
        if actors is not None and is_sound:
            for actor in actors.handles:
                actor.close.remote()
        leave(self._connection, actors, is_sound)

    def _each(self, answers: list[Any]) -> list[Any]:
        """Return what the workers answer. Raises ClusterError when one has died, or there is no more time."""
        self._is_sound = False
        try:
            while True:
                try:
                    found = list(self._ray.get(answers, timeout=_PATIENCE))
                except self._ray.exceptions.GetTimeoutError:
                    if self._is_over():
                        raise ClusterError("the workers did not answer in time") from None
                else:
                    self._is_sound = True
                    return found
        except self._ray.exceptions.RayTaskError as error:
            raise self._understood(error.cause) from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(f"a worker is lost: {first_line(error)}") from error

    def _understood(self, cause: Exception) -> Exception:
        """What a worker has raised, as it would have been in this process: perhaps since another one has died."""
        if isinstance(cause, ClusterError | MemoryError):
            return cause
        kind = WorkerLost if isinstance(cause, self._ray.exceptions.RayError) else ClusterError
        return kind(f"a worker is lost: {first_line(cause)}")
