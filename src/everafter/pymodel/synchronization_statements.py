"""Methods by which processes wait for each other: those of channels and queues, and which steps each method is."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import product
from typing import Any, Final

from everafter.model.containers import MOST_KEYS
from everafter.model.domains import Domain, IntDomain, OptionalDomain
from everafter.model.synchronization import ChannelDomain
from everafter.promela.model import (
    Assert,
    Assign,
    Binary,
    Bind,
    ChannelQuery,
    ChoiceStatement,
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
from everafter.pymodel.calling import Calling
from everafter.pymodel.lock_statements import LOCK_METHODS, Steps
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import (
    MOST_HELD,
    cell_constant,
    cells_of_domain,
    element,
)
from everafter.pymodel.typed_values import Stored, Term, Value, names_of


def synchronized(calling: Calling, value: Value, kind: str) -> list[Statement]:
    """Return the steps of a call of a method of `value`, which is of that `kind`, called by `calling`."""
    assert isinstance(calling.call.func, ast.Attribute)
    made = _STATEMENTS[kind, calling.call.func.attr]
    if not isinstance(value, Term | Stored):
        raise PythonProblem(calling.call, "this is no variable of the model")
    return made(calling, value)


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
    options: list[tuple[Statement, ...]] = [(_counted(calling, value, send),)]
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
    return list(options[0]) if len(options) == 1 else [ChoiceStatement(tuple(options), False, place)]


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


# Tasks of queues


def _unfinished(calling: Calling, value: Term | Stored) -> Term | None:
    """How many items of a queue are put and not said to be done; None where nothing asks."""
    assert isinstance(value, Term)
    assert isinstance(value.expression, Reference)
    counted = calling.reader.namespace.shared.unfinished.get(value.expression.variable.name)
    if isinstance(counted, Stored):
        assert value.expression.index is not None
        found = element(counted, value.expression.index, calling.place)
        assert isinstance(found, Term)
        return found
    return counted


def _counted(calling: Calling, value: Term | Stored, send: Send) -> Statement:
    """What sends, and counts what is sent into a queue whose tasks are counted."""
    tasks = _unfinished(calling, value)
    if tasks is None:
        return send
    more = Binary("+", tasks.expression, calling.number(1), calling.place)
    name = f"the number of unfinished tasks at {calling.text}"
    return calling.together(send, calling.assign(tasks, Within(more, 1, MOST_HELD, name, calling.place)))


def _task_done(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    tasks = _unfinished(calling, value)
    assert tasks is not None
    some = Within(tasks.expression, 1, MOST_HELD, f"the number of unfinished tasks at {calling.text}", calling.place)
    return [calling.assign(tasks, Binary("-", some, calling.number(1), calling.place))]


def _all_done(calling: Calling, value: Term | Stored) -> list[Statement]:
    calling.nothing_given()
    tasks = _unfinished(calling, value)
    assert tasks is not None
    return [calling.test(Unary("!", tasks.expression, calling.place))]


def _at_once(query: Any, made: Steps) -> Steps:
    """The same without waiting: it is an error if one would have to wait."""

    def found(calling: Calling, value: Term | Stored) -> list[Statement]:
        channel, _ = _channel(calling, value)
        possible = Assert(ChannelQuery(query, channel, calling.place), calling.place, calling.text)
        return [calling.together(possible, *made(calling, value))]

    return found


_STATEMENTS: Final[dict[tuple[str, str], Steps]] = {
    ("channel", "send"): _send,
    ("channel", "receive"): _receive,
    ("queue", "put"): _send,
    ("queue", "get"): _receive,
    ("queue", "put_nowait"): _at_once("nfull", _send),
    ("queue", "get_nowait"): _at_once("nempty", _receive),
    ("queue", "task_done"): _task_done,
    ("queue", "join"): _all_done,
    **LOCK_METHODS,
}
RECEIVING: Final = ("receive", "get", "get_nowait")
