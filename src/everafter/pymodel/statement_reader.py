"""The statements of a process: each that Python knows as one becomes one step of the program.

A condition is one step with the branch that it opens. Loops over values known before the run, and methods, are
written out where they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Final

from everafter.model import atomic, either, end, join, start, wait
from everafter.model.domains import Mutable
from everafter.promela.model import (
    Assert,
    Assign,
    Binary,
    Block,
    Break,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Reference,
    Statement,
    Test,
    Unary,
    Within,
)
from everafter.pymodel.access_splitter import split
from everafter.pymodel.assignment_reader import After, Pairs, only_argument
from everafter.pymodel.bounded_items import LiveItems, live_items
from everafter.pymodel.effect_reader import EffectReader
from everafter.pymodel.namespace import Namespace, own_statements, stored_names
from everafter.pymodel.pattern_reader import case_of
from everafter.pymodel.process_frame import endless, undivided
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.storage_shapes import cells, is_fixed_place
from everafter.pymodel.typed_values import Compound, Fixed, Gathered, Stored, Term, Value, ValueTuple, junction

LOOP, TURN, CALL = "loop", "turn", "call"
_MOST_TURNS: Final = 1_000


class PythonStatements(EffectReader):
    """Reads the statements of one method, for one process."""

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
        return PythonStatements(self.frame, namespace).method(body, node)

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
            inner = PythonStatements(self.frame, before)
            if inner.is_call(node, end):
                stop = node
                continue
            try:
                self.frame.counted(node)
                steps, namespace = inner.statement(node)
            except PythonProblem as problem:
                self.frame.problems.append(before.text.diagnostic(problem))
                if any(name not in before.names for name in stored_names([node])):
                    break  # what follows would be told to have no value
                continue
            if stop is not None and steps:
                steps[0], stop = self.frame.labelled(steps[0], self.place(stop)), None
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
                return self._if(node)
            case ast.While():
                return self._while(node)
            case ast.For():
                return self._for(node)
            case ast.Assert(test=test):
                return [Assert(self.expression(test), self.place(node), self.written(node))], self.namespace
            case ast.With() | ast.AsyncWith():
                return self._with(node)
            case ast.Match():
                return self._match(node)
            case ast.Delete():
                return self.delete(node)
            case ast.Expr(value=ast.Await(value=ast.Call() as call)):
                return self._call(ast.copy_location(ast.Expr(call), node), call)
            case ast.Return():
                return self._return(node)
            case ast.Break():
                return self._leave(node, LOOP, "break"), None
            case ast.Continue():
                return self._leave(node, TURN, "continue"), None
            case ast.Expr(value=ast.Call() as call):
                return self._call(node, call)
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
        for entered, release in reversed(self.frame.held):
            if entered > depth:
                found += release(node)
        return found

    def _return(self, node: ast.Return) -> tuple[list[Statement], After]:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            advice = "assign it to a variable; a method that is one `return …` can be used as a value"
            raise PythonProblem(node, "a value cannot be returned from among statements", advice)
        return self._leave(node, CALL, "return"), None

    # Calls

    def _call(self, node: ast.Expr, call: ast.Call) -> tuple[list[Statement], After]:
        if self.is_call(node, wait):
            condition = self.expression(only_argument(call, "condition"))
            return [Test(condition, self.place(node), self.written(node))], self.namespace
        for function in (start, join):
            if self.is_call(node, function):
                return [self._of_thread(node, call, function is start)], self.namespace
        name = self.namespace.attribute(call.func)
        method = self.namespace.shared.methods.get(name) if name is not None else None
        if name is None and (steps := self.effect(node, call)) is not None:
            return steps, self.namespace
        if name is None or method is None:
            self.expressions.value(call)  # says what is wrong with most
            raise PythonProblem(node, "this does nothing", "assign what it gives to a variable")
        computed: list[tuple[str, Value]] = []
        body, inner = self.expressions.called(name, method, call, self.expressions.value)
        for parameter, value in inner.names.items():
            if isinstance(value, ValueTuple | Gathered) or _is_copy(value):
                raise PythonProblem(call, f"'{parameter}' would be a whole array", "pass an index, or a single value")
            if not isinstance(value, Fixed) and not _is_shared(value):
                computed.append((parameter, value))
        steps, inner = self._passed(computed, inner, node)
        return [*steps, *PythonStatements(self.frame, inner).whole(body, node)], self.namespace

    def _of_thread(self, node: ast.Expr, call: ast.Call, is_start: bool) -> Statement:
        """The step that starts a process, or waits for its end."""
        name = self.namespace.attribute(call.args[0]) if call.args and not call.keywords else None
        known = [self.namespace.known(each) for each in call.args[1:]]
        if name is None or None in known:
            advice = "m.start(self.worker, 0), where the run does not decide the arguments"
            raise PythonProblem(call, "a process and its arguments are passed here", advice)
        key = (name, tuple(each.value for each in known if each is not None))
        thread, place = self.namespace.shared.threads.get(key), self.place(node)
        if thread is None:
            advice = f"@m.process(…, started=False) above {name}, with these arguments"
            raise PythonProblem(call, "there is no such process to start", advice)
        state, told = thread.expression, f"the state of {self.written(call.args[0])} at {self.written(call)}"
        assert isinstance(state, Reference)
        if is_start:
            alive = Binary("+", Within(state, 1, 1, told, place), Constant(1, place), place)
            return Assign(state, alive, place, self.written(node))
        ended = Binary("==", Within(state, 2, 3, told, place), Constant(3, place), place)
        return Test(ended, place, self.written(node))

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

    # Branches

    def _if(self, node: ast.If) -> tuple[list[Statement], After]:
        if self.is_call(node.test, either):
            return self._either(node)
        place = self.place(node)
        options: list[tuple[Statement, ...]] = []
        ends: list[After] = []
        denied: list[Expression] = []
        rest: list[ast.stmt] = [node]
        last, word = node, "if"
        while len(rest) == 1 and isinstance(rest[0], ast.If) and not self.is_call(rest[0].test, either):
            last = rest[0]
            value = self.expressions.condition(last.test)
            rest = last.orelse
            if isinstance(value, Fixed):
                if not value.value:
                    continue
                rest = last.body
                if not denied:
                    return self.body(rest, self.namespace)
                break
            assert isinstance(value, Term)
            tests = [*(Unary("!", each, each.place) for each in denied), value.expression]
            guard = junction("&&", tests, True, self.place(last.test)).expression
            body, after = self.body(last.body, self.namespace)
            options.append((Test(guard, self.place(last), f"{word} {self.written(last.test)}"), *body))
            ends.append(after)
            denied.append(value.expression)
            word = "elif"
        body, after = self.body(rest, self.namespace)
        if not options:
            return body, after
        none = junction("&&", [Unary("!", each, each.place) for each in denied], True, place).expression
        text = "else" if rest else f"not ({self.written(last.test)})"
        options.append((Test(none, self.place(last), text), *body))
        return [ChoiceStatement(tuple(options), False, place)], _merged([*ends, after])

    def _match(self, node: ast.Match) -> tuple[list[Statement], After]:
        """The cases in order: each is one step with the names that it binds."""
        subject, place = self.expressions.value(node.subject), self.place(node)
        options: list[tuple[Statement, ...]] = []
        ends: list[After] = []
        denied: list[Expression] = []
        for each in node.cases:
            case = case_of(self.expressions, each.pattern, subject, node.subject)
            inner = PythonStatements(self.frame, self.namespace.binding(case.names))
            test = Fixed(True) if each.guard is None else inner.expressions.condition(each.guard)
            if case.never or (isinstance(test, Fixed) and not test.value):
                continue
            tests = [*case.tests, *([test.expression] if isinstance(test, Term) else [])]
            steps, after = self._case(each, case.names, denied, tests)
            if steps and not denied and not tests:
                return list(steps), after
            options.append(steps)
            ends.append(after)
            if not tests:
                break
            denied.append(junction("&&", tests, True, place).expression)
        else:
            none = [Unary("!", each, place) for each in denied]
            options.append((Test(junction("&&", none, True, place).expression, place, "no case"),))
            ends.append(self.namespace)
        return [ChoiceStatement(tuple(options), False, place)] if denied else [], _merged(ends)

    def _case(
        self, node: ast.match_case, bound: dict[str, Value], denied: list[Expression], tests: list[Expression]
    ) -> tuple[tuple[Statement, ...], After]:
        """The steps of a case that is taken when `tests` are true and what is `denied` is not."""
        place = self.place(node.pattern)
        names: dict[str, Value] = {}
        pairs: Pairs = []
        for name, value in bound.items():
            target = ast.copy_location(ast.Name(name, ast.Store()), node.pattern)
            pairs += list(self.turn(target, value, ast.copy_location(ast.Name(name, ast.Load()), node.pattern), names))
        text = f"case {self.written(node.pattern)}"
        guards = [*(Unary("!", each, each.place) for each in denied), *tests]
        first: list[Statement] = [*self.frame.assigns(pairs, place, text)]
        if guards:
            first = [Test(junction("&&", guards, True, place).expression, place, text), *first]
        step = [Group("d_step", tuple(first), place, text)] if len(first) > 1 else first
        body, after = self.body(node.body, self.namespace.binding(names))
        return (*step, *body), after

    def _either(self, node: ast.If) -> tuple[list[Statement], After]:
        """Alternatives: each is taken only while its condition is true."""
        options: list[tuple[Statement, ...]] = []
        ends: list[After] = []
        denied: list[Expression] = []
        rest: list[ast.stmt] = [node]
        while len(rest) == 1 and isinstance(rest[0], ast.If) and self.is_call(rest[0].test, either):
            branch = rest[0]
            call, rest = branch.test, branch.orelse
            assert isinstance(call, ast.Call)
            guard = self.expression(only_argument(call, "condition")) if call.args or call.keywords else None
            test = Constant(1, self.place(branch)) if guard is None else guard
            body, after = self.body(branch.body, self.namespace)
            options.append((Test(test, self.place(branch), self.written(call)), *body))
            ends.append(after)
            denied.append(test)
        if len(rest) == 1 and isinstance(rest[0], ast.If) and rest[0].col_offset == node.col_offset:
            raise PythonProblem(
                rest[0], "every branch behind m.either(…) says m.either(…)", "elif m.either(condition):"
            )
        if rest:
            body, after = self.body(rest, self.namespace)
            tests = [Unary("!", each, each.place) for each in denied]
            none = junction("&&", tests, True, self.place(node)).expression
            options.append((Test(none, self.place(node), "else"), *body))
            ends.append(after)
        return [ChoiceStatement(tuple(options), False, self.place(node))], _merged(ends)

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
        self.frame.atomic += 1
        body, after = self.body(node.body, self.namespace)
        self.frame.atomic -= 1
        return [undivided(body, self.place(node))] if body else [], after

    def _locked(
        self, node: ast.With | ast.AsyncWith, taken: list[Statement], release: Callable[[ast.AST], list[Statement]]
    ) -> tuple[list[Statement], After]:
        """The body of a context that holds a lock, which is released on every way out."""
        self.frame.held.append((len(self.frame.blocks), release))
        body, after = self.body(node.body, self.namespace)
        self.frame.held.pop()
        return [*taken, *body, *(release(node) if after is not None else [])], after


def _is_shared(value: Value) -> bool:
    """Whether a parameter is another name of a variable that is changed in place."""
    return isinstance(value, Stored) and isinstance(value.domain, Mutable) and is_fixed_place(value)


def _is_copy(value: Value) -> bool:
    """Whether a parameter would be a list, set or dict of its own, or one of which the place is not known."""
    return isinstance(value, Stored | Compound) and isinstance(value.domain, Mutable) and not _is_shared(value)


def _merged(ends: Sequence[After]) -> After:
    """What names mean where several ways meet: those that have a value on all of them."""
    open_ends = [each for each in ends if each is not None]
    if not open_ends:
        return None
    first = open_ends[0]
    return first.keeping(name for name in first.names if all(name in each.names for each in open_ends))


_REFUSED: Final[dict[type[ast.AST], tuple[str, str | None]]] = {
    ast.Try: ("`try`", "nothing raises in a model: say what happens by `if`"),
    ast.Raise: ("`raise`", "assert what must hold"),
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
