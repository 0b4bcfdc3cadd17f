"""What variables of a model are while it runs as Python: containers that refuse what is not in their domains."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Any

from everafter.model.containers import DictDomain, ListDomain, SetDomain, keys_of
from everafter.model.domains import ArrayDomain, Domain
from everafter.model.synchronization import (
    BarrierDomain,
    ChannelDomain,
    ConditionDomain,
    EventDomain,
    LockDomain,
    RLockDomain,
    SemaphoreDomain,
)

MOST_HELD = 255
Stop = tuple[Any, Any, Any, bool]
Place = tuple[Any, Any, bool]
"""Where a process is, in which atomic block, and whether it may stay."""


class OutOfRange(Exception):
    """A variable would leave its domain."""


def checked(domain: Domain[Any], value: Any) -> Any:
    """`value` as a variable of `domain` has it."""
    if not domain.holds(value):
        raise OutOfRange(value)
    return live(domain, value)


def live(domain: Domain[Any], value: Any) -> Any:
    """What a variable of `domain` is that begins with `value`."""
    match domain:
        case ArrayDomain(element=element, length=length):
            listed = list(value) if domain.lists(value) else [value] * length
            return Cells(domain, [live(element, each) for each in listed])
        case ListDomain():
            return (Listed if domain.kind is list else Queued)(domain, value)
        case SetDomain():
            return Keys(domain, value)
        case DictDomain():
            return Entries(domain, value)
        case LockDomain():
            return Lock()
        case SemaphoreDomain(free=free, most=most):
            return Semaphore(free, most)
        case EventDomain():
            return Event()
        case RLockDomain():
            return RLock()
        case BarrierDomain():
            return Barrier(domain.parties)
        case ConditionDomain(lock=lock):
            return Condition(lock)  # type: ignore[arg-type] # live by then
        case ChannelDomain():
            return Channel(domain)
    return value


def frozen(value: Any) -> Any:
    """A value by which states are told apart."""
    match value:
        case list() | deque():
            return tuple(map(frozen, value))
        case set():
            return frozenset(value)
        case dict():
            return frozenset(value.items())
        case Waiting():
            return value.key()
    return value


class Cells(list[Any]):
    """An array, which has no negative indices."""

    def __init__(self, domain: ArrayDomain[Any], values: list[Any]) -> None:
        super().__init__(values)
        self.domain = domain

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        if not 0 <= index < len(self):
            raise IndexError(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not 0 <= index < len(self):
            raise IndexError(index)
        super().__setitem__(index, checked(self.domain.element, value))

    def __deepcopy__(self, memo: Any) -> list[Any]:
        return [each.__deepcopy__(memo) if hasattr(each, "__deepcopy__") else each for each in self]


class Listed(list[Any]):
    """A list that has a greatest length."""

    def __init__(self, domain: ListDomain[Any], values: Any) -> None:
        super().__init__(values)
        self.domain = domain

    def _watched(self, value: Any) -> Any:
        if len(self) == self.domain.most or not self.domain.element.holds(value):
            raise OutOfRange(value)
        return value

    def append(self, value: Any) -> None:
        super().append(self._watched(value))

    def insert(self, index: Any, value: Any) -> None:
        super().insert(index, self._watched(value))

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self.domain.element.holds(value):
            raise OutOfRange(value)
        super().__setitem__(index, value)

    def __deepcopy__(self, memo: Any) -> list[Any]:
        return list(self)


class Queued(deque[Any]):
    """A deque that has a greatest length."""

    def __init__(self, domain: ListDomain[Any], values: Any) -> None:
        super().__init__(values)
        self.domain = domain

    def _watched(self, value: Any) -> Any:
        if len(self) == self.domain.most or not self.domain.element.holds(value):
            raise OutOfRange(value)
        return value

    def append(self, value: Any) -> None:
        super().append(self._watched(value))

    def appendleft(self, value: Any) -> None:
        super().appendleft(self._watched(value))

    def copy(self) -> Any:
        return deque(self)

    def __deepcopy__(self, memo: Any) -> deque[Any]:
        return deque(self)


class Keys(set[Any]):
    """A set of values of a domain."""

    def __init__(self, domain: SetDomain[Any], values: Any) -> None:
        super().__init__(values)
        self.domain = domain

    def add(self, value: Any) -> None:
        if not self.domain.key.holds(value):
            raise OutOfRange(value)
        super().add(value)

    def __deepcopy__(self, memo: Any) -> set[Any]:
        return set(self)


class Entries(dict[Any, Any]):
    """A dict of values of domains."""

    def __init__(self, domain: DictDomain[Any], values: Any) -> None:
        super().__init__(values)
        self.domain = domain

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.domain.key.holds(key) or not self.domain.element.holds(value):
            raise OutOfRange(key)
        super().__setitem__(key, value)

    def __deepcopy__(self, memo: Any) -> dict[Any, Any]:
        return dict(self)


# What processes wait by: methods are generators that stop as those of processes do


class Waiting:
    """What can be waited for."""

    def key(self) -> Any:
        raise NotImplementedError

    def stops(self, name: str, arguments: tuple[Any, ...], place: Place, number: int) -> Generator[Any, Any, Any]:
        """The stops of a call of the method called `name` by process `number`."""
        method: Callable[..., Generator[Any, Any, Any]] = getattr(self, f"_{name}")
        return method(place, number, *(each() for each in arguments))


def _stop(place: Place, ways: Any, part: int = 0) -> Stop:
    where, block, stays = place
    return ((where, part), ways, block, stays)


class Lock(Waiting):
    """A lock, which any process may release."""

    def __init__(self) -> None:
        self.is_held = False

    def key(self) -> Any:
        return self.is_held

    def locked(self) -> bool:
        return self.is_held

    def is_free(self, _number: int) -> bool:
        return not self.is_held

    def take(self, _number: int) -> None:
        self.is_held = True

    def check(self, _number: int) -> None:
        if not self.is_held:
            raise RuntimeError("released though free")

    def let_go(self, number: int) -> None:
        self.check(number)
        self.is_held = False

    def sleep(self, number: int) -> int:
        """Give it back altogether; how often it was held."""
        self.let_go(number)
        return 1

    def wake(self, number: int, _times: int) -> None:
        self.take(number)

    def _acquire(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, [lambda: self.is_free(number)])
        self.take(number)

    def _release(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        self.let_go(number)


class RLock(Lock):
    """A lock that its owner may take again, and no other may release."""

    def __init__(self) -> None:
        super().__init__()
        self.owner: int | None = None
        self.count = 0

    def key(self) -> Any:
        return self.owner, self.count

    def is_free(self, number: int) -> bool:
        return self.owner in (None, number)

    def take(self, number: int) -> None:
        if self.count == MOST_HELD:
            raise OutOfRange(self.count)
        self.owner, self.count = number, self.count + 1

    def check(self, number: int) -> None:
        if self.owner != number:
            raise RuntimeError("cannot release un-acquired lock")

    def let_go(self, number: int) -> None:
        self.check(number)
        self.count -= 1
        self.owner = number if self.count else None

    def sleep(self, number: int) -> int:
        self.check(number)
        times, self.owner, self.count = self.count, None, 0
        return times

    def wake(self, number: int, times: int) -> None:
        self.owner, self.count = number, times


class Barrier(Waiting):
    """A barrier, step by step as `threading` has it."""

    def __init__(self, parties: int) -> None:
        self.parties, self.count, self.draining = parties, 0, False

    def key(self) -> Any:
        return self.count, self.draining

    def _wait(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, [lambda: not self.draining])
        index, self.count = self.count, self.count + 1
        if index + 1 == self.parties:
            self.draining = True
        else:
            yield _stop(place, [lambda: self.draining], 1)
        self.count -= 1
        if self.count == 0:
            self.draining = False


class Semaphore(Waiting):
    """A semaphore."""

    def __init__(self, free: int, most: int) -> None:
        self.free, self.most = free, most

    def key(self) -> Any:
        return self.free

    def _acquire(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, [lambda: self.free > 0])
        self.free -= 1

    def _release(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        if self.free == self.most:
            raise OutOfRange(self.free)
        self.free += 1


class Event(Waiting):
    """An event."""

    def __init__(self) -> None:
        self.is_on = False

    def key(self) -> Any:
        return self.is_on

    def is_set(self) -> bool:
        return self.is_on

    def _set(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        self.is_on = True

    def _clear(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        self.is_on = False

    def _wait(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, [lambda: self.is_on])


class Condition(Waiting):
    """A condition, with a lock of its own if it is given none."""

    def __init__(self, lock: Lock | None) -> None:
        self.is_own, self.lock = lock is None, lock or RLock()
        self.asleep: set[int] = set()

    def key(self) -> Any:
        return self.lock.key() if self.is_own else None, frozenset(self.asleep)

    def _acquire(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        return self.lock._acquire(place, number)

    def _release(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        return self.lock._release(place, number)

    def _wait(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        times = self.lock.sleep(number)
        self.asleep.add(number)
        yield _stop(place, [lambda: number not in self.asleep and self.lock.is_free(number)], 1)
        self.lock.wake(number, times)

    def stops(self, name: str, arguments: tuple[Any, ...], place: Place, number: int) -> Generator[Any, Any, Any]:
        if name != "notify":
            return super().stops(name, arguments, place, number)
        return self._wake(place, number)

    def _wake(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        chosen = yield _stop(place, self._sleepers)
        self.lock.check(number)
        self.asleep.discard(chosen)

    def _sleepers(self) -> list[Any]:
        return sorted(self.asleep) or [None]

    def _notify_all(self, place: Place, number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        self.lock.check(number)
        self.asleep.clear()


class Channel(Waiting):
    """A channel, or a queue."""

    def __init__(self, domain: ChannelDomain[Any]) -> None:
        self.domain = domain
        self.messages: list[Any] = []
        self.unfinished: int | None = None
        """How many tasks of a queue are not done, where the model counts them."""

    def key(self) -> Any:
        if self.domain.is_reordering:
            return tuple(sorted(map(repr, self.messages)))
        return tuple(self.messages), self.unfinished

    def __len__(self) -> int:
        return len(self.messages)

    def __contains__(self, message: Any) -> bool:
        return message in self.messages

    def empty(self) -> bool:
        return not self.messages

    def full(self) -> bool:
        return len(self.messages) == self.domain.capacity

    def qsize(self) -> int:
        return len(self.messages)

    def _put_in(self, message: Any, times: int) -> None:
        if not self.domain.message.holds(message):
            raise OutOfRange(message)
        self.messages += [message] * times
        if self.unfinished is not None:
            self.unfinished += 1
            if self.unfinished > MOST_HELD:
                raise OutOfRange(self.unfinished)

    def _task_done(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        if not self.unfinished:
            raise ValueError("task_done() called too many times")
        self.unfinished -= 1

    def _join(self, place: Place, _number: int) -> Generator[Any, Any, Any]:
        yield _stop(place, [lambda: not self.unfinished])

    def stops(self, name: str, arguments: tuple[Any, ...], place: Place, number: int) -> Generator[Any, Any, Any]:
        if name in ("put_nowait", "get_nowait"):
            return self._at_once(name, arguments, place)
        if name in ("task_done", "join"):
            return super().stops(name, arguments, place, number)
        if self.domain.capacity == 0:
            return self._meet(arguments, place)
        return self._sent(arguments, place) if arguments else self._received(place)

    def _sent(self, arguments: tuple[Any, ...], place: Place) -> Generator[Any, Any, Any]:
        rooms = [lambda: not self.full()]
        if self.domain.is_doubling:
            rooms.append(lambda: len(self) <= self.domain.capacity - 2)
        if self.domain.is_lossy:
            rooms.append(lambda: True)
        way = yield _stop(place, rooms)
        (message,) = arguments
        is_lost = self.domain.is_lossy and way == len(rooms) - 1
        if not is_lost:
            self._put_in(message(), 1 + way)

    def _received(self, place: Place) -> Generator[Any, Any, Any]:
        if not self.domain.is_reordering:
            yield _stop(place, [lambda: bool(self.messages)])
            return self.messages.pop(0)
        chosen = yield _stop(place, lambda: sorted(set(self.messages), key=repr))
        self.messages.remove(chosen)
        return chosen

    def _at_once(self, name: str, arguments: tuple[Any, ...], place: Place) -> Generator[Any, Any, Any]:
        yield _stop(place, None)
        if name == "put_nowait":
            if self.full():
                raise RuntimeError("full")
            self._put_in(arguments[0](), 1)
            return None
        return self.messages.pop(0)

    def _meet(self, arguments: tuple[Any, ...], place: Place) -> Generator[Any, Any, Any]:
        if arguments:
            yield _stop(place, Offer(self, arguments[0]))
            return None
        return (yield _stop(place, Wish(self)))


class Offer:
    """A process that waits for another to receive."""

    def __init__(self, channel: Channel, message: Callable[[], Any]) -> None:
        self.channel, self.message = channel, message


class Wish:
    """A process that waits for another to send."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel


def call_steps(
    receiver: Callable[[], Any],
    name: str,
    arguments: tuple[Callable[[], Any], ...],
    place: Place,
    number: int,
) -> Generator[Any, Any, Any]:
    """The stops of a call of a method; what it gives is returned."""
    held = receiver_at_start(receiver)
    if isinstance(held, Waiting):
        return (yield from held.stops(name, arguments, place, number))
    where, block, stays = place
    yield (where, None, block, stays)
    return getattr(receiver(), name)(*(each() for each in arguments))


def receiver_at_start(receiver: Callable[[], Any]) -> Any:
    """What a method is called on, if that can be told before the step."""
    try:
        return receiver()
    except (IndexError, KeyError, TypeError, AttributeError):
        return None


def turn_of(container: Any, number: int) -> tuple[str, Any]:
    """What a loop over a variable takes in turn `number`: `value` and it, `skip`, or `end`."""
    match container:
        case Cells():
            return "value", container[number]
        case list() | deque():
            return ("value", container[number]) if number < len(container) else ("end", None)
        case Keys():
            key = keys_of(container.domain.key)[number]
            return ("value", key) if key in container else ("skip", None)
        case Entries():
            key = keys_of(container.domain.key)[number]
            return ("value", key) if key in container else ("skip", None)
    raise TypeError(container)
