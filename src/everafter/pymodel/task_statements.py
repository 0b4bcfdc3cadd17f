"""What locks, queues and events of asyncio do to the tasks that wait for them: who is first in line, and who is woken.

A line has a number for each process: 0 where it does not wait, or its place from 1 on. A task that is cancelled while
it waits stays in line until it runs, and is passed over, as futures that are cancelled are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from everafter.model.containers import ListDomain
from everafter.promela.model import (
    Assign,
    Binary,
    ChoiceStatement,
    Conditional,
    Constant,
    Expression,
    Group,
    Reference,
    Statement,
    Test,
    Unary,
    Within,
)
from everafter.pymodel.container_items import ItemReader
from everafter.pymodel.process_frame import CANCELLING, PythonFrame
from everafter.pymodel.storage_shapes import (
    ASLEEP,
    ELEMENTS,
    GETTING,
    ITEMS,
    LENGTH,
    LOCKED,
    PUTTING,
    VALUE,
    WAITING,
    cells,
    element,
    elements,
    part,
)
from everafter.pymodel.typed_values import Stored, Term, constant, junction
from everafter.record import dataclass
from everafter.source import Place


@dataclass(frozen=True, eq=False)
class Awaiting:
    """A call of a task: who calls, and where."""

    reader: ItemReader
    frame: PythonFrame
    place: Place
    text: str

    def number(self, value: int) -> Constant:
        """Return `value` as an expression."""
        return constant(value, self.place)

    def together(self, *statements: Statement) -> Statement:
        """Return `statements` as one step."""
        return statements[0] if len(statements) == 1 else Group("d_step", statements, self.place, self.text)

    def test(self, condition: Expression) -> Test:
        """Return the step that is possible under `condition`."""
        return Test(condition, self.place, self.text)

    def assign(self, target: Term | Reference, value: Expression) -> Assign:
        """Return the step that stores `value` in `target`."""
        found = target.expression if isinstance(target, Term) else target
        assert isinstance(found, Reference)
        return Assign(found, value, self.place, self.text)

    def cancelling(self, index: int) -> Expression | None:
        """Whether the process of that `index` is being cancelled and did not run since; None if it never is."""
        for number, state in self.reader.namespace.shared.cancelled.values():
            if number == index:
                return Binary("==", state.expression, self.number(CANCELLING), self.place)
        return None


@dataclass(frozen=True, eq=False)
class Line:
    """Those who wait for something, in order; `own` is the place of the task that calls."""

    awaiting: Awaiting
    each: Sequence[Term]

    @property
    def own(self) -> Term:
        """The place of the task that calls."""
        return self.each[self.awaiting.frame.index]

    @property
    def woken(self) -> Constant:
        """What stands for a task that is woken and still first, in the line of a lock."""
        return self.awaiting.number(len(self.each) + 1)

    def is_empty(self) -> Expression:
        """Whether none waits."""
        place = self.awaiting.place
        return junction("&&", [Unary("!", each.expression, place) for each in self.each], True, place).expression

    def is_cancelled(self) -> Expression:
        """Whether all who wait were cancelled before they were woken, or none waits."""
        place, tests = self.awaiting.place, list[Expression]()
        for index, each in enumerate(self.each):
            none: Expression = Unary("!", each.expression, place)
            doomed = self.awaiting.cancelling(index)
            if doomed is not None:
                pending = Binary("!=", each.expression, self.woken, place)
                none = Binary("||", none, Binary("&&", doomed, pending, place), place)
            tests.append(none)
        return junction("&&", tests, True, place).expression

    def joined(self) -> Statement:
        """The assignment by which the task comes to stand at the end."""
        place, most = self.awaiting.place, self.awaiting.number(len(self.each))
        behind: Expression = self.awaiting.number(1)
        for each in self.each:
            some = Binary(">", each.expression, self.awaiting.number(0), place)
            waits = Binary("&&", some, Binary("<=", each.expression, most, place), place)
            behind = Binary("+", behind, waits, place)
        return self.awaiting.assign(self.own, behind)

    def _closed(self, holder: Reference, gone: Expression) -> Iterator[Statement]:
        """Who stands at the place that `holder` has gets the place `gone`, and those behind move up."""
        place, one, most = self.awaiting.place, self.awaiting.number(1), self.awaiting.number(len(self.each))
        for each in self.each:
            moved = Binary("-", each.expression, one, place)
            behind = Binary(">", each.expression, holder, place)
            waits = Binary("&&", behind, Binary("<=", each.expression, most, place), place)
            stays = Conditional(waits, moved, each.expression, place)
            here = Binary("==", each.expression, holder, place)
            yield self.awaiting.assign(each, Conditional(here, gone, stays, place))

    def left(self) -> list[Statement]:
        """What the task does to leave the line: those behind it move up, if it waited still."""
        holder = self.awaiting.frame.holder(0, self.awaiting.place)
        zero = self.awaiting.number(0)
        kept = self.awaiting.assign(holder, self.own.expression)
        return [kept, *self._closed(holder, zero), self.awaiting.assign(holder, zero)]

    def first_woken(self) -> list[Statement]:
        """What wakes the first who is not cancelled: it leaves the line."""
        frame, place = self.awaiting.frame, self.awaiting.place
        holder, zero = frame.holder(0, place), self.awaiting.number(0)
        found: list[Statement] = [self.awaiting.assign(holder, self.woken)]
        for index, each in enumerate(self.each):
            tests: list[Expression] = [
                Binary(">", each.expression, zero, place),
                Binary("<", each.expression, holder, place),
            ]
            if (doomed := self.awaiting.cancelling(index)) is not None:
                tests.append(Unary("!", doomed, place))
            is_less = junction("&&", tests, True, place).expression
            found.append(self.awaiting.assign(holder, Conditional(is_less, each.expression, holder, place)))
        return [*found, *self._closed(holder, zero), self.awaiting.assign(holder, zero)]

    def head_woken(self) -> list[Statement]:
        """What wakes the first, who stays first until it runs; one that is cancelled is not woken, nor another."""
        frame, place = self.awaiting.frame, self.awaiting.place
        holder, zero = frame.holder(0, place), self.awaiting.number(0)
        tests: list[Expression] = []
        for index, each in enumerate(self.each):
            is_first: Expression = Binary("==", each.expression, self.awaiting.number(1), place)
            if (doomed := self.awaiting.cancelling(index)) is not None:
                is_first = Binary("&&", is_first, Unary("!", doomed, place), place)
            tests.append(is_first)
        some = junction("||", tests, False, place).expression
        nowhere = self.awaiting.number(len(self.each) + 2)
        chosen = Conditional(some, self.awaiting.number(1), nowhere, place)
        return [
            self.awaiting.assign(holder, chosen),
            *self._closed(holder, self.woken),
            self.awaiting.assign(holder, zero),
        ]


def _line(awaiting: Awaiting, value: Stored, name: str) -> Line:
    held = part(value, name, awaiting.place)
    assert isinstance(held, Stored)
    return Line(awaiting, [each for each in elements(held, awaiting.place) if isinstance(each, Term)])


def _cell(awaiting: Awaiting, value: Stored, name: str) -> Term:
    found = part(value, name, awaiting.place)
    assert isinstance(found, Term)
    return found


@dataclass(frozen=True, eq=False)
class Suspension:
    """A place where a task waits: what it does when it goes on, under a condition, and when it is cancelled instead."""

    condition: Expression
    then: tuple[Statement, ...] = ()
    cancelled: tuple[Statement, ...] = ()


# Locks


def lock_taken(awaiting: Awaiting, value: Stored) -> tuple[Statement, Statement, Suspension]:
    """Return the step of `awaiting` that takes the lock `value` at once, the one that joins the line, and its wait."""
    place = awaiting.place
    locked, line = _cell(awaiting, value, LOCKED), _line(awaiting, value, WAITING)
    free = Binary("&&", Unary("!", locked.expression, place), line.is_cancelled(), place)
    take = awaiting.assign(locked, constant(True, place))
    at_once = awaiting.together(awaiting.test(free), take)
    join = awaiting.together(awaiting.test(Unary("!", free, place)), line.joined())
    leave = awaiting.assign(line.own, awaiting.number(0))
    woken = Binary("==", line.own.expression, line.woken, place)
    free_now: tuple[Statement, ...] = (awaiting.test(Unary("!", locked.expression, place)), *line.head_woken())
    gone = awaiting.together(*line.left())
    next_one = ChoiceStatement(((awaiting.together(*free_now),), (awaiting.test(locked.expression),)), False, place)
    return at_once, join, Suspension(woken, (leave, take), (gone, next_one))


def lock_released(awaiting: Awaiting, value: Stored) -> list[Statement]:
    """Return the step by which `awaiting` gives back the lock `value`; the first in line is woken."""
    locked = _cell(awaiting, value, LOCKED)
    held = Within(locked.expression, 1, 1, f"how often the lock is held at {awaiting.text}", awaiting.place)
    less = awaiting.assign(locked, Binary("-", held, awaiting.number(1), awaiting.place))
    return [awaiting.together(less, *_line(awaiting, value, WAITING).head_woken())]


# Events


def event_awaited(awaiting: Awaiting, value: Stored) -> tuple[Statement, Statement, Suspension]:
    """Return the step of `awaiting` that passes the event `value`, the one that falls asleep, and its wait."""
    place = awaiting.place
    flag, mine = _cell(awaiting, value, VALUE), _line(awaiting, value, ASLEEP).own
    sleep = awaiting.assign(mine, constant(True, place))
    asleep = awaiting.together(awaiting.test(Unary("!", flag.expression, place)), sleep)
    wake = awaiting.assign(mine, constant(False, place))
    return awaiting.test(flag.expression), asleep, Suspension(Unary("!", mine.expression, place), (), (wake,))


def event_changed(awaiting: Awaiting, value: Stored, is_set: bool) -> list[Statement]:
    """Return the step by which `awaiting` makes the event `value` be `is_set`; setting it wakes all."""
    place = awaiting.place
    stored: list[Statement] = [awaiting.assign(_cell(awaiting, value, VALUE), constant(is_set, place))]
    if is_set:
        sleepers = _line(awaiting, value, ASLEEP).each
        stored += [awaiting.assign(each, constant(False, place)) for each in sleepers]
    return [awaiting.together(*stored)]


# Queues


@dataclass(frozen=True, eq=False)
class TaskQueue:
    """A queue of tasks."""

    awaiting: Awaiting
    items: Stored
    getting: Line
    putting: Line

    @property
    def domain(self) -> ListDomain[object]:
        """What it holds."""
        assert isinstance(self.items.domain, ListDomain)
        return self.items.domain

    @property
    def length(self) -> Term:
        """How many items it has."""
        return _cell(self.awaiting, self.items, LENGTH)

    def is_length(self, number: int) -> Expression:
        """Whether it has as many items as `number`."""
        return Binary("==", self.length.expression, self.awaiting.number(number), self.awaiting.place)

    def put(self, message: Sequence[Expression]) -> list[Statement]:
        """What puts `message` behind the others, and wakes the first who wants one."""
        place, length = self.awaiting.place, self.length
        held = part(self.items, ELEMENTS, place)
        assert isinstance(held, Stored)
        targets = cells(element(held, length.expression, place), place)
        stored = [self.awaiting.assign(*pair) for pair in zip(targets, message, strict=True)]
        longer = Binary("+", length.expression, self.awaiting.number(1), place)
        return [*stored, self.awaiting.assign(length, longer), *self.getting.first_woken()]

    def got(self, targets: Sequence[Term]) -> list[Statement]:
        """What takes the first item into `targets`, or away, and wakes the first who has one to put."""
        place, length = self.awaiting.place, self.length
        held = part(self.items, ELEMENTS, place)
        assert isinstance(held, Stored)
        rows = [cells(each, place) for each in elements(held, place) if isinstance(each, Term | Stored)]
        stored = [self.awaiting.assign(to, cell.expression) for to, cell in zip(targets, rows[0], strict=False)]
        zeros: list[Expression] = [self.awaiting.number(0)] * len(rows[0])
        following = [[cell.expression for cell in row] for row in rows[1:]]
        for row, values in zip(rows, [*following, zeros], strict=True):
            stored += [self.awaiting.assign(*pair) for pair in zip(row, values, strict=True)]
        less = Binary("-", length.expression, self.awaiting.number(1), place)
        return [*stored, self.awaiting.assign(length, less), *self.putting.first_woken()]

    def waits(self, line: Line, is_stuck: Expression) -> tuple[Statement, Suspension]:
        """The step that joins the `line` while the queue `is_stuck`, and the wait there.

        Who is cancelled after it was woken wakes the next, unless the queue is stuck.
        """
        place = self.awaiting.place
        join = self.awaiting.together(self.awaiting.test(is_stuck), line.joined())
        waiting = line.own.expression
        options: list[tuple[Statement, ...]] = [
            (self.awaiting.together(self.awaiting.test(waiting), *line.left()),),
        ]
        woken = Unary("!", waiting, place)
        goes_on = Binary("&&", woken, Unary("!", is_stuck, place), place)
        options.append((self.awaiting.together(self.awaiting.test(goes_on), *line.first_woken()),))
        options.append((self.awaiting.test(Binary("&&", woken, is_stuck, place)),))
        return join, Suspension(woken, (), (ChoiceStatement(tuple(options), False, place),))


def task_queue(awaiting: Awaiting, value: Stored) -> TaskQueue:
    """Return the queue `value`, which `awaiting` uses."""
    items = part(value, ITEMS, awaiting.place)
    assert isinstance(items, Stored)
    return TaskQueue(awaiting, items, _line(awaiting, value, GETTING), _line(awaiting, value, PUTTING))
