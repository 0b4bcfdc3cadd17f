"""Statements that call methods which change what they are called on, and contexts that hold a lock."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from everafter.model.synchronization import ChannelDomain
from everafter.promela.model import Statement
from everafter.pymodel.assignment_reader import After, AssignmentReader, any_of
from everafter.pymodel.calling import Calling, Target
from everafter.pymodel.container_methods import CHANGING, kind_of_value
from everafter.pymodel.container_statements import Change, changed, deleted
from everafter.pymodel.lock_statements import LOCKS, acquire, release
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import cells
from everafter.pymodel.synchronization_statements import RECEIVING, synchronized
from everafter.pymodel.typed_values import Stored, Term, Value


class EffectReader(AssignmentReader):
    """Reads the statements of one method that change containers, channels and locks."""

    def effect(self, node: ast.stmt, call: ast.Call) -> list[Statement] | None:
        """Return the steps of `node`, a `call` of a method that changes something; None if it is none."""
        found = self.changing(call)
        if found is None:
            return None
        value, kind = found
        if not self._is_container(kind):
            return self.waiting(node, call, value, kind)[0]
        return self._change(self._changed(value, call), node)

    def stored(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> tuple[list[Statement], After]:
        """Return the step of `node` that stores `value` in the `targets`, and what names mean behind it."""
        found = self.changing(value)
        if found is None or not isinstance(value, ast.Call):
            return super().stored(targets, value, node)
        held, kind = found
        if len(targets) != 1:
            raise PythonProblem(node, "one variable gets what this gives")
        names: dict[str, Value] = {}
        if not self._is_container(kind):
            return self.waiting(node, value, held, kind, targets[0])
        change = self._changed(held, value)
        if change.gives is None:
            raise PythonProblem(value, "this gives nothing", "write it as a statement of its own")
        pairs = list(self.pairs(targets[0], change.gives, value, names))
        if isinstance(held, Stored) and any(to.variable is held.variable for to, _ in pairs):
            raise PythonProblem(targets[0], "this is part of what changes here", "keep it in another variable first")
        step = self.frame.together([*pairs, *change.stores], self.place(node), self.written(node))
        return [step], self.namespace.binding(names)

    def changing(self, call: ast.expr) -> tuple[Value, str] | None:
        """Return what a `call` changes, and of which kind that is; None if it changes nothing."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return None
        if self.namespace.attribute(call.func) is not None or self.namespace.meaning(call.func) is not None:
            return None
        if self.namespace.known(call.func.value) is not None:
            return None
        value = self.expressions.plain(self.expressions.value(call.func.value), call.func.value)
        kind = kind_of_value(value)
        return (value, kind) if call.func.attr in CHANGING.get(kind, ()) else None

    def waiting(
        self, node: ast.stmt, call: ast.Call, value: Value, kind: str, target: ast.expr | None = None
    ) -> tuple[list[Statement], After]:
        """Return the steps of a method that waits, or lets others go on, and what names mean behind them.

        The statement `node` makes the `call` on `value`, of that `kind`; `target` gets what it gives.
        """
        if target is not None:
            return self._received(target, value, kind, call, node)
        return synchronized(self._calling(node, call), value, kind), self.namespace

    def _is_container(self, kind: str) -> bool:
        return kind in ("list", "set", "dict")

    def _calling(self, node: ast.stmt, call: ast.Call, target: Target | None = None) -> Calling:
        return Calling(self.expressions, self.frame, call, self.place(node), self.written(node), target)

    def _changed(self, value: Value, call: ast.Call) -> Change:
        if not isinstance(value, Stored):
            raise PythonProblem(call, "this would change a copy", "call it on a variable")
        return changed(self.expressions, value, call)

    def _change(self, change: Change, node: ast.stmt) -> list[Statement]:
        return [self.frame.together(change.stores, self.place(node), self.written(node))]

    def _received(
        self, target: ast.expr, held: Value, kind: str, call: ast.Call, node: ast.stmt
    ) -> tuple[list[Statement], After]:
        """`x = channel.receive()`."""
        assert isinstance(call.func, ast.Attribute)
        if call.func.attr not in RECEIVING or not isinstance(held, Term):
            raise PythonProblem(call, "this gives nothing", "write it as a statement of its own")
        assert isinstance(held.domain, ChannelDomain)
        names: dict[str, Value] = {}
        if isinstance(target, ast.Tuple):
            raise PythonProblem(target, "one variable gets a message", "take it apart in the next statement")
        where, domain = self.target(target, any_of(held.domain.message, self.place(call)), call, names)
        if domain != held.domain.message and not isinstance(where, Term):
            raise PythonProblem(call, f"a message of {held.domain.message} does not fit here", "use another name")
        calling = self._calling(node, call, cells(where, self.place(target)))
        return synchronized(calling, held, kind), self.namespace.binding(names)

    def delete(self, node: ast.Delete) -> tuple[list[Statement], After]:
        """Return the steps of `del xs[i]`."""
        if len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Subscript):
            value = self.expressions.value(target.value)
            if isinstance(value, Stored) and kind_of_value(value) in ("list", "dict"):
                return self._change(deleted(self.expressions, value, target), node), self.namespace
        raise PythonProblem(node, "only an element of a list or dict can be deleted", "assign another value")

    def lock(self, node: ast.With | ast.AsyncWith) -> tuple[list[Statement], Any] | None:
        """Return the step that takes the lock of a context, and what gives the one that releases it; None if none."""
        item = node.items[0]
        context = item.context_expr
        if len(node.items) != 1 or item.optional_vars is not None or isinstance(context, ast.Call):
            return None
        if self.namespace.known(context) is not None:
            return None
        value = self.expressions.value(context)
        kind = kind_of_value(value)
        if kind not in LOCKS:
            return None
        call = ast.copy_location(ast.Call(context, [], []), context)
        text = self.written(context)
        calling = Calling(self.expressions, self.frame, call, self.place(context), f"with {text}")
        assert isinstance(value, Term | Stored)
        return acquire(calling, value), partial(self._release, call, value, f"leave with {text}")

    def _release(self, call: ast.Call, value: Term | Stored, text: str, node: ast.AST) -> list[Statement]:
        return release(Calling(self.expressions, self.frame, call, self.place(node), text), value)
