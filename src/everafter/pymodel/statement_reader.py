"""The statements of a process: each that Python knows as one becomes one step of the program.

A condition is one step with the branch that it opens. Loops over values known before the run, and methods, are
written out where they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from everafter.model import atomic, end
from everafter.promela.model import (
    Assert,
    Block,
    Break,
    ChoiceStatement,
    Expression,
    Group,
    Statement,
    Test,
    Unary,
)
from everafter.pymodel.access_splitter import split
from everafter.pymodel.assignment_reader import After
from everafter.pymodel.bounded_items import LiveItems, live_items
from everafter.pymodel.namespace import Namespace, own_statements, stored_names
from everafter.pymodel.process_frame import Cleanup, endless, undivided
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.task_reader import TaskReader
from everafter.pymodel.typed_values import Fixed, Term, Value

LOOP, TURN, CALL = "loop", "turn", "call"
_MOST_TURNS: Final = 1_000


class PythonStatements(TaskReader):
    """Reads the statements of one method, for one process."""

    def within(self, namespace: Namespace) -> PythonStatements:
        """The reader of statements where names mean what `namespace` says."""
        return PythonStatements(self.frame, namespace)

    def whole(self, body: Sequence[ast.stmt], node: ast.AST) -> list[Statement]:
        """Return the statements of the whole `body` of the method `node`, access by access if the model wants that."""
        namespace = self.namespace.for_body(body)
        if self.frame.is_split and not self.frame.atomic:
            try:
                body = split(body, namespace)
            except PythonProblem as problem:
                self.frame.problems.append(namespace.text.diagnostic(problem))
                return []
            namespace = self.namespace.for_body(body)
        return self.within(namespace).method(body, node)

    def method(self, body: Sequence[ast.stmt], node: ast.AST) -> list[Statement]:
        """Return the statements of the whole `body` of the method `node`."""
        returns = any(isinstance(part, ast.Return) for part in own_statements(body))
        if returns:
            self.frame.blocks.append(CALL)
        found, _ = self.body(body, self.namespace)
        if returns:
            self.frame.blocks.pop()
            found = [Block(tuple(found), self.place(node))] if found else []
        return found

    def body(self, body: Sequence[ast.stmt], namespace: After) -> tuple[list[Statement], After]:
        """Return the steps of `body`, where names mean what `namespace` says, and what they mean behind it."""
        found: list[Statement] = []
        stop: ast.stmt | None = None
        for node in body:
            if namespace is None:
                break  # control does not come here
            before = namespace
            inner = self.within(before)
            if inner.is_call(node, end):
                stop = node
                continue
            try:
                self.frame.counted(node)
                self.frame.stays = None if stop is None else inner.place(stop)
                steps, namespace = inner.statement(node)
            except PythonProblem as problem:
                self.frame.problems.append(before.text.diagnostic(problem))
                if any(name not in before.names for name in stored_names([node])):
                    break  # what follows would be told to have no value
                continue
            if stop is not None and steps:
                if not self.frame.is_task:
                    steps[0] = self.frame.labelled(steps[0], self.place(stop))
                stop = None
            found += steps
        if stop is not None:
            wrong = PythonProblem(stop, "no statement follows m.end()", "write it before the one where to stop")
            self.frame.problems.append(self.namespace.text.diagnostic(wrong))
        return found, namespace

    # One statement

    def statement(self, node: ast.stmt) -> tuple[list[Statement], After]:
        """Return the steps of one statement, and what names mean behind it."""
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return [], self.namespace
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                return self.assignment(node)
            case ast.If():
                return self.if_statement(node)
            case ast.While():
                return self._while(node)
            case ast.For():
                return self._for(node)
            case ast.Assert(test=test):
                return [Assert(self.expression(test), self.place(node), self.written(node))], self.namespace
            case ast.With() | ast.AsyncWith():
                return self._with(node)
            case ast.Match():
                return self.match_statement(node)
            case ast.Delete():
                return self.delete(node)
            case ast.Expr(value=ast.Await(value=awaited)):
                return self.awaited(node, awaited)
            case ast.Try():
                return self.try_statement(node)
            case ast.Raise():
                return self.raise_statement(node)
            case ast.Return():
                return self._return(node)
            case ast.Break():
                return self._leave(node, LOOP, "break"), None
            case ast.Continue():
                return self._leave(node, TURN, "continue"), None
            case ast.Expr(value=ast.Call() as call):
                return self.call(node, call)
            case _:
                what, advice = _REFUSED.get(type(node), ("this statement", None))
                raise PythonProblem(node, f"{what} cannot be used in a model", advice)

    def _leave(self, node: ast.AST, kind: str, text: str) -> list[Statement]:
        levels = self.frame.levels_to(kind)
        if levels is None:
            raise PythonProblem(node, f"'{text}' leaves nothing")
        return [*self._let_go(node, levels), Break(self.place(node), text, levels)]

    def _let_go(self, node: ast.AST, levels: int) -> list[Statement]:
        """The steps that release what is held inside the blocks that are left, the innermost first."""
        depth = len(self.frame.blocks) - levels
        found: list[Statement] = []
        for cleanup in reversed(self.frame.held):
            if cleanup.depth > depth and not cleanup.catches:
                steps, goes_on = self.frame.through(cleanup, node)
                found += steps
                if not goes_on:
                    break
        return found

    def _return(self, node: ast.Return) -> tuple[list[Statement], After]:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            advice = "assign it to a variable; a method that is one `return …` can be used as a value"
            raise PythonProblem(node, "a value cannot be returned from among statements", advice)
        return self._leave(node, CALL, "return"), None

    # Loops

    def _while(self, node: ast.While) -> tuple[list[Statement], After]:
        if node.orelse:
            raise PythonProblem(node.orelse[0], "a loop has no `else` in a model", "set a variable before `break`")
        value, place = self.expressions.condition(node.test), self.place(node)
        if isinstance(value, Fixed) and not value.value:
            return [], self.namespace
        self.frame.blocks.append(LOOP)
        body = self._turn(node.body, self.namespace, node)
        self.frame.blocks.pop()
        leaves = any(isinstance(each, ast.Break) for each in own_statements(node.body, in_loops=False))
        if isinstance(value, Fixed):
            return [endless(body or [self.skip(node)], place)], self.namespace if leaves else None
        assert isinstance(value, Term)
        text = self.written(node.test)
        go = (Test(value.expression, place, f"while {text}"), *body)
        stop = (Test(Unary("!", value.expression, place), place, f"not ({text})"), Break(place, ""))
        return [ChoiceStatement((go, stop), True, place)], self.namespace

    def _turn(self, body: list[ast.stmt], namespace: Namespace, node: ast.AST) -> list[Statement]:
        """The body of a loop once; a `continue` leaves it."""
        is_left = any(isinstance(each, ast.Continue) for each in own_statements(body, in_loops=False))
        if is_left:
            self.frame.blocks.append(TURN)
        found, _ = self.body(body, namespace)
        if is_left:
            self.frame.blocks.pop()
            return [Block(tuple(found), self.place(node))] if found else []
        return found

    def _for(self, node: ast.For) -> tuple[list[Statement], After]:
        if node.orelse:
            raise PythonProblem(node.orelse[0], "a loop has no `else` in a model", "set a variable before `break`")
        live = live_items(self.expressions, node.iter)
        if live is None:
            items = self.expressions.items(node.iter)
            if any(guard is not None or not isinstance(each, Fixed) for guard, each in items.each):
                advice = "go through a variable of the model: for x in self.xs, or keep a copy in one first"
                raise PythonProblem(node.iter, "these values are computed, and the run decides them", advice)
            live = LiveItems(items.each, False)
        if len(live.each) > _MOST_TURNS:
            raise PythonProblem(node.iter, f"a loop of more than {_MOST_TURNS:,} turns", "smaller models show the same")
        is_left = live.is_list or any(isinstance(each, ast.Break) for each in own_statements(node.body, in_loops=False))
        if is_left:
            self.frame.blocks.append(LOOP)
        found: list[Statement] = []
        for guard, item in live.each:
            found += self._item(node, guard, item, live.is_list)
        if is_left:
            self.frame.blocks.pop()
        return [Block(tuple(found), self.place(node))] if is_left and found else found, self.namespace

    def _item(self, node: ast.For, guard: Expression | None, item: Value, is_list: bool) -> list[Statement]:
        """One turn of a loop, which is taken if `guard` is true; of a list, what follows is not there either."""
        names: dict[str, Value] = {}
        place, text = self.place(node.iter), f"for {self.written(node.target)} in {self.written(node.iter)}"
        pairs = list(self.turn(node.target, item, node.iter, names))
        body = self._turn(node.body, self.namespace.binding(names), node)
        if guard is None:
            return [self.frame.together(pairs, place, text), *body] if pairs else body
        taken: tuple[Statement, ...] = (Test(guard, place, text), *self.frame.assigns(pairs, place, text))
        first = taken[0] if len(taken) == 1 else Group("d_step", taken, place, text)
        none = Test(Unary("!", guard, place), place, f"not {text}")
        rest: tuple[Statement, ...] = (none, *self._leave(node, LOOP, "")) if is_list else (none,)
        return [ChoiceStatement(((first, *body), rest), False, place)]

    def _with(self, node: ast.With | ast.AsyncWith) -> tuple[list[Statement], After]:
        context = node.items[0].context_expr
        held = self.lock(node)
        if held is not None:
            return self._locked(node, *held)
        if len(node.items) != 1 or not self.is_call(context, atomic) or node.items[0].optional_vars is not None:
            advice = "with m.atomic(): can, and a lock, semaphore or condition of the model"
            raise PythonProblem(node, "this context cannot be used in a model", advice)
        if self.frame.is_task:
            raise PythonProblem(node, "between two `await`s nothing else happens", "leave m.atomic() away")
        self.frame.atomic += 1
        body, after = self.body(node.body, self.namespace)
        self.frame.atomic -= 1
        if self.frame.is_coarse and not self.frame.atomic:
            return [self.frame.switch(body[0], self.place(node)), *body[1:]] if body else [], after
        return [undivided(body, self.place(node))] if body else [], after

    def _locked(
        self, node: ast.With | ast.AsyncWith, taken: list[Statement], release: Callable[[ast.AST], list[Statement]]
    ) -> tuple[list[Statement], After]:
        """The body of a context that holds a lock, which is released on every way out."""
        self.frame.held.append(Cleanup(len(self.frame.blocks), lambda way_out: (release(way_out), True)))
        body, after = self.body(node.body, self.namespace)
        self.frame.held.pop()
        return [*taken, *body, *(release(node) if after is not None else [])], after


_REFUSED: Final[dict[type[ast.AST], tuple[str, str | None]]] = {
    ast.Global: ("`global`", "make it a variable of the model: self.x"),
    ast.Nonlocal: ("`nonlocal`", "make it a variable of the model: self.x"),
    ast.Import: ("`import`", "import at the top of the file"),
    ast.ImportFrom: ("`import`", "import at the top of the file"),
    ast.FunctionDef: ("a function within a process", "make it a method of the model"),
    ast.AsyncFunctionDef: ("a function within a process", "make it a method of the model"),
    ast.ClassDef: ("a class within a process", "define it at the top of the file"),
    ast.AsyncFor: ("`async for`", "write `for`: what waits says m.wait(condition)"),
    ast.Expr: ("an expression that does nothing", "assign it to a variable, or m.wait(condition)"),
}
