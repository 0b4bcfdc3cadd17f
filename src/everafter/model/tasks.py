"""What tasks of asyncio wait for each other by: locks, queues and events, with the meaning that asyncio gives them."""

from __future__ import annotations

from types import TracebackType
from typing import Final, Generic, NoReturn, TypeVar, cast

from everafter.model.containers import ListDomain
from everafter.model.domains import Domain, value_domain
from everafter.model.synchronization import MOST_MESSAGES, EmptyDomain
from everafter.record import dataclass
from everafter.source import OptionError

T = TypeVar("T")


def _outside(what: str) -> NoReturn:
    raise OptionError(f"{what} stands in a task of a model, which is read and not run", "everafter.check(Model)")


class AsyncLockOf:
    """An `asyncio.Lock`, to the type checker of a model."""

    async def acquire(self) -> bool:
        """Take it at once if it is free and none waits, or in turn."""
        _outside("acquire()")

    def release(self) -> None:
        """Give it back; it is an error to release what is free."""
        _outside("release()")

    def locked(self) -> bool:
        """Return whether some task has it."""
        _outside("locked()")

    async def __aenter__(self) -> None:
        _outside("async with")

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _outside("async with")


class AsyncEventOf:
    """An `asyncio.Event`, to the type checker of a model."""

    def set(self) -> None:
        """Let all go on that wait."""
        _outside("set()")

    def clear(self) -> None:
        """Let those wait that come from now on."""
        _outside("clear()")

    def is_set(self) -> bool:
        """Return whether none waits."""
        _outside("is_set()")

    async def wait(self) -> bool:
        """Go on at once if it is set, or when it is set the next time."""
        _outside("wait()")


class AsyncQueueOf(Generic[T]):
    """An `asyncio.Queue`, to the type checker of a model."""

    async def put(self, item: T) -> None:
        """Put `item` behind the others, at once if there is room."""
        _outside(f"put({item!r})")

    async def get(self) -> T:
        """Return the first item, at once if there is one."""
        _outside("get()")

    def put_nowait(self, item: T) -> None:
        """Put `item` behind the others; it is an error if there is no room."""
        _outside(f"put_nowait({item!r})")

    def get_nowait(self) -> T:
        """Return the first item; it is an error if there is none."""
        _outside("get_nowait()")

    def empty(self) -> bool:
        """Return whether there is no item."""
        _outside("empty()")

    def full(self) -> bool:
        """Return whether there is no room."""
        _outside("full()")

    def qsize(self) -> int:
        """Return how many items there are."""
        _outside("qsize()")


@dataclass(frozen=True)
class AsyncLockDomain(EmptyDomain[AsyncLockOf]):
    """Locks for which some of as many processes as `tasks` wait."""

    tasks: int = 1

    def __str__(self) -> str:
        return "m.AsyncLock"


@dataclass(frozen=True)
class AsyncEventDomain(EmptyDomain[AsyncEventOf]):
    """Events for which some of as many processes as `tasks` wait."""

    tasks: int = 1

    def __str__(self) -> str:
        return "m.AsyncEvent"


@dataclass(frozen=True)
class AsyncQueueDomain(EmptyDomain[AsyncQueueOf[T]]):
    """Queues with `items`, for which some of as many processes as `tasks` wait."""

    items: ListDomain[T]
    tasks: int = 1

    def __str__(self) -> str:
        return f"m.AsyncQueue[{self.items.element}, {self.items.most}]"


class AsyncQueues:
    """`AsyncQueue[item, size]`."""

    def __getitem__(self, shape: tuple[Domain[T] | type[T], int]) -> EmptyDomain[AsyncQueueOf[T]]:
        """Return the domain of the queues of the item and the size that `shape` says."""
        if not isinstance(shape, tuple) or len(shape) != 2 or type(shape[1]) is not int:
            raise OptionError(f"AsyncQueue[{shape}] is none", "write m.AsyncQueue[bool, 2]: of what, and how many")
        if not 1 <= shape[1] <= MOST_MESSAGES:
            raise OptionError(f"room for {shape[1]} items", f"1 to {MOST_MESSAGES} are possible")
        found = AsyncQueueDomain(ListDomain(value_domain(shape[0], "m.AsyncQueue"), shape[1]))
        return cast("EmptyDomain[AsyncQueueOf[T]]", found)


AsyncLock: Final = AsyncLockDomain()
AsyncEvent: Final = AsyncEventDomain()
AsyncQueue: Final = AsyncQueues()
