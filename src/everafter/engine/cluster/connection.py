"""Connections to Ray clusters, and actors there: those that a search no longer needs serve the next one.

    with kept_connections():
        …                      # all searches here at one address use the same connection, nodes and actors

Processors are reserved for all actors of a search together, before any of them starts: so two searches never wait for
each other, and it is known when there are none to be had.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from everafter.engine.cluster.address import Address
from everafter.engine.cluster.errors import ClusterError, WorkerLost
from everafter.engine.run.kernel_code import Tell
from everafter.record import dataclass, field

PATIENCE: Final = 60.0
"""How many seconds processors are waited for."""
_TICK: Final = 1
"""After how many seconds the caller checks whether there is still time; Ray wants a whole number."""
_ATTEMPTS: Final = 3
_LOCAL_OBJECTS: Final = 256 << 20
"""Room for message batches on each node that is started here."""


@dataclass(frozen=True, slots=True)
class Actors:
    """Actors of one search, and the processors that are reserved for them, if any are."""

    handles: list[Any]
    group: Any = None


class Connection:
    """A connection to the cluster at `address`; nodes are started where it says so. Raises ClusterError."""

    def __init__(self, address: Address) -> None:
        import ray  # noqa: PLC0415 # only a cluster needs it

        self.address = address
        self.ray: Any = ray
        self._nodes: Any = None
        self._was_connected = ray.is_initialized()
        self._idle: Actors | None = None
        try:
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a check sends no figures of its use
        if self.address.kind == "local":
            for left in reversed(range(_ATTEMPTS)):  # where much else runs, a node may not be there in Ray's time
                try:
                    self._start_nodes(self.address.workers)
                    break
                except Exception as error:  # Ray raises just that
                    self._stop_nodes()
                    if not left:
                        raise ClusterError(f"Ray starts no nodes here: {first_line(error)}") from error
            self._init(self._nodes.address)
        elif not self._was_connected:
            self._init("auto" if self.address.kind == "auto" else self.address.text)

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
        for left in reversed(range(_ATTEMPTS)):
            try:
                self.ray.init(address=where, log_to_driver=False, logging_level=logging.ERROR)
                return
            except (ConnectionError, RuntimeError, ValueError, ImportError) as error:
                # One that aborts is there, but was too busy to begin in Ray's time.
                if not left or not isinstance(error, ConnectionAbortedError):
                    raise ClusterError(f"there is no cluster at {where}: {first_line(error)}") from error

    @property
    def processors(self) -> int:
        """Return how many processors the cluster has."""
        return int(self.ray.cluster_resources().get("CPU", 0))

    def actors(self, kind: type, count: int, reserve: bool, tell: Tell, is_over: Callable[[], bool]) -> Actors:
        """Return `count` actors of the class `kind`, each with a processor of its own if `reserve`.

        `tell` takes a message while processors are waited for, no longer than until `is_over`.
        """
        idle, self._idle = self._idle, None
        if idle is not None:
            is_alive = self._are_alive(idle)
            if is_alive and len(idle.handles) == count and (idle.group is not None) == reserve:
                return idle
            self.dismiss(idle)
            if not is_alive:  # perhaps with its node
                self.close()
                self._connect()
        group = self._reserved(count, tell, is_over) if reserve else None
        make = self.ray.remote(num_cpus=1 if reserve else 0, max_restarts=0)(kind)
        return Actors(
            [make.options(scheduling_strategy=self._place(group, number)).remote() for number in range(count)], group
        )

    def _are_alive(self, actors: Actors) -> bool:
        """Whether all of them answer."""
        try:
            self.ray.get([handle.machine.remote() for handle in actors.handles], timeout=PATIENCE)
        except self.ray.exceptions.RayError:
            return False
        return True

    def _place(self, group: Any, number: int) -> Any:
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy  # noqa: PLC0415 # as Ray itself

        return "SPREAD" if group is None else PlacementGroupSchedulingStrategy(group, number)

    def _reserved(self, count: int, tell: Tell, is_over: Callable[[], bool]) -> Any:
        """Return a group of `count` processors. Raises ClusterError when they are not to be had for a while.

        That is WorkerLost where there are fewer by now: fewer workers will do.
        """
        from ray.util.placement_group import placement_group  # noqa: PLC0415 # as Ray itself

        group = placement_group([{"CPU": 1}] * count, strategy="SPREAD")
        begin = time.monotonic()
        while not group.wait(_TICK):
            if self.processors < count:
                missing = self._missing(count)
                self.dismiss(Actors([], group))
                raise WorkerLost(f"a worker is lost: the cluster has fewer processors now, {missing}")
            waited = time.monotonic() - begin
            if waited < PATIENCE and not is_over():
                if waited > _TICK:
                    tell(f"waiting for processors of the cluster: {self._missing(count)} …")
                continue
            missing = self._missing(count)
            self.dismiss(Actors([], group))
            raise ClusterError(f"the cluster has too few free processors: {missing}, for {waited:.0f} s")
        return group

    def _missing(self, count: int) -> str:
        free = int(self.ray.available_resources().get("CPU", 0))
        return f"{count} needed, {free} of {self.processors} free"

    def rest(self, actors: Actors) -> None:
        """Keep `actors` for the next search."""
        if self._idle is not None:
            self.dismiss(self._idle)
        self._idle = actors

    def dismiss(self, actors: Actors) -> None:
        """Let `actors` go."""
        for handle in actors.handles:
            with suppress(self.ray.exceptions.RayError):
                self.ray.kill(handle)
        if actors.group is not None:
            from ray.util.placement_group import remove_placement_group  # noqa: PLC0415 # as Ray itself

            with suppress(self.ray.exceptions.RayError):
                remove_placement_group(actors.group)

    def close(self) -> None:
        """Let idle actors go, and the nodes that were started here."""
        if self._idle is not None:
            self.dismiss(self._idle)
            self._idle = None
        if not self._was_connected:
            self.ray.shutdown()
        self._stop_nodes()


@dataclass
class _Kept:
    """The connection that is used again, and how many blocks say that it is to be."""

    blocks: int = 0
    connection: Connection | None = field(default=None)

    def close(self) -> None:
        """Close the connection."""
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()


_kept: Final = _Kept()


@contextmanager
def kept_connections() -> Iterator[None]:
    """Until the end of the block, a connection is left open when a search ends, and its actors are used again."""
    _kept.blocks += 1
    try:
        yield
    finally:
        _kept.blocks -= 1
        if not _kept.blocks:
            _kept.close()


def connection_to(address: Address) -> Connection:
    """Return a connection to the cluster at `address`: the one that is kept, or a new one."""
    if _kept.connection is not None and _kept.connection.address == address:
        return _kept.connection
    _kept.close()
    connection = Connection(address)
    if _kept.blocks:
        _kept.connection = connection
    return connection


def leave(connection: Connection, actors: Actors | None, is_sound: bool) -> None:
    """End a search by `actors` over `connection`; keep both for another one if they are to be kept and `is_sound`."""
    is_kept = _kept.connection is connection
    if actors is not None and is_kept and is_sound:
        connection.rest(actors)
        return
    if actors is not None:
        connection.dismiss(actors)
    if not is_kept:
        connection.close()
    elif not is_sound:
        _kept.close()


def first_line(error: BaseException) -> str:
    """Return what `error` says, in short."""
    return next(iter(str(error).splitlines()), "") or type(error).__name__
