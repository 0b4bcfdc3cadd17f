"""Methods by which processes wait for each other: each is one step, but waiting on a condition, which is two."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, Final

from everafter.model.containers import MOST_KEYS
from everafter.model.domains import Domain, IntDomain, OptionalDomain
from everafter.model.synchronization import ChannelDomain, SemaphoreDomain
from everafter.promela.model import (
    Assert,
    Assign,
    Binary,
    Bind,
    Break,
    ChannelQuery,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Match,
    Predefined,
    Receive,
    Reference,
    Send,
    Statement,
    Test,
    Unary,
    Within,
)
from everafter.pymodel.container_items import ItemReader
from everafter.pymodel.process_frame import PythonFrame
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import (
    ASLEEP,
    LOCKED,
    cell_constant,
    cells_of_domain,
    elements,
    part,
)
from everafter.pymodel.typed_values import Stored, Term, Value, constant, names_of
from everafter.record import dataclass
from everafter.source import Place

Target = Sequence[Term]
"""The cells that get what is received; none if it is thrown away."""


@dataclass(frozen=True, eq=False)
class Calling:
    """A call of a method that waits, or lets others go on."""

    reader: ItemReader
    frame: PythonFrame
    call: ast.Call
    place: Place
    text: str
    target: Target | None = None

    def together(self, *statements: Statement) -> Statement:
        """Return `statements` as one step."""
        return statements[0] if len(statements) == 1 else Group("d_step", statements, self.place, self.text)

    def test(self, condition: Expression) -> Test:
        """Return the step that waits for `condition`."""
        return Test(condition, self.place, self.text)

    def assign(self, target: Term, value: Expression) -> Assign:
        """Return the step that stores `value` in `target`."""
        assert isinstance(target.expression, Reference)
        return Assign(target.expression, value, self.place, self.text)

    def nothing_given(self) -> None:
        """Complain of arguments."""
        if self.call.args or self.call.keywords:
            raise PythonProblem(self.call, "nothing is passed here", "what blocks in a model waits as long as it takes")

    def number(self, value: int) -> Constant:
        """Return `value` as an expression."""
        return constant(value, self.place)


def synchronized(calling: Calling, value: Value, kind: str) -> list[Statement]:
    """Return the steps of a call of a method of `value`, which is of that `kind`, called by `calling`."""
    assert isinstance(calling.call.func, ast.Attribute)
    made = _STATEMENTS[kind, calling.call.func.attr]
    if not isinstance(value, Term | Stored):
        raise PythonProblem(calling.call, "this is no variable of the model")
    return made(calling, value)


def acquired(calling: Calling, value: Value, kind: str) -> list[Statement]:
    """Return the steps at the beginning of `with` of a lock, semaphore or condition, `value` of that `kind`,
    called by `calling`.
    """
    assert isinstance(value, Term | Stored)
    return _acquire(calling, value) if kind != "semaphore" else _take(calling, value)


def released(calling: Calling, value: Value, kind: str) -> list[Statement]:
    """Return the steps at the end of `with` of a lock, semaphore or condition, `value` of that `kind`, called by
    `calling`.
    """
    assert isinstance(value, Term | Stored)
    return _release(calling, value) if kind != "semaphore" else _give(calling, value)


# Channels


def _channel(calling: Calling, value: Term | Stored) -> tuple[Expression, ChannelDomain[Any]]:
    assert isinstance(value, Term)
    assert isinstance(value.domain, ChannelDomain)
    if value.domain.capacity == 0 and calling.frame.atomic:
        raise PythonProblem(
            calling.call, "a channel without room cannot be used in an atomic block", "m.Channel[…, 1] can"
        )
    return value.expression, value.domain


def _send(calling: Calling, value: Term | Stored) -> list[Statement]:
    channel, domain = _channel(calling, value)
    if len(calling.call.args) != 1 or calling.call.keywords:
        raise PythonProblem(calling.call, "one message is passed here")
    node = calling.call.args[0]
    message = tuple(calling.reader.fitted(calling.reader.value(node), domain.message, node, "the message"))
    place, text = calling.place, calling.text
    send = Send(channel, message, domain.is_reordering, place, text)
    options: list[tuple[Statement, ...]] = [(send,)]
    if domain.is_doubling:
        room = Binary("<=", ChannelQuery("len", channel, place), calling.number(domain.capacity - 2), place)
        held = [calling.frame.holder(number, place) for number in range(len(message))]
        same = Send(channel, tuple(held), domain.is_reordering, place, text)
        kept = [Assign(one, each, place, text) for one, each in zip(held, message, strict=True)]
        cleared = [Assign(one, calling.number(0), place, text) for one in held]
        twice: tuple[Statement, ...] = (Test(room, place, f"{text} twice"), *kept, same, same, *cleared)
        options.append((Group("d_step", twice, place, f"{text} twice"),))
    if domain.is_lossy:
        options.append((Test(calling.number(1), place, f"{text} is lost"),))
    return [send] if len(options) == 1 else [ChoiceStatement(tuple(options), False, place)]


def _receive(calling: Calling, value: Term | Stored) -> list[Statement]:
    channel, domain = _channel(calling, value)
    calling.nothing_given()
    kinds = cells_of_domain(domain.message)
    if calling.target is not None:
        targets = zip(calling.target, kinds, strict=True)
        if any(not _has_room(one.domain, other) for one, other in targets):
            raise PythonProblem(calling.call, f"a message of {domain.message} does not fit here", "use another name")
    if domain.is_reordering:
        return [_any_message(calling, channel, kinds)]
    bound = (
        tuple(Bind(Predefined("_", calling.place)) for _ in kinds)
        if calling.target is None
        else tuple(Bind(each.expression) for each in calling.target if isinstance(each.expression, Reference))
    )
    return [Receive(channel, bound, False, False, calling.place, calling.text)]


def _has_room(mine: Domain[Any], message: Domain[Any]) -> bool:
    """Whether a cell can hold the numbers of another."""
    if isinstance(mine, IntDomain) and isinstance(message, IntDomain):
        return mine.least <= message.least and message.greatest <= mine.greatest
    return mine == message


def _any_message(calling: Calling, channel: Expression, kinds: Sequence[Domain[Any]]) -> Statement:
    """An option for each message that there may be."""
    each = [_numbers(kind) for kind in kinds]
    count = 1
    for numbers in each:
        count *= len(numbers)
    if count > MOST_KEYS:
        advice = f"at most {MOST_KEYS} are possible: use smaller ranges"
        raise PythonProblem(calling.call, f"{count:,} different messages in a channel that reorders them", advice)
    options: list[tuple[Statement, ...]] = []
    place, text = calling.place, calling.text
    for numbers in product(*each):
        values = [cell_constant(number, kind, place) for number, kind in zip(numbers, kinds, strict=True)]
        receive = Receive(channel, tuple(map(Match, values)), True, False, place, text)
        stored = [calling.assign(*pair) for pair in zip(calling.target or (), values, strict=False)]
        options.append((calling.together(receive, *stored),))
    return ChoiceStatement(tuple(options), False, place)


def _numbers(kind: Domain[Any]) -> Sequence[int]:
    if isinstance(kind, IntDomain):
        return range(kind.least, kind.greatest + 1)
    if isinstance(kind, OptionalDomain) and isinstance(kind.inner, IntDomain):
        return range(kind.inner.least, kind.inner.greatest + 2)
    return sorted(names_of(kind).values())


def _at_once(query: Any, made: Callable[[Calling, Term | Stored], list[Statement]]) -> Any:
    """The same without waiting: it is an error if one would have to wait."""

    def found(calling: Calling, value: Term | Stored) -> list[Statement]:
        channel, _ = _channel(calling, value)
        possible = Assert(ChannelQuery(query, channel, calling.place), calling.place, calling.text)
        return [calling.together(possible, *made(calling, value))]

    return found


# Locks, semaphores, events


def _lock(calling: Calling, value: Term | Stored) -> Term:
    found = part(value, LOCKED, calling.place) if isinstance(value, Stored) else value
    assert isinstance(found, Term)
    return found


def _acquire(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    lock = _lock(calling, value)
    free = calling.test(Unary("!", lock.expression, calling.place))
    return [calling.together(free, calling.assign(lock, constant(True, calling.place)))]


def _held(calling: Calling, lock: Term) -> Expression:
    """1, and an error if the lock is free."""
    return Within(lock.expression, 1, 1, f"how often the lock is held at {calling.text}", calling.place)


def _release(calling: Calling, value: Term | Stored) -> list[Statement]:
    lock = _lock(calling, value)
    return [calling.assign(lock, Binary("-", _held(calling, lock), calling.number(1), calling.place))]


def _release_by_call(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    return _release(calling, value)


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
    lock, mine = _lock(calling, value), _sleepers(calling, value)[calling.frame.index]
    place, true = calling.place, constant(True, calling.place)
    asleep = calling.together(*_release(calling, value), calling.assign(mine, true))
    may = Binary("&&", Unary("!", mine.expression, place), Unary("!", lock.expression, place), place)
    text = f"{calling.text} is over"
    awake = Group("d_step", (Test(may, place, text), calling.assign(lock, true)), place, text)
    return [asleep, awake]


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
    held = _held(calling, _lock(calling, value))
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
    held = calling.test(_held(calling, _lock(calling, value)))
    woken = [calling.assign(each, constant(False, calling.place)) for each in _sleepers(calling, value)]
    return [calling.together(held, *woken)]


def _without(made: Callable[[Calling, Term | Stored], list[Statement]]) -> Any:
    def found(calling: Calling, value: Term | Stored) -> list[Statement]:
        calling.nothing_given()
        return made(calling, value)

    return found


_STATEMENTS: Final[dict[tuple[str, str], Callable[[Calling, Term | Stored], list[Statement]]]] = {
    ("channel", "send"): _send,
    ("channel", "receive"): _receive,
    ("queue", "put"): _send,
    ("queue", "get"): _receive,
    ("queue", "put_nowait"): _at_once("nfull", _send),
    ("queue", "get_nowait"): _at_once("nempty", _receive),
    ("lock", "acquire"): _acquire,
    ("lock", "release"): _release_by_call,
    ("semaphore", "acquire"): _without(_take),
    ("semaphore", "release"): _without(_give),
    ("event", "set"): _set(1),
    ("event", "clear"): _set(0),
    ("event", "wait"): _wait_for_event,
    ("condition", "acquire"): _acquire,
    ("condition", "release"): _release_by_call,
    ("condition", "wait"): _sleep,
    ("condition", "wait_for"): _wait_for,
    ("condition", "notify"): _notify,
    ("condition", "notify_all"): _notify_all,
}
RECEIVING: Final = ("receive", "get", "get_nowait")

LOCKS: Final = ("lock", "semaphore", "condition")
