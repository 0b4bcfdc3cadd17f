"""What the methods of locks, conditions, barriers, semaphores and events do, as `threading` has them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Final

from everafter.model.domains import IntDomain
from everafter.model.synchronization import BarrierDomain, ConditionDomain, OwnerDomain, RLockDomain, SemaphoreDomain
from everafter.promela.model import (
    Binary,
    Break,
    ChoiceStatement,
    Conditional,
    Expression,
    Statement,
    Unary,
    Within,
)
from everafter.pymodel.calling import Calling
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import ASLEEP, COUNT, DRAINING, MOST_HELD, OWNER, elements, part
from everafter.pymodel.typed_values import Stored, Term, Value, constant
from everafter.record import dataclass, replace

Steps = Callable[[Calling, Term | Stored], list[Statement]]
"""The steps of a call of a method of a variable."""


@dataclass(frozen=True, eq=False)
class _Lock:
    """A lock and whether it is held; of an RLock, which process has it, and how often if that may be more than once."""

    calling: Calling
    holder: Term
    count: Term | None

    @property
    def is_owned(self) -> bool:
        """Whether only the process that has it may give it back."""
        return isinstance(self.holder.domain, OwnerDomain)

    @property
    def own(self) -> Expression:
        """What the holder is while this process has the lock."""
        if not self.is_owned:
            return constant(True, self.calling.place)
        return self.calling.number(self.calling.frame.index + 1)

    def is_free(self) -> Expression:
        """Whether nothing has it."""
        return Unary("!", self.holder.expression, self.calling.place)

    def held(self) -> Expression:
        """1, and an error if this process must not release it: a Lock is released by any, an RLock by its owner."""
        place, text = self.calling.place, self.calling.text
        if not self.is_owned:
            return Within(self.holder.expression, 1, 1, f"how often the lock is held at {text}", place)
        mine = Binary("==", self.holder.expression, self.own, place)
        return Within(mine, 1, 1, f"whether {self.calling.frame.name} has the lock at {text} (0: no, 1: yes)", place)

    def acquired(self) -> list[Statement]:
        """The step that takes it."""
        calling, place = self.calling, self.calling.place
        if self.count is None:
            return [calling.together(calling.test(self.is_free()), self.given(self.own))]
        mine = Binary("==", self.holder.expression, self.own, place)
        more = Binary("+", self.count.expression, calling.number(1), place)
        deeper = Within(more, 1, MOST_HELD, f"how often the lock is held at {calling.text}", place)
        return [
            calling.together(
                calling.test(Binary("||", self.is_free(), mine, place)),
                self.given(self.own),
                calling.assign(self.count, deeper),
            )
        ]

    def released(self) -> list[Statement]:
        """What gives it back, once."""
        calling, place = self.calling, self.calling.place
        if self.count is None:  # 0, and an error if it may not be given back
            return [self.given(Binary("-", self.held(), calling.number(1), place))]
        less = Binary("-", self.count.expression, self.held(), place)
        still = Conditional(self.count.expression, self.own, calling.number(0), place)
        return [calling.together(calling.assign(self.count, less), self.given(still))]

    def given(self, holder: Expression) -> Statement:
        """The assignment that says who has it."""
        return self.calling.assign(self.holder, holder)

    def slept(self) -> tuple[list[Statement], list[Statement]]:
        """What gives it back however often it is held, and what takes it as often again."""
        calling, place = self.calling, self.calling.place
        if self.count is None:
            return self.released(), [self.given(self.own)]
        kept = calling.frame.local(("",), "depth", IntDomain(0, MOST_HELD), place)
        assert isinstance(kept, Term)
        zero = calling.number(0)
        depth = Binary("*", self.count.expression, self.held(), place)
        asleep = [calling.assign(kept, depth), calling.assign(self.count, zero), self.given(zero)]
        awake = [self.given(self.own), calling.assign(self.count, kept.expression), calling.assign(kept, zero)]
        return asleep, awake


def _lock(calling: Calling, value: Value) -> _Lock:
    """The lock that `value` is, or that it has."""
    if isinstance(value, Term):
        return _Lock(calling, value, None)
    assert isinstance(value, Stored)
    if isinstance(value.domain, ConditionDomain) and value.domain.lock is not None:
        return _lock(calling, calling.reader.namespace.shared.variables[str(value.domain.lock)])
    owner = part(value, OWNER, calling.place)
    assert isinstance(owner, Term)
    is_nested = isinstance(value.domain, RLockDomain | ConditionDomain) and value.domain.is_nested
    count = part(value, COUNT, calling.place) if is_nested else None
    assert count is None or isinstance(count, Term)
    return _Lock(calling, owner, count)


def acquire(calling: Calling, value: Term | Stored) -> list[Statement]:
    """Return the steps by which `calling` takes the lock or semaphore `value`, or the lock of a condition."""
    calling.nothing_given()
    return _take(calling, value) if isinstance(value.domain, SemaphoreDomain) else _lock(calling, value).acquired()


def release(calling: Calling, value: Term | Stored) -> list[Statement]:
    """Return the steps by which `calling` gives back the lock or semaphore `value`, or the lock of a condition."""
    return _give(calling, value) if isinstance(value.domain, SemaphoreDomain) else _lock(calling, value).released()


def _release_by_call(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    return release(calling, value)


def _take(calling: Calling, value: Term | Stored) -> list[Statement]:
    assert isinstance(value, Term)
    some = calling.test(Binary(">", value.expression, calling.number(0), calling.place))
    less = Binary("-", value.expression, calling.number(1), calling.place)
    return [calling.together(some, calling.assign(value, less))]


def _give(calling: Calling, value: Term | Stored) -> list[Statement]:
    assert isinstance(value, Term)
    assert isinstance(value.domain, SemaphoreDomain)
    more = Binary("+", value.expression, calling.number(1), calling.place)
    name = calling.reader.namespace.text.written(calling.call)
    return [calling.assign(value, Within(more, 0, value.domain.most, f"the semaphore after {name}", calling.place))]


def _set(number: int) -> Callable[[Calling, Term | Stored], list[Statement]]:
    def found(calling: Calling, value: Term | Stored) -> list[Statement]:
        calling.nothing_given()
        assert isinstance(value, Term)
        return [calling.assign(value, constant(bool(number), calling.place))]

    return found


def _wait_for_event(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    assert isinstance(value, Term)
    return [calling.test(value.expression)]


# Conditions


def _sleepers(calling: Calling, value: Term | Stored) -> list[Term]:
    assert isinstance(value, Stored)
    held = part(value, ASLEEP, calling.place)
    found = elements(held, calling.place) if isinstance(held, Stored) else [held]
    return [each for each in found if isinstance(each, Term)]


def _sleep(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    return _sleeping(calling, value)


def _sleeping(calling: Calling, value: Term | Stored) -> list[Statement]:
    over = replace(calling, text=f"{calling.text} is over")
    mine = _sleepers(calling, value)[calling.frame.index]
    given, _ = _lock(calling, value).slept()
    lock = _lock(over, value)
    _, taken = lock.slept()
    asleep = calling.together(*given, calling.assign(mine, constant(True, calling.place)))
    may = Binary("&&", Unary("!", mine.expression, calling.place), lock.is_free(), calling.place)
    return [asleep, calling.frame.resting(over.together(over.test(may), *taken))]


def _wait_for(calling: Calling, value: Term | Stored) -> list[Statement]:
    if len(calling.call.args) != 1 or calling.call.keywords:
        raise PythonProblem(calling.call, "a condition is passed here")
    node = calling.call.args[0]
    if isinstance(node, ast.Lambda):
        node = node.body
    condition = calling.reader.condition(node)
    if not isinstance(condition, Term):
        raise PythonProblem(node, "this is known before the run", "name a variable")
    place = calling.place
    again = (calling.test(Unary("!", condition.expression, place)), *_sleeping(calling, value))
    done = (calling.test(condition.expression), Break(place, ""))
    return [ChoiceStatement((again, done), True, place)]


def _notify(calling: Calling, value: Term | Stored) -> list[Statement]:
    known = calling.reader.namespace.known(calling.call.args[0]) if calling.call.args else None
    if len(calling.call.args) > 1 or calling.call.keywords or (calling.call.args and known is None):
        raise PythonProblem(calling.call, "a number that is known before the run is passed here")
    return [_woken(calling, value)] * (known.value if known is not None else 1)


def _woken(calling: Calling, value: Term | Stored) -> Statement:
    sleepers, place = _sleepers(calling, value), calling.place
    held = _lock(calling, value).held()
    options: list[tuple[Statement, ...]] = []
    for each in sleepers:
        test = calling.test(Binary("&&", held, each.expression, place))
        options.append((calling.together(test, calling.assign(each, constant(False, place))),))
    nobody: Expression = held
    for each in sleepers:
        nobody = Binary("&&", nobody, Unary("!", each.expression, place), place)
    return ChoiceStatement((*options, (calling.test(nobody),)), False, place)


def _notify_all(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    held = calling.test(_lock(calling, value).held())
    woken = [calling.assign(each, constant(False, calling.place)) for each in _sleepers(calling, value)]
    return [calling.together(held, *woken)]


# Barriers


def _meet(calling: Calling, value: Term | Stored) -> list[Statement]:
    """The last of the parties lets all go on; who comes while they leave waits until they have left."""
    calling.nothing_given()
    assert isinstance(value, Stored)
    assert isinstance(value.domain, BarrierDomain)
    place, last = calling.place, calling.number(value.domain.parties - 1)
    count, draining = part(value, COUNT, place), part(value, DRAINING, place)
    assert isinstance(count, Term)
    assert isinstance(draining, Term)
    filling = Unary("!", draining.expression, place)
    first = calling.test(Binary("&&", filling, Binary("<", count.expression, last, place), place))
    more = Binary("+", count.expression, calling.number(1), place)
    over = replace(calling, text=f"{calling.text} is over")
    less = Binary("-", count.expression, calling.number(1), place)
    still = Binary(">", count.expression, calling.number(0), place)
    leave = over.together(over.test(draining.expression), over.assign(count, less), over.assign(draining, still))
    all_here = calling.test(Binary("&&", filling, Binary("==", count.expression, last, place), place))
    opened = calling.assign(draining, constant(value.domain.parties > 1, place))
    waits = (calling.together(first, calling.assign(count, more)), calling.frame.resting(leave))
    opens = (calling.together(all_here, opened),)
    return [ChoiceStatement((waits, opens) if value.domain.parties > 1 else (opens,), False, place)]


LOCK_METHODS: Final[dict[tuple[str, str], Steps]] = {
    ("lock", "acquire"): acquire,
    ("lock", "release"): _release_by_call,
    ("rlock", "acquire"): acquire,
    ("rlock", "release"): _release_by_call,
    ("barrier", "wait"): _meet,
    ("semaphore", "acquire"): acquire,
    ("semaphore", "release"): _release_by_call,
    ("event", "set"): _set(1),
    ("event", "clear"): _set(0),
    ("event", "wait"): _wait_for_event,
    ("condition", "acquire"): acquire,
    ("condition", "release"): _release_by_call,
    ("condition", "wait"): _sleep,
    ("condition", "wait_for"): _wait_for,
    ("condition", "notify"): _notify,
    ("condition", "notify_all"): _notify_all,
}
"""What the methods of each kind of variable do."""
LOCKS: Final = ("lock", "rlock", "semaphore", "condition")
