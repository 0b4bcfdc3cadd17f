"""Calls that are statements: methods of the model, written out where they stand, and processes that are started."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from everafter.model import cancel, join, start, wait
from everafter.model.domains import Mutable
from everafter.promela.model import (
    Assign,
    Binary,
    Conditional,
    Constant,
    Expression,
    Reference,
    Statement,
    Test,
    Within,
)
from everafter.pymodel.assignment_reader import After, Pairs, only_argument
from everafter.pymodel.effect_reader import EffectReader
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.process_frame import CANCELLING, NOT_CANCELLED
from everafter.pymodel.python_text import PythonProblem, is_async
from everafter.pymodel.storage_shapes import cells, is_fixed_place
from everafter.pymodel.typed_values import Compound, Fixed, Gathered, Stored, Term, Value, ValueTuple


class CallReader(EffectReader):
    """Reads the statements of one method that call something."""

    def within(self, namespace: Namespace) -> CallReader:
        """The reader of statements where names mean what `namespace` says."""
        raise NotImplementedError

    def whole(self, body: Sequence[ast.stmt], node: ast.AST) -> list[Statement]:
        """Return the statements of the whole `body` of the method `node`."""
        raise NotImplementedError

    def body(self, body: Sequence[ast.stmt], namespace: After) -> tuple[list[Statement], After]:
        """Return the steps of `body`, where names mean what `namespace` says, and what they mean behind it."""
        raise NotImplementedError

    def call(self, node: ast.Expr, call: ast.Call, is_awaited: bool = False) -> tuple[list[Statement], After]:
        """Return the steps of the `call` that the statement `node` is, and what names mean behind it.

        `is_awaited`: it stands behind `await`.
        """
        if not is_awaited and self.frame.is_task and (self.is_call(node, wait) or self.is_call(node, join)):
            raise PythonProblem(call, "`await` is missing", f"await {self.written(call)}")
        if self.is_call(node, wait):
            condition = self.expression(only_argument(call, "condition"))
            return [Test(condition, self.place(node), self.written(node))], self.namespace
        if self.is_call(node, join):
            return [Test(self.has_ended(call), self.place(node), self.written(node))], self.namespace
        if self.is_call(node, start):
            return [self._started(node, call)], self.namespace
        if self.is_call(node, cancel):
            return [self._cancelled(node, call)], self.namespace
        name = self.namespace.attribute(call.func)
        method = self.namespace.shared.methods.get(name) if name is not None else None
        if name is None and (steps := self.effect(node, call)) is not None:
            return steps, self.namespace
        if name is None or method is None:
            self.expressions.value(call)  # says what is wrong with most
            raise PythonProblem(node, "this does nothing", "assign what it gives to a variable")
        if is_async(method) != is_awaited:
            if is_awaited:
                raise PythonProblem(call, f"'{name}' is no `async def`", "call it without `await`")
            raise PythonProblem(call, "`await` is missing", f"await {self.written(call)}")
        computed: list[tuple[str, Value]] = []
        body, inner = self.expressions.called(name, method, call, self.expressions.value)
        for parameter, value in inner.names.items():
            if isinstance(value, ValueTuple | Gathered) or _is_copy(value):
                raise PythonProblem(call, f"'{parameter}' would be a whole array", "pass an index, or a single value")
            if not isinstance(value, Fixed) and not _is_shared(value):
                computed.append((parameter, value))
        steps, inner = self._passed(computed, inner, node)
        return [*steps, *self.within(inner).whole(body, node)], self.namespace

    def _named(self, call: ast.Call) -> tuple[str, tuple[object, ...]]:
        """The process that a call names: its method and arguments."""
        name = self.namespace.attribute(call.args[0]) if call.args and not call.keywords else None
        known = [self.namespace.known(each) for each in call.args[1:]]
        if name is None or None in known:
            advice = "m.start(self.worker, 0), where the run does not decide the arguments"
            raise PythonProblem(call, "a process and its arguments are passed here", advice)
        return name, tuple(each.value for each in known if each is not None)

    def _thread(self, call: ast.Call) -> tuple[Reference, str]:
        """Whether the process that a call names is new, alive or ended, and what that is called."""
        name, arguments = self._named(call)
        thread = self.namespace.shared.threads.get((name, arguments))
        if thread is None:
            advice = f"@m.process(…, started=False) above {name}, with these arguments"
            raise PythonProblem(call, "there is no such process to start", advice)
        assert isinstance(thread.expression, Reference)
        return thread.expression, f"the state of {self.written(call.args[0])} at {self.written(call)}"

    def _started(self, node: ast.Expr, call: ast.Call) -> Statement:
        state, told = self._thread(call)
        place = self.place(node)
        alive = Binary("+", Within(state, 1, 1, told, place), Constant(1, place), place)
        return Assign(state, alive, place, self.written(node))

    def has_ended(self, call: ast.Call) -> Expression:
        """Return whether the process has ended that the `call` of `m.join` names; it must have been started."""
        state, told = self._thread(call)
        place = self.place(call)
        return Binary("==", Within(state, 2, 3, told, place), Constant(3, place), place)

    def _cancelled(self, node: ast.Expr, call: ast.Call) -> Statement:
        """The step that cancels a task, which has no effect if it has ended, or is being cancelled already."""
        key, place = self._named(call), self.place(node)
        known = self.namespace.shared.cancelled.get(key)
        if known is None:
            raise PythonProblem(
                call, "there is no such task", f"@m.process above async def {key[0]}, with these arguments"
            )
        asked = known[1].expression
        assert isinstance(asked, Reference)
        test: Expression = Binary("==", asked, Constant(NOT_CANCELLED, place), place)
        if key in self.namespace.shared.threads:
            state, told = self._thread(call)
            test = Binary("&&", Within(state, 2, 3, told, place), test, place)
        return Assign(asked, Conditional(test, Constant(CANCELLING, place), asked, place), place, self.written(node))

    def _passed(
        self, computed: list[tuple[str, Value]], inner: Namespace, node: ast.AST
    ) -> tuple[list[Statement], Namespace]:
        """The step that gives parameters their values, where the run decides these."""
        pairs: Pairs = []
        names: dict[str, Value] = {}
        place = self.place(node)
        for parameter, value in computed:
            assert isinstance(value, Term | Stored | Compound)
            kind = str(value.domain)
            held = self.frame.local((*inner.calls, kind), parameter, value.domain, place)
            for to, what in zip(cells(held, place), cells(value, place), strict=True):
                assert isinstance(to.expression, Reference)
                pairs.append((to.expression, what.expression))
            names[parameter] = held
        steps = [self.frame.together(pairs, place, self.written(node))] if pairs else []
        return steps, inner.binding(names)


def _is_shared(value: Value) -> bool:
    """Whether a parameter is another name of a variable that is changed in place."""
    return isinstance(value, Stored) and isinstance(value.domain, Mutable) and is_fixed_place(value)


def _is_copy(value: Value) -> bool:
    """Whether a parameter would be a list, set or dict of its own, or one of which the place is not known."""
    return isinstance(value, Stored | Compound) and isinstance(value.domain, Mutable) and not _is_shared(value)
