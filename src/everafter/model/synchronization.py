"""What processes wait for each other by: channels, queues, locks, conditions, semaphores and events.

They mean what `threading` and `queue` mean by them. Their methods are read where a process calls them, and not run.
"""

from __future__ import annotations

from types import TracebackType
from typing import Final, Generic, NoReturn, TypeVar, cast

from everafter.model.domains import Declared, Domain, Mutable, value_domain
from everafter.record import dataclass
from everafter.source import OptionError

T = TypeVar("T")
MOST_MESSAGES: Final = 255


def _outside(what: str) -> NoReturn:
    raise OptionError(f"{what} stands in a process of a model, which is read and not run", "everafter.check(Model)")


class ChannelOf(Generic[T]):
    """A channel of messages, to the type checker of a model."""

    def send(self, message: T) -> None:
        """Put `message` behind the others, when there is room; without any room, when a process receives it."""
        _outside(f"send({message!r})")

    def receive(self) -> T:
        """Return the first message, when there is one, which is gone then."""
        _outside("receive()")

    def empty(self) -> bool:
        """Return whether there is no message."""
        _outside("empty()")

    def full(self) -> bool:
        """Return whether there is no room."""
        _outside("full()")

    def __len__(self) -> int:  # noqa: PLE0303 # it raises
        _outside("len(…)")

    def __contains__(self, message: T) -> bool:
        _outside("in")


class QueueOf(Generic[T]):
    """A `queue.Queue`, or one of asyncio, to the type checker of a model."""

    def put(self, item: T) -> None:
        """Put `item` behind the others, when there is room."""
        _outside(f"put({item!r})")

    def get(self) -> T:
        """Return the first item, when there is one, which is gone then."""
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

    def task_done(self) -> None:
        """Say that the work on an item is done; it is an error to say so of more than were put."""
        _outside("task_done()")

    def join(self) -> None:
        """Wait until the work on all items is done."""
        _outside("join()")


class _Held:
    """What is acquired, and released."""

    def acquire(self) -> None:
        """Take it, when it is free."""
        _outside("acquire()")

    def release(self) -> None:
        """Give it back; it is an error to release what is free."""
        _outside("release()")

    def __enter__(self) -> None:
        _outside("with")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _outside("with")


class LockOf(_Held):
    """A `Lock`, to the type checker of a model."""

    def locked(self) -> bool:
        """Return whether some process has it."""
        _outside("locked()")


class RLockOf(_Held):
    """An `RLock`, to the type checker of a model: the process that has it can take it again."""


class BarrierOf:
    """A `Barrier`, to the type checker of a model."""

    def wait(self) -> None:
        """Wait until all parties wait; then all go on."""
        _outside("wait()")


class SemaphoreOf(_Held):
    """A `Semaphore`, to the type checker of a model."""


class ConditionOf(_Held):
    """A `Condition`, to the type checker of a model."""

    def wait(self) -> None:
        """Release the lock, sleep until notified, and take the lock again."""
        _outside("wait()")

    def wait_for(self, condition: object) -> None:
        """Wait until `condition` is true, which is looked at before and after each sleep."""
        _outside(f"wait_for({condition!r})")

    def notify(self, n: int = 1) -> None:
        """Wake `n` of the processes that sleep, any of them, or all if they are fewer."""
        _outside(f"notify({n})")

    def notify_all(self) -> None:
        """Wake all processes that sleep."""
        _outside("notify_all()")


class EventOf:
    """An `Event`, to the type checker of a model."""

    def set(self) -> None:
        """Let all go on that wait."""
        _outside("set()")

    def clear(self) -> None:
        """Let those wait that come from now on."""
        _outside("clear()")

    def is_set(self) -> bool:
        """Return whether none waits."""
        _outside("is_set()")

    def wait(self) -> None:
        """Go on when it is set."""
        _outside("wait()")


class EmptyDomain(Mutable[T]):
    """Values that begin in one way only: empty, free, not set."""

    def __call__(self) -> T:  # type: ignore[override] # nothing is said
        """Return the variable of this domain."""
        return cast(T, Declared(self, None))

    def holds(self, value: object) -> bool:
        """Whether `value` stands for the only way to begin."""
        return value is None


@dataclass(frozen=True)
class ChannelDomain(EmptyDomain[ChannelOf[T]]):
    """Channels of at most `capacity` messages of the domain `message`."""

    message: Domain[T]
    capacity: int
    is_lossy: bool = False
    """Whether what is sent may be lost."""
    is_doubling: bool = False
    """Whether what is sent may arrive twice, if there is room."""
    is_reordering: bool = False
    """Whether any message may be received, and not only the first."""
    is_queue: bool = False

    def __call__(  # type: ignore[override] # these have options
        self, *, lossy: bool = False, doubling: bool = False, reordering: bool = False
    ) -> ChannelOf[T]:
        """Return a channel.

        One that is `lossy` may lose a message, one that is `doubling` may have it twice, and of one that is
        `reordering` any message may be received.
        """
        if self.capacity == 0 and (lossy or doubling or reordering):
            raise OptionError("a channel without room loses, doubles and reorders nothing", "m.Channel[…, 1] has room")
        changed = ChannelDomain(self.message, self.capacity, lossy, doubling, reordering, self.is_queue)
        return cast("ChannelOf[T]", Declared(changed, None))

    def __str__(self) -> str:
        return f"m.{'Queue' if self.is_queue else 'Channel'}[{self.message}, {self.capacity}]"


@dataclass(frozen=True)
class SemaphoreDomain(EmptyDomain[SemaphoreOf]):
    """Semaphores of at most `most`, with `free` at the start."""

    free: int
    most: int

    def __str__(self) -> str:
        return f"m.Semaphore({self.free}, {self.most})"


@dataclass(frozen=True)
class LockDomain(EmptyDomain[LockOf]):
    """Locks."""

    def __str__(self) -> str:
        return "m.Lock"


@dataclass(frozen=True)
class OwnerDomain(EmptyDomain[None]):
    """One of the `processes`, by name, or None."""

    processes: tuple[str, ...]

    def __str__(self) -> str:
        return "the owner of a lock"


@dataclass(frozen=True)
class RLockDomain(EmptyDomain[RLockOf]):
    """Locks that the process that has it can take again, where `is_nested` says that one of the model may do so."""

    processes: tuple[str, ...] = ("",)
    is_nested: bool = True

    def __str__(self) -> str:
        return "m.RLock"


@dataclass(frozen=True)
class BarrierDomain(EmptyDomain[BarrierOf]):
    """Barriers of as many processes as `parties`."""

    parties: int

    def __str__(self) -> str:
        return f"m.Barrier({self.parties})"


@dataclass(frozen=True)
class ConditionDomain(EmptyDomain[ConditionOf]):
    """Conditions on which some of the `processes` sleep."""

    processes: tuple[str, ...] = ("",)
    is_nested: bool = True
    lock: object = None
    """What is declared as its lock, or the name of that variable; None: an RLock of its own."""

    def __call__(self, lock: LockOf | RLockOf | None = None) -> ConditionOf:  # type: ignore[override] # it has a lock
        """Return a condition with this `lock`, or with an RLock of its own."""
        if not (lock is None or (isinstance(lock, Declared) and isinstance(lock.domain, LockDomain | RLockDomain))):
            raise OptionError(f"{lock!r} is no lock of a condition", "lock = m.Lock(), and then m.Condition(lock)")
        return cast("ConditionOf", Declared(ConditionDomain(lock=lock), None))

    def __str__(self) -> str:
        return "m.Condition"


@dataclass(frozen=True)
class EventDomain(EmptyDomain[EventOf]):
    """Events."""

    def __str__(self) -> str:
        return "m.Event"


class ChannelMaker:
    """`Channel[message, capacity]`, or `Queue[item, size]`."""

    def __init__(self, name: str) -> None:
        self.name = name

    def domain(self, shape: tuple[Domain[T] | type[T], int]) -> ChannelDomain[T]:
        """Return the domain of the channels of the message and the capacity that `shape` says."""
        is_queue = self.name == "Queue"
        if not isinstance(shape, tuple) or len(shape) != 2 or type(shape[1]) is not int:
            raise OptionError(f"{self.name}[{shape}] is none", f"write m.{self.name}[bool, 2]: of what, and how many")
        if not int(is_queue) <= shape[1] <= MOST_MESSAGES:
            raise OptionError(f"room for {shape[1]} messages", f"{int(is_queue)} to {MOST_MESSAGES} are possible")
        return ChannelDomain(value_domain(shape[0], f"m.{self.name}"), shape[1], is_queue=is_queue)


class PlainChannels(ChannelMaker):
    """`Channel[message, capacity]`."""

    def __getitem__(self, shape: tuple[Domain[T] | type[T], int]) -> ChannelDomain[T]:
        """Return the domain of the channels of the message and the capacity that `shape` says."""
        return self.domain(shape)


class Queues(ChannelMaker):
    """`Queue[item, size]`."""

    def __getitem__(self, shape: tuple[Domain[T] | type[T], int]) -> EmptyDomain[QueueOf[T]]:
        """Return the domain of the queues of the item and the size that `shape` says."""
        return cast("EmptyDomain[QueueOf[T]]", self.domain(shape))


def Semaphore(free: int = 1, most: int | None = None) -> SemaphoreOf:  # noqa: N802 # as in threading
    """Return a semaphore that `free` processes can acquire at the start; more than `most` releases are an error."""
    greatest = free if most is None else most
    if type(free) is not int or type(greatest) is not int or not 0 <= free <= greatest <= MOST_MESSAGES:
        raise OptionError(f"m.Semaphore({free}, {most}) is none", "write m.Semaphore(free, most)")
    return SemaphoreDomain(free, greatest)()


def Barrier(parties: int) -> BarrierOf:  # noqa: N802 # as in threading
    """Return a barrier at which as many processes as `parties` wait for each other."""
    if type(parties) is not int or not 1 <= parties <= MOST_MESSAGES:
        raise OptionError(f"m.Barrier({parties}) is none", "write m.Barrier(parties): how many processes")
    return BarrierDomain(parties)()


Channel: Final = PlainChannels("Channel")
Queue: Final = Queues("Queue")
Lock: Final = LockDomain()
RLock: Final = RLockDomain()
Condition: Final = ConditionDomain()
Event: Final = EventDomain()
