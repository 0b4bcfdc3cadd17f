"""Tasks of asyncio: what lies between two places where one may have to wait is one step, and a wait may be cancelled.

`try` is read here as well: what `finally` says is done on every way out, and a handler ends the way out of a
cancelled task.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from everafter.model import join, wait
from everafter.model.tasks import AsyncQueueDomain
from everafter.promela.model import (
    Binary,
    Block,
    Break,
    ChoiceStatement,
    Constant,
    Expression,
    Statement,
    Unary,
    Within,
)
from everafter.pymodel.assignment_reader import After, any_of, only_argument
from everafter.pymodel.branch_reader import BranchReader
from everafter.pymodel.container_methods import kind_of_value
from everafter.pymodel.process_frame import CANCELLING, NOT_CANCELLED, Cleanup
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import cells
from everafter.pymodel.task_statements import (
    Awaiting,
    Suspension,
    event_awaited,
    event_changed,
    lock_released,
    lock_taken,
    task_queue,
)
from everafter.pymodel.typed_values import Stored, Term, Value

TRY: Final = "try"
_AWAITED: Final = (("task lock", "acquire"), ("task event", "wait"), ("task queue", "put"), ("task queue", "get"))
_KINDS: Final = ("task lock", "task event", "task queue")
_FOR_TASKS: Final = "m.AsyncLock(), m.AsyncEvent() and m.AsyncQueue[…] are for tasks"


class TaskReader(BranchReader):
    """Reads the statements of one method that wait as tasks do, and ways out of blocks."""

    # What is awaited

    def awaited(self, node: ast.stmt, call: ast.expr) -> tuple[list[Statement], After]:
        """Return the steps of the statement `node`, which awaits the `call`."""
        if not isinstance(call, ast.Call):
            raise PythonProblem(node, "only a call can be awaited in a model", _FOR_TASKS)
        if _of_asyncio(self.namespace.meaning(call.func)) == "sleep":
            return self.switch(node, Suspension(Constant(1, self.place(node)))), self.namespace
        if self.is_call(call, wait):
            condition = self.expression(only_argument(call, "condition"))
            return self.switch(node, Suspension(condition)), self.namespace
        if self.is_call(call, join):
            return self.switch(node, Suspension(self.has_ended(call))), self.namespace
        name = self.namespace.attribute(call.func)
        if name is not None and name in self.namespace.shared.methods:
            return self.call(ast.copy_location(ast.Expr(call), node), call, is_awaited=True)
        found = self.changing(call)
        assert isinstance(call.func, ast.Attribute) or found is None
        if found is None or (found[1], call.func.attr) not in _AWAITED:  # type: ignore[attr-defined] # see above
            advice = "asyncio.sleep(…), m.wait(…), m.join(…), methods of the model, and what waits: " + _FOR_TASKS
            raise PythonProblem(call, "this cannot be awaited in a model", advice)
        return self._awaited_method(node, call, *found), self.namespace

    def _awaited_method(self, node: ast.stmt, call: ast.Call, value: Value, kind: str) -> list[Statement]:
        assert isinstance(value, Stored)
        assert isinstance(call.func, ast.Attribute)
        awaiting = self._awaiting(node)
        if call.func.attr == "put":
            return self._put(node, call, value)
        if call.keywords or call.args:
            raise PythonProblem(call, "nothing is passed here", "what waits in a model waits as long as it takes")
        if call.func.attr == "get":
            return self._get(node, value, [])
        made = lock_taken if kind == "task lock" else event_awaited
        at_once, asleep, found = made(awaiting, value)
        return [ChoiceStatement(((at_once,), (asleep, *self.switch(node, found))), False, self.place(node))]

    def _awaiting(self, node: ast.AST, text: str | None = None) -> Awaiting:
        return Awaiting(self.expressions, self.frame, self.place(node), text or self.written(node))

    def _put(self, node: ast.stmt, call: ast.Call, value: Stored) -> list[Statement]:
        """`await queue.put(message)`: the message is computed at once, and kept while the task waits."""
        assert isinstance(value.domain, AsyncQueueDomain)
        message = self._message(call, value.domain)
        awaiting, place = self._awaiting(node), self.place(node)
        queue = task_queue(awaiting, value)
        first: list[Statement] = []
        cleared: list[Statement] = []
        if not all(isinstance(each, Constant) for each in message):
            held = self.frame.local(("",), f"put {value.domain.items.element}", value.domain.items.element, place)
            kept = cells(held, place)
            first = [awaiting.assign(*pair) for pair in zip(kept, message, strict=True)]
            cleared = [awaiting.assign(each, awaiting.number(0)) for each in kept]
            message = [each.expression for each in kept]
        full = queue.is_length(value.domain.items.most)
        asleep, found = queue.waits(queue.putting, full)
        found = Suspension(found.condition, found.then, (*cleared, *found.cancelled))
        self.frame.blocks.append(TRY)
        again = (asleep, *self.switch(node, found))
        self.frame.blocks.pop()
        done = awaiting.together(awaiting.test(_not(full)), *queue.put(message), *cleared)
        loop = ChoiceStatement((again, (done, Break(place, ""))), True, place)
        return [*([awaiting.together(*first)] if first else []), loop]

    def _message(self, call: ast.Call, domain: AsyncQueueDomain[object]) -> list[Expression]:
        if len(call.args) != 1 or call.keywords:
            raise PythonProblem(call, "one item is passed here")
        node = call.args[0]
        return self.expressions.fitted(self.expressions.value(node), domain.items.element, node, "the item")

    def _get(self, node: ast.stmt, value: Stored, targets: list[Term]) -> list[Statement]:
        awaiting, place = self._awaiting(node), self.place(node)
        queue = task_queue(awaiting, value)
        empty = queue.is_length(0)
        asleep, found = queue.waits(queue.getting, empty)
        self.frame.blocks.append(TRY)
        again = (asleep, *self.switch(node, found))
        self.frame.blocks.pop()
        done = awaiting.together(awaiting.test(_not(empty)), *queue.got(targets))
        return [ChoiceStatement((again, (done, Break(place, ""))), True, place)]

    def stored(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> tuple[list[Statement], After]:
        """Return the step of `node` that stores `value` in the `targets`, and what names mean behind it."""
        if not isinstance(value, ast.Await):
            return super().stored(targets, value, node)
        found = self.changing(value.value)
        if found is None or not isinstance(value.value, ast.Call) or found[1] != "task queue":
            raise PythonProblem(value, "this gives nothing", "await it in a statement of its own")
        return self._taken(targets, found[0], value.value, node, ("get",))

    def _taken(
        self, targets: list[ast.expr], held: Value, call: ast.Call, node: ast.stmt, names: tuple[str, ...]
    ) -> tuple[list[Statement], After]:
        """`x = await queue.get()`, or `x = queue.get_nowait()`."""
        assert isinstance(call.func, ast.Attribute)
        assert isinstance(held, Stored)
        if call.func.attr not in names or call.args or call.keywords or not isinstance(held.domain, AsyncQueueDomain):
            raise PythonProblem(call, "this gives nothing", "write it as a statement of its own")
        if len(targets) != 1 or isinstance(targets[0], ast.Tuple | ast.List):
            raise PythonProblem(node, "one variable gets an item", "take it apart in the next statement")
        bound: dict[str, Value] = {}
        element = held.domain.items.element
        where, domain = self.target(targets[0], any_of(element, self.place(call)), call, bound)
        if domain != element:
            raise PythonProblem(call, f"an item of {element} does not fit here", "use another name")
        places = cells(where, self.place(targets[0]))
        made = self._get(node, held, places) if call.func.attr == "get" else self._at_once(node, held, places)
        return made, self.namespace.binding(bound)

    def _at_once(self, node: ast.AST, value: Stored, targets: list[Term]) -> list[Statement]:
        """`get_nowait`: it is an error if there is nothing."""
        awaiting = self._awaiting(node)
        queue = task_queue(awaiting, value)
        most = queue.domain.most
        some = Within(queue.length.expression, 1, most, f"the number of items at {awaiting.text}", awaiting.place)
        return [awaiting.together(awaiting.assign(queue.length, some), *queue.got(targets))]

    # What is not awaited

    def waiting(
        self, node: ast.stmt, call: ast.Call, value: Value, kind: str, target: ast.expr | None = None
    ) -> tuple[list[Statement], After]:
        """Return the steps of a method that waits, or lets others go on; `target` gets what it gives."""
        assert isinstance(call.func, ast.Attribute)
        method = call.func.attr
        if kind not in _KINDS:
            if self.frame.is_task:
                raise PythonProblem(call, "this would hold up all tasks", _FOR_TASKS)
            return super().waiting(node, call, value, kind, target)
        if not self.frame.is_task:
            raise PythonProblem(call, "only tasks use this", "write `async def`, or m.Lock(), m.Queue[…], m.Event()")
        if (kind, method) in _AWAITED:
            raise PythonProblem(call, "`await` is missing", f"await {self.written(call)}")
        assert isinstance(value, Stored)
        if target is not None:
            return self._taken([target], value, call, node, ("get_nowait",))
        return self._changed_now(node, call, value, method), self.namespace

    def _changed_now(self, node: ast.stmt, call: ast.Call, value: Stored, method: str) -> list[Statement]:
        awaiting = self._awaiting(node)
        if method == "put_nowait":
            assert isinstance(value.domain, AsyncQueueDomain)
            queue, message = task_queue(awaiting, value), self._message(call, value.domain)
            most = queue.domain.most - 1
            room = Within(queue.length.expression, 0, most, f"the number of items at {awaiting.text}", awaiting.place)
            return [awaiting.together(awaiting.assign(queue.length, room), *queue.put(message))]
        if call.args or call.keywords:
            raise PythonProblem(call, "nothing is passed here")
        if method == "get_nowait":
            return self._at_once(node, value, [])
        if method == "release":
            return lock_released(awaiting, value)
        return event_changed(awaiting, value, method == "set")

    # Where others may move

    def switch(self, node: ast.AST, found: Suspension) -> list[Statement]:
        """Return the steps of a place where the task waits, as `found` says, or is cancelled."""
        place, text = self.place(node), self.written(node)
        cancelled = self.frame.cancelled
        if cancelled is None:
            go = Awaiting(self.expressions, self.frame, place, text)
            return [self.frame.switch(go.together(go.test(found.condition), *found.then), place)]
        go = Awaiting(self.expressions, self.frame, place, text)
        asked = Binary("==", cancelled.expression, go.number(CANCELLING), place)
        may = Binary("&&", _not(asked), found.condition, place)
        told = Awaiting(self.expressions, self.frame, place, f"cancelled at {text}")
        ends = told.together(told.test(asked), told.assign(cancelled, told.number(NOT_CANCELLED)))
        away = (ends, *found.cancelled, *self.raised(node))
        options = ((go.together(go.test(may), *found.then),), away)
        return [self.frame.switch(ChoiceStatement(options, False, place), place)]

    def raised(self, node: ast.AST) -> list[Statement]:
        """Return the steps from a place where `node` raises CancelledError: up to a handler, or to the end."""
        found: list[Statement] = []
        for cleanup in reversed(self.frame.held):
            steps, goes_on = self.frame.through(cleanup, node)
            found += steps
            if cleanup.catches or not goes_on:
                return found
        return [*found, Break(self.place(node), "", len(self.frame.blocks))]

    def lock(self, node: ast.With | ast.AsyncWith) -> tuple[list[Statement], Any] | None:
        """Return the step that takes the lock of a context, and what gives the one that releases it; None if none."""
        if isinstance(node, ast.AsyncWith):
            return self._task_lock(node)
        found = super().lock(node)
        if found is not None and self.frame.is_task:
            raise PythonProblem(node.items[0].context_expr, "this would hold up all tasks", _FOR_TASKS)
        return found

    def _task_lock(self, node: ast.AsyncWith) -> tuple[list[Statement], Callable[[ast.AST], list[Statement]]]:
        """The steps that take the lock of `async with`, and what gives those that release it."""
        item = node.items[0]
        if len(node.items) == 1 and item.optional_vars is None and not isinstance(item.context_expr, ast.Call):
            value = self.expressions.value(item.context_expr)
            if isinstance(value, Stored) and kind_of_value(value) == "task lock":
                text = f"async with {self.written(item.context_expr)}"
                at_once, asleep, found = lock_taken(self._awaiting(item.context_expr, text), value)
                waits = (asleep, *self.switch(item.context_expr, found))
                taken = ChoiceStatement(((at_once,), waits), False, self.place(node))
                return [taken], partial(self._given_back, value, f"leave {text}")
        raise PythonProblem(node, "this context cannot be used in a model", "async with a lock: lock = m.AsyncLock()")

    def _given_back(self, value: Stored, text: str, node: ast.AST) -> list[Statement]:
        return lock_released(self._awaiting(node, text), value)

    # Ways out

    def try_statement(self, node: ast.Try) -> tuple[list[Statement], After]:
        """Return the steps of `try`, and what names mean behind it."""
        if node.orelse:
            raise PythonProblem(node.orelse[0], "`try` has no `else` in a model", "write it behind the others")
        if not node.finalbody:
            return self._guarded(node)
        self.frame.held.append(Cleanup(len(self.frame.blocks), lambda _: self._finally(node)))
        steps, after = self._guarded(node)
        self.frame.held.pop()
        last, end = self.body(node.finalbody, self.namespace if after is None else after)
        return (steps, None) if after is None else ([*steps, *last], end)

    def _finally(self, node: ast.Try) -> tuple[list[Statement], bool]:
        found, after = self.body(node.finalbody, self.namespace)
        return found, after is not None

    def _guarded(self, node: ast.Try) -> tuple[list[Statement], After]:
        """The body of `try` with its handler, without `finally`."""
        if not node.handlers:
            return self.body(node.body, self.namespace)
        handler = node.handlers[0]
        caught = None if handler.type is None else self.namespace.meaning(handler.type)
        is_cancelling = caught is BaseException or _of_asyncio(caught) == "CancelledError"
        if len(node.handlers) > 1 or not is_cancelling or handler.name:
            advice = "in a task: except asyncio.CancelledError: …; what else may happen is said by `if`"
            raise PythonProblem(handler, "this is never raised in a model", advice)
        if not self.frame.is_task:
            raise PythonProblem(handler, "this is raised in tasks only", "write `async def`")
        self.frame.blocks.append(TRY)
        caught_at = partial(self._handled, handler, len(self.frame.blocks))
        _, goes_on = caught_at(handler)
        self.frame.held.append(Cleanup(len(self.frame.blocks), caught_at, catches=True))
        found, after = self.body(node.body, self.namespace)
        self.frame.held.pop()
        self.frame.blocks.pop()
        block: list[Statement] = [Block(tuple(found), self.place(node))] if found else []
        return block, self.namespace if goes_on else after

    def _handled(self, handler: ast.ExceptHandler, depth: int, node: ast.AST) -> tuple[list[Statement], bool]:
        """The steps of a handler inside `depth` blocks where `node` is cancelled, up to what follows its `try`."""
        self.frame.handling += 1
        found, after = self.body(handler.body, self.namespace)
        self.frame.handling -= 1
        if after is None:
            return found, False
        levels = len(self.frame.blocks) - depth + 1
        return [*found, Break(self.place(node), "", levels)], True

    def raise_statement(self, node: ast.Raise) -> tuple[list[Statement], After]:
        """Return the steps of `raise` in a handler, which goes on with what was caught."""
        if node.exc is not None or not self.frame.handling:
            raise PythonProblem(node, "`raise` cannot be used in a model", "assert what must hold")
        return self.raised(node), None


def _of_asyncio(found: object) -> str:
    """The name of what a model may use of asyncio, if it is that; the file of a model with tasks has imported it."""
    library = sys.modules.get("asyncio")
    return next((name for name in ("sleep", "CancelledError") if found is getattr(library, name, _NOTHING)), "")


_NOTHING: Final = object()


def _not(expression: Expression) -> Expression:
    return Unary("!", expression, expression.place)
