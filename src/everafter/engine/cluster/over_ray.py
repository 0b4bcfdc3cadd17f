"""A company whose workers are actors of Ray, on one machine or many; Ray carries the parcels, and tells who has died.

While a worker expands the next part of a level, what it sent of the last one is under way.
"""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from everafter.engine.cluster.address import Address
from everafter.engine.cluster.company import IsOver, owned
from everafter.engine.cluster.connection import Actors, connection_to, first_line, leave
from everafter.engine.cluster.errors import CompanyError, WorkerLost
from everafter.engine.cluster.worker import Balance, Order, Part, Report, Turn, Worker, usable_memory
from everafter.engine.run.code import Tell, text_digest

if TYPE_CHECKING:
    from everafter.engine.cluster.worker import Parcel

_PATIENCE: Final = 0.5
"""So many seconds workers are waited for before somebody asks whether there is still time."""


class Actor(Worker):
    """A worker to which parcels are handed one by one, since Ray fetches what is an argument by itself."""

    def machine(self) -> tuple[str, int]:
        """The machine it is on, and how much memory workers may have there."""
        return socket.gethostname(), usable_memory()

    def expand_each(self) -> Sequence[Parcel] | Parcel:
        """As `expand`. Ray makes an answer of each parcel where there are several, and none of a list of one."""
        parcels = self.expand()
        return parcels if len(parcels) > 1 else parcels[0]

    def take_each(self, *parcels: Parcel) -> Balance:
        """As `settle`: whoever has nothing more to take in need not be asked again."""
        return self.settle(parcels)


class OverRay:
    """A company at an address: with one worker for each processor there, or for each node that is started here.

    Where so many workers are asked for, they share the processors there are.
    """

    def __init__(self, address: Address, workers: int = 0) -> None:
        self._connection = connection_to(address)
        self._ray = self._connection.ray
        self._is_over: IsOver = lambda: False
        self.workers = workers or address.workers or max(self._connection.processors, 1)
        self._reserve = not workers  # so many as before are wanted, though there may be fewer processors now
        self._gathered: Actors | None = None
        self._is_sound = True
        self._under_way: list[list[Any]] | None = None
        self._is_first = True
        self._balances: list[Balance] = []

    @property
    def actors(self) -> list[Any]:
        """The workers, once they are gathered."""
        return self._gathered.handles if self._gathered is not None else []

    def start(
        self, order: Order, memory: int | None, parts: Sequence[Part], tell: Tell, is_over: IsOver
    ) -> Sequence[Report]:
        """Start each, with its share of the memory."""
        self._is_over = is_over
        self._gathered = self._connection.actors(Actor, self.workers, self._reserve, tell, is_over)
        machines = self._each([actor.machine.remote() for actor in self.actors])
        crowd = Counter(name for name, _ in machines)
        told = self._ray.put(replace(order, digest=text_digest()))
        started = []
        for place, (actor, (name, there)) in enumerate(zip(self.actors, machines, strict=True)):
            share = memory // self.workers if memory is not None else there // crowd[name]
            started.append(actor.start.remote(told, place, self.workers, share, parts[place] if parts else None))
        return self._each(started)

    def save(self, place: str) -> Sequence[Part]:
        """Save each."""
        return self._each([actor.save.remote(place) for actor in self.actors])

    def exchange(self) -> Sequence[Report]:
        """Let each expand a part, and take in the parcels of the part before; those of a level's first part at once."""
        if self._is_first:
            self._is_first = False
            self._balances = self._each(self._handed("take_each", self._expanded()))
        else:
            under_way = self._under_way or self._expanded()
            self._under_way = self._expanded()
            self._balances = self._each(self._handed("take_each", under_way))
        return [balance.report for balance in self._balances]

    def settle(self) -> Sequence[Balance]:
        """Let each take in what is under way."""
        under_way, self._under_way = self._under_way, None
        self._is_first = True
        return self._each(self._handed("take_each", under_way)) if under_way is not None else self._balances

    def _expanded(self) -> list[list[Any]]:
        """The parcels that each worker will have made, by sender and owner."""
        many = self.workers
        made = [actor.expand_each.options(num_returns=many).remote() for actor in self.actors]
        return [[each] for each in made] if many == 1 else made

    def _handed(self, method: str, sent: list[list[Any]]) -> list[Any]:
        """The answers of the workers to whom these parcels are handed."""
        return [
            getattr(actor, method).remote(*(parcels[place] for parcels in sent))
            for place, actor in enumerate(self.actors)
        ]

    def advance(self) -> None:
        """Begin the next level. A worker does what it is told in this order, so nobody need wait."""
        for actor in self.actors:
            actor.advance.remote()

    def turn(self, turn: Turn, targets: Sequence[tuple[int, int]] = ()) -> Sequence[Report]:
        """Do something with all rows."""
        return self._each([actor.turn.remote(turn, owned(targets, place)) for place, actor in enumerate(self.actors)])

    def row(self, owner: int, number: int) -> tuple[bytes, int, int]:
        """A row."""
        found: tuple[bytes, int, int] = self._each([self.actors[owner].row.remote(number)])[0]
        return found

    def close(self) -> None:
        """Let the workers go, or rest."""
        actors, self._gathered = self._gathered, None
        is_sound = self._is_sound and self._under_way is None
        if actors is not None and is_sound:
            for actor in actors.handles:
                actor.close.remote()
        leave(self._connection, actors, is_sound)

    def _each(self, answers: list[Any]) -> list[Any]:
        """What the workers answer. Raises CompanyError when one has died, or there is no more time."""
        pending = answers
        self._is_sound = False
        try:
            while pending:
                _, pending = self._ray.wait(pending, num_returns=len(pending), timeout=_PATIENCE, fetch_local=False)
                if pending and self._is_over():
                    raise CompanyError("the workers did not answer in time")
            found = list(self._ray.get(answers))
            self._is_sound = True
            return found
        except self._ray.exceptions.RayTaskError as error:
            raise self._understood(error.cause) from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(f"a worker is lost: {first_line(error)}") from error

    def _understood(self, cause: Exception) -> Exception:
        """What a worker has raised, as it would have been in this process: perhaps since another one has died."""
        if isinstance(cause, CompanyError | MemoryError):
            return cause
        kind = WorkerLost if isinstance(cause, self._ray.exceptions.RayError) else CompanyError
        return kind(f"a worker is lost: {first_line(cause)}")
