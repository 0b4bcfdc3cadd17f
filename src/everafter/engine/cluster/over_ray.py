"""A company whose workers are actors of Ray, on one machine or many; Ray carries the parcels, and tells who has died.

While a worker expands the next part of a level, what it sent of the last one is under way.
"""

from __future__ import annotations

import logging
import os
import socket
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from everafter.engine.cluster.address import Address
from everafter.engine.cluster.company import IsOver, owned
from everafter.engine.cluster.errors import CompanyError, WorkerLost
from everafter.engine.cluster.worker import Balance, Order, Part, Report, Turn, Worker, usable_memory
from everafter.engine.run.code import Tell, text_digest

if TYPE_CHECKING:
    from everafter.engine.cluster.worker import Parcel

_PATIENCE: Final = 0.5
"""So many seconds workers are waited for before somebody asks whether there is still time."""
_ATTEMPTS: Final = 3
_LOCAL_OBJECTS: Final = 256 << 20
"""Room for parcels on each node that is started here."""


class Actor(Worker):
    """A worker to which parcels are handed one by one, since Ray fetches what is an argument by itself."""

    def machine(self) -> tuple[str, int]:
        """The machine it is on, and how much memory workers may have there."""
        return socket.gethostname(), usable_memory()

    def expand_each(self) -> Sequence[Parcel] | Parcel:
        """As `expand`. Ray makes an answer of each parcel where there are several, and none of a list of one."""
        parcels = self.expand()
        return parcels if len(parcels) > 1 else parcels[0]

    def take_each(self, *parcels: Parcel) -> Report:
        """As `take_in`."""
        return self.take_in(parcels)

    def settle_each(self, *parcels: Parcel) -> Balance:
        """As `settle`."""
        return self.settle(parcels)


class OverRay:
    """A company at an address: with one worker for each processor there, or for each node that is started here.

    Where so many workers are asked for, they share the processors there are.
    """

    def __init__(self, address: Address, workers: int = 0) -> None:
        import ray  # noqa: PLC0415 # only a cluster needs it

        self._ray: Any = ray
        self._nodes: Any = None
        self._is_over: IsOver = lambda: False
        self._was_connected = ray.is_initialized()
        self.actors: list[Any] = []
        try:
            self._connect(address)
            self.workers = workers or address.workers or max(int(self._ray.cluster_resources().get("CPU", 0)), 1)
            reserved = 0 if workers else 1  # so many as before are wanted, though there may be fewer processors now
            make = ray.remote(num_cpus=reserved, max_restarts=0)(Actor).options(scheduling_strategy="SPREAD")
            self.actors = [make.remote() for _ in range(self.workers)]
        except BaseException:
            self.close()
            raise
        self._under_way: list[list[Any]] | None = None
        self._is_first = True

    def _connect(self, address: Address) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a check tells nobody that it runs
        if address.kind == "local":
            for left in reversed(range(_ATTEMPTS)):  # where much else runs, a node may not be there in Ray's time
                try:
                    self._start_nodes(address.workers)
                    break
                except Exception as error:  # Ray raises just that
                    self._stop_nodes()
                    if not left:
                        raise CompanyError(f"Ray starts no nodes here: {_first_line(error)}") from error
            self._init(self._nodes.address)
        elif not self._was_connected:
            self._init("auto" if address.kind == "auto" else address.text)

    def _start_nodes(self, count: int) -> None:
        from ray.cluster_utils import Cluster  # noqa: PLC0415 # only for nodes that are started here

        node = {"num_cpus": 1, "object_store_memory": _LOCAL_OBJECTS}
        self._nodes = Cluster()
        self._nodes.add_node(**node, include_dashboard=False)
        for _ in range(1, count):
            self._nodes.add_node(**node)

    def _stop_nodes(self) -> None:
        nodes, self._nodes = self._nodes, None
        if nodes is not None:
            nodes.shutdown()

    def _init(self, where: str) -> None:
        try:
            self._ray.init(address=where, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, ImportError) as error:
            raise CompanyError(f"there is no cluster at {where}: {_first_line(error)}") from error

    def start(
        self, order: Order, memory: int | None, parts: Sequence[Part], _tell: Tell, is_over: IsOver
    ) -> Sequence[Report]:
        """Start each, with its share of the memory."""
        self._is_over = is_over
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
            return self._each(self._handed("take_each", self._expanded()))
        under_way = self._under_way or self._expanded()
        self._under_way = self._expanded()
        return self._each(self._handed("take_each", under_way))

    def settle(self) -> Sequence[Balance]:
        """Let each take in what is under way."""
        under_way, self._under_way = self._under_way, None
        self._is_first = True
        if under_way is None:
            return self._each([actor.settle_each.remote() for actor in self.actors])
        return self._each(self._handed("settle_each", under_way))

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
        """Let the workers go, and the nodes that were started here."""
        for actor in self.actors:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)
        self.actors = []
        if not self._was_connected:
            self._ray.shutdown()
        self._stop_nodes()

    def _each(self, answers: list[Any]) -> list[Any]:
        """What the workers answer. Raises CompanyError when one has died, or there is no more time."""
        pending = answers
        try:
            while pending:
                _, pending = self._ray.wait(pending, num_returns=len(pending), timeout=_PATIENCE, fetch_local=False)
                if pending and self._is_over():
                    raise CompanyError("the workers did not answer in time")
            return list(self._ray.get(answers))
        except self._ray.exceptions.RayTaskError as error:
            raise self._understood(error.cause) from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(f"a worker is lost: {_first_line(error)}") from error

    def _understood(self, cause: Exception) -> Exception:
        """What a worker has raised, as it would have been in this process: perhaps since another one has died."""
        if isinstance(cause, CompanyError | MemoryError):
            return cause
        kind = WorkerLost if isinstance(cause, self._ray.exceptions.RayError) else CompanyError
        return kind(f"a worker is lost: {_first_line(cause)}")


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "") or type(error).__name__
