"""Every state that tasks of a model come to under asyncio itself: the user's coroutines, and whichever is ready next.

asyncio runs what is ready in turn; here any of it may be next, as tasks that wait for the world outside may be. What is
seen are the plain variables whenever no task runs, whether something is raised, and whether all wait for ever.
"""

from __future__ import annotations

import asyncio
import types
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from everafter import model as vocabulary
from everafter.model.domains import BoolDomain, Declared, Domain
from everafter.model.synchronization import EmptyDomain
from everafter.model.tasks import AsyncEventDomain, AsyncLockDomain, AsyncQueueDomain
from everafter.model.vocabulary import PROCESS, Launch
from oracles.pymodel.live_values import checked, frozen

Key = tuple[str, tuple[Any, ...]]
Move = tuple[str, int]
"""`run` what is ready at an index, or `cancel` the task of a number."""
_FUTURES = (asyncio.Future, asyncio.futures._PyFuture)  # type: ignore[attr-defined] # in Python, to be looked into


class Loop(asyncio.AbstractEventLoop):
    """A loop that runs what is ready in an order that is chosen from outside."""

    def __init__(self) -> None:
        self.ready: list[asyncio.Handle] = []

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> asyncio.Handle:  # type: ignore[override] # any
        self.ready.append(asyncio.Handle(callback, args, self, context))
        return self.ready[-1]

    def create_future(self) -> Any:
        return asyncio.futures._PyFuture(loop=self)  # type: ignore[attr-defined] # see above

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        pass


_MOST_WRITES = 200


class Endless(BaseException):
    """A task goes on and on and awaits nothing."""


class Live:
    """What stands for `self`."""

    _domains: dict[str, Domain[Any]]
    writes: int

    def __init__(self, domains: dict[str, Domain[Any]], members: dict[str, Any]) -> None:
        self.__dict__.update(_domains=domains, writes=0)
        for name, value in members.items():
            self.__dict__[name] = _begun(domains[name], value) if name in domains else value

    def __setattr__(self, name: str, value: Any) -> None:
        if self.writes == _MOST_WRITES:
            raise Endless
        self.__dict__["writes"] += 1
        self.__dict__[name] = checked(self._domains[name], value)

    def snapshot(self) -> Hashable:
        return tuple(
            frozen(self.__dict__[name]) for name, each in self._domains.items() if not isinstance(each, EmptyDomain)
        )


def _begun(domain: Domain[Any], value: Any) -> Any:
    match domain:
        case AsyncLockDomain():
            return asyncio.Lock()
        case AsyncEventDomain():
            return asyncio.Event()
        case AsyncQueueDomain(items=items):
            return _Queue(items)
    return checked(domain, value.initial if isinstance(value, Declared) else value)


class _Queue(asyncio.Queue[Any]):
    """A queue that refuses what is not of its domain."""

    def __init__(self, domain: Any) -> None:
        super().__init__(domain.most)
        self.domain = domain

    def _put(self, item: Any) -> None:
        super()._put(checked(self.domain.element, item))


class Machine:
    """The tasks of a model in some state."""

    def __init__(self, model: type) -> None:
        self.loop = Loop()  # type: ignore[abstract] # no more of it is used
        asyncio._set_running_loop(self.loop)
        members: dict[str, Any] = {}
        for kind in reversed(model.__mro__):
            members |= {name: each for name, each in vars(kind).items() if not name.startswith("__")}
        domains = {name: each.domain for name, each in members.items() if isinstance(each, Declared)}
        domains |= {name: BoolDomain() for name, each in members.items() if isinstance(each, bool)}
        functions = {name: each for name, each in members.items() if isinstance(each, types.FunctionType)}
        self.live = Live(domains, {name: each for name, each in members.items() if name not in functions})
        self.tasks: dict[Key, Any] = {}
        self.left: dict[Key, int] = {}
        """How often each task may still be cancelled from outside."""
        self.asked: set[Key] = set()
        """Those that are cancelled and did not run since."""
        bound = {name: _with_words(each, self).__get__(self.live) for name, each in functions.items()}
        self.live.__dict__.update(bound)
        for name, function in functions.items():
            launch: Launch | None = getattr(function, PROCESS, None)
            for arguments in () if launch is None else launch.arguments if launch.arguments is not None else ((),):
                assert launch is not None
                self.left[name, arguments] = launch.cancels
                if launch.is_started:
                    self.begin(bound[name], *arguments)

    def begin(self, function: Callable[..., Any], *arguments: Any) -> None:
        key = (function.__name__, arguments)
        if key in self.tasks:
            raise RuntimeError("tasks are started once")
        coroutine = function(*arguments)
        self.tasks[key] = asyncio.tasks._PyTask(coroutine, loop=self.loop)  # type: ignore[attr-defined] # see above

    def cancel(self, function: Callable[..., Any], *arguments: Any) -> None:
        key = (function.__name__, arguments)
        if not self.tasks[key].done() and key not in self.asked:
            self.tasks[key].cancel()
            self.asked.add(key)

    def moves(self) -> list[Move]:
        keys = list(self.tasks)
        may = [
            number
            for number, key in enumerate(keys)
            if self.left[key] and not self.tasks[key].done() and key not in self.asked
        ]
        return [("run", number) for number in range(len(self.loop.ready))] + [("cancel", number) for number in may]

    def take(self, move: Move) -> bool:
        """Make a move; whether nothing was raised."""
        asyncio._set_running_loop(self.loop)
        kind, number = move
        if kind == "cancel":
            key = list(self.tasks)[number]
            self.left[key] -= 1
            self.tasks[key].cancel()
            self.asked.add(key)
            return True
        self.live.__dict__["writes"] = 0
        handle = self.loop.ready.pop(number)
        for key, task in self.tasks.items():
            if task is getattr(handle._callback, "__self__", None):  # type: ignore[attr-defined] # there is no other way
                self.asked.discard(key)
        handle._run()
        if self.live.writes == _MOST_WRITES:
            raise Endless
        return all(not task.done() or task.cancelled() or task.exception() is None for task in self.tasks.values())

    def close(self) -> None:
        """Let go of coroutines that have not ended."""
        self.live.__dict__["writes"] = 0
        for task in self.tasks.values():
            with suppress(BaseException):
                task._coro.close()

    @property
    def is_over(self) -> bool:
        return all(task.done() for task in self.tasks.values())

    def key(self) -> Hashable:
        owners = {id(task._fut_waiter): key for key, task in self.tasks.items() if task._fut_waiter is not None}
        held = tuple(_inside(each, owners) for each in self.live.__dict__.values())
        tasks = tuple((key, task.done(), task._must_cancel, _stack(task._coro)) for key, task in self.tasks.items())
        ready = tuple(sorted(repr(self._owner(each)) for each in self.loop.ready))
        return self.live.snapshot(), held, tasks, ready, tuple(self.left.items()), frozenset(self.asked)

    def _owner(self, handle: Any) -> Key:
        return next(key for key, task in self.tasks.items() if task is handle._callback.__self__)


def _with_words(function: Any, machine: Machine) -> Any:
    """The function, to which the words of the vocabulary mean what they do."""
    words = types.SimpleNamespace(**vars(vocabulary))
    words.start, words.cancel = machine.begin, machine.cancel
    names = {**function.__globals__, "m": words}
    return types.FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)


def _inside(value: Any, owners: dict[int, Key]) -> Hashable:
    def line(futures: Any) -> Hashable:
        return tuple((owners.get(id(each)), each.done(), each.cancelled()) for each in futures or ())

    match value:
        case asyncio.Lock():
            return value.locked(), line(vars(value)["_waiters"])
        case asyncio.Event():
            return value.is_set(), line(vars(value)["_waiters"])
        case asyncio.Queue():
            items: deque[Any] = value._queue  # type: ignore[attr-defined] # its state
            return tuple(items), line(value._getters), line(value._putters)  # type: ignore[attr-defined]
    return None


def _stack(coroutine: Any) -> Hashable:
    """Where a coroutine is, and what its variables are."""
    found: list[Hashable] = []
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        if frame is None:
            break
        local = sorted((name, each) for name, each in frame.f_locals.items() if isinstance(each, int))
        found.append((frame.f_code.co_name, frame.f_lasti, tuple(local)))
        coroutine = coroutine.cr_await
    return tuple(found)


@dataclass
class Scheduled:
    """What tasks come to."""

    snapshots: set[Hashable] = field(default_factory=set)
    is_wrong: bool = False
    is_complete: bool = True


def scheduled(model: type, most: int = 2_000) -> Scheduled:
    """Return all that the tasks of `model` come to; beyond `most` states it is left incomplete."""
    found = Scheduled()
    try:
        _explore(model, most, found)
    except Endless:
        found.is_complete = False
    finally:
        asyncio._set_running_loop(None)
    return found


def _explore(model: type, most: int, found: Scheduled) -> None:
    with _machine(model, ()) as first:
        seen = {first.key()}
        found.snapshots.add(first.live.snapshot())
    paths: deque[tuple[Move, ...]] = deque([()])
    while paths:
        path = paths.popleft()
        with _machine(model, path) as machine:
            moves = machine.moves()
            found.is_wrong |= not machine.loop.ready and not machine.is_over
        for move in moves:
            with _machine(model, path) as machine:
                if not machine.take(move):
                    found.is_wrong = True
                    continue
                key, snapshot = machine.key(), machine.live.snapshot()
            if key not in seen:
                if len(seen) == most:
                    found.is_complete = False
                    return
                seen.add(key)
                found.snapshots.add(snapshot)
                paths.append((*path, move))


@contextmanager
def _machine(model: type, path: tuple[Move, ...]) -> Iterator[Machine]:
    """The tasks of a model behind some moves."""
    machine = Machine(model)
    try:
        for move in path:
            machine.take(move)
        yield machine
    finally:
        machine.close()
