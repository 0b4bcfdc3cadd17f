"""The statements of a process: each that Python knows as one becomes one step of the program.

A condition is one step with the branch that it opens. Loops over values known before the run, and methods, are
written out where they stand.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from everafter.model import atomic, choose, either, end, wait
from everafter.model.domains import AnyDomain, ArrayDomain, BoolDomain, Domain, IntDomain, domain_of
from everafter.promela.model import (
    Assert,
    Assign,
    Break,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Kind,
    Reference,
    Scalar,
    Statement,
    Test,
    Unary,
    Variable,
    Within,
)
from everafter.pymodel.bounded_items import Items, bound
from everafter.pymodel.expression_reader import ExpressionReader
from everafter.pymodel.namespace import Namespace, own_statements, stored_names
from everafter.pymodel.process_frame import ProcessFrame, endless, escapable, undivided
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import Cells, Fixed, Row, Term, Value, as_int, constant, joined, junction
from everafter.source import Place, Source

After = Namespace | None
"""What names mean behind a statement; None if control does not come there."""
_Pairs = list[tuple[Reference, Expression]]
LOOP, TURN, CALL = "loop", "turn", "call"
_MOST_TURNS: Final = 1_000


class StatementReader:
    """Reads the statements of one method, for one process."""

    def __init__(self, frame: ProcessFrame, namespace: Namespace) -> None:
        self.frame = frame
        self.namespace = namespace
        self.expressions = ExpressionReader(namespace)

    def method(self, body: Sequence[ast.stmt], node: ast.AST) -> list[Statement]:
        """Return the statements of the whole `body` of the method `node`."""
        returns = any(isinstance(part, ast.Return) for part in own_statements(body))
        if returns:
            self.frame.blocks.append(CALL)
        found, _ = self.body(body, self.namespace)
        if returns:
            self.frame.blocks.pop()
            found = [escapable(found or [self._skip(node)], self.place(node))]
        return found

    def body(self, body: Sequence[ast.stmt], namespace: After) -> tuple[list[Statement], After]:
        """Return the steps of `body`, where names mean what `namespace` says, and what they mean behind it."""
        found: list[Statement] = []
        stop: ast.stmt | None = None
        for node in body:
            if namespace is None:
                break  # control does not come here
            before = namespace
            inner = StatementReader(self.frame, before)
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

    def place(self, node: ast.AST) -> Place:
        """Where `node` is written."""
        return self.namespace.text.place(node)

    def written(self, node: ast.AST) -> str:
        """The text of `node`."""
        return self.namespace.text.written(node)

    def is_call(self, node: ast.AST, function: Callable[..., Any]) -> bool:
        """Whether `node` calls this `function` of the vocabulary."""
        call = node.value if isinstance(node, ast.Expr) else node
        return isinstance(call, ast.Call) and self.namespace.meaning(call.func) is function

    def _skip(self, node: ast.AST) -> Statement:
        return Test(Constant(1, self.place(node)), self.place(node), "pass")

    # One statement

    def statement(self, node: ast.stmt) -> tuple[list[Statement], After]:
        """Return the steps of one statement, and what names mean behind it."""
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                return [], self.namespace
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                return self._assignment(node)
            case ast.If():
                return self._if(node)
            case ast.While():
                return self._while(node)
            case ast.For():
                return self._for(node)
            case ast.Assert(test=test):
                return [Assert(self._expression(test), self.place(node), self.written(node))], self.namespace
            case ast.With():
                return self._with(node)
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

    def _expression(self, node: ast.expr) -> Expression:
        """Whether `node` is true."""
        return self._truth(self.expressions.condition(node), node)

    def _truth(self, value: Value, node: ast.AST) -> Expression:
        return value.expression if isinstance(value, Term) else constant(bool(_known(value)), self.place(node))

    def _leave(self, node: ast.AST, kind: str, text: str) -> list[Statement]:
        levels = self.frame.levels_to(kind)
        if levels is None:
            raise PythonProblem(node, f"'{text}' leaves nothing")
        return [Break(self.place(node), text, levels)]

    def _return(self, node: ast.Return) -> tuple[list[Statement], After]:
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            advice = "assign it to a variable; a method that is one `return …` can be used as a value"
            raise PythonProblem(node, "a value cannot be returned from among statements", advice)
        return self._leave(node, CALL, "return"), None

    # Calls

    def _call(self, node: ast.Expr, call: ast.Call) -> tuple[list[Statement], After]:
        if self.is_call(node, wait):
            condition = self._expression(_argument(call, "condition"))
            return [Test(condition, self.place(node), self.written(node))], self.namespace
        name = self.namespace.attribute(call.func)
        method = self.namespace.shared.methods.get(name) if name is not None else None
        if name is None or method is None:
            self.expressions.value(call)  # says what is wrong with most
            raise PythonProblem(node, "this does nothing", "assign what it gives to a variable")
        computed: list[tuple[str, Term]] = []
        body, inner = self.expressions.called(name, method, call, self.expressions.value)
        for parameter, value in inner.names.items():
            if isinstance(value, Cells | Row):
                raise PythonProblem(call, f"'{parameter}' would be a whole array", "pass an index, or a single value")
            if isinstance(value, Term):
                computed.append((parameter, value))
        steps, inner = self._passed(computed, inner, node)
        inside = StatementReader(self.frame, inner.for_body(body))
        return [*steps, *inside.method(body, node)], self.namespace

    def _passed(
        self, computed: list[tuple[str, Term]], inner: Namespace, node: ast.AST
    ) -> tuple[list[Statement], Namespace]:
        """The step that gives parameters their values, where the run decides these."""
        pairs: _Pairs = []
        names: dict[str, Value] = {}
        for parameter, value in computed:
            kind = str(value.domain)
            held = self.frame.local((*inner.calls, kind), parameter, value.domain, self.place(node))
            assert isinstance(held, Term)
            assert isinstance(held.expression, Reference)
            pairs.append((held.expression, value.expression))
            names[parameter] = held
        steps = [self.frame.together(pairs, self.place(node), self.written(node))] if pairs else []
        return steps, inner.binding(names)

    # Assignments

    def _assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> tuple[list[Statement], After]:
        match node:
            case ast.AugAssign(target=target, op=operator, value=value):
                loaded = ast.parse(ast.unparse(target), mode="eval").body
                for part in ast.walk(loaded):
                    ast.copy_location(part, target)
                both = ast.copy_location(ast.BinOp(loaded, operator, value), node)
                return self._stored([target], both, node)
            case ast.AnnAssign(target=ast.Name(id=name) as target, value=value) if value is not None:
                domain = domain_of(_known(self.expressions.value(node.annotation)))
                if domain is not None and not self.frame.is_known(self.namespace.calls, name):
                    self.frame.local(self.namespace.calls, name, domain, self.place(target))
                return self._stored([target], value, node)
            case ast.Assign(targets=targets, value=value):
                return self._stored(targets, value, node)
            case _:
                raise PythonProblem(node, "a variable of a process begins with a value", "n = m.Int[0, 3](0)")

    def _stored(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> tuple[list[Statement], After]:
        if self.is_call(value, choose):
            return self._chosen(targets, value, node)
        declared = self._declaration(value)
        if declared is not None:
            domain, value = declared
            for name in (each.id for each in targets if isinstance(each, ast.Name)):
                self._declare(name, domain, value)
        found = self.expressions.value(value)
        names: dict[str, Value] = {}
        pairs = [pair for target in targets for pair in self._pairs(target, found, value, names)]
        if not pairs:
            raise PythonProblem(node, "nothing is assigned here")
        step = self.frame.together(pairs, self.place(node), self.written(node))
        return [step], self.namespace.binding(names)

    def _declaration(self, node: ast.expr) -> tuple[AnyDomain, ast.expr] | None:
        """The domain and the first value of `m.Int[0, 3](value)`."""
        if not isinstance(node, ast.Call):
            return None
        written = isinstance(node.func, ast.Subscript)
        known = _known(self.namespace.known(node.func)) if written else self.namespace.meaning(node.func)
        return (known, _argument(node, "initial")) if isinstance(known, Domain | ArrayDomain) else None

    def _declare(self, name: str, domain: AnyDomain, node: ast.expr) -> None:
        calls = self.namespace.calls
        if not self.frame.is_known(calls, name):
            self.frame.local(calls, name, domain, self.place(node))
        elif self.frame.domains[*calls, name] != domain:
            raise PythonProblem(node, f"'{name}' is {self.frame.domains[*calls, name]} already")

    def _pairs(self, target: ast.expr, value: Value, node: ast.expr, names: dict[str, Value]) -> Iterator[Any]:
        """The targets and what each gets; names that are given a value here are added to `names`."""
        if isinstance(target, ast.Tuple | ast.List):
            values = self._several(value, len(target.elts), target)
            inner = node.elts if isinstance(node, ast.Tuple | ast.List) else [node] * len(values)
            for part, each, at in zip(target.elts, values, inner, strict=True):
                yield from self._pairs(part, each, at, names)
            return
        where = self._target(target, value, node, names)
        if isinstance(where, Cells):
            elements = self._several(value, where.domain.length, target)
            for place, each in zip(where.elements(self.place(target)), elements, strict=True):
                assert isinstance(place, Term)
                yield place.expression, self._fitted(each, place.domain, target, node)
        else:
            yield where.expression, self._fitted(value, where.domain, target, node)

    def _several(self, value: Value, length: int, node: ast.expr) -> list[Value]:
        values: list[Value] | None = None
        match value:
            case Fixed(value=list() | tuple() | range() as known):
                values = [Fixed(each) for each in known]
            case Fixed():
                values = [value] * length if not isinstance(node, ast.Tuple | ast.List) else None
            case Row(values=found):
                values = list(found)
            case Cells():
                values = value.elements(self.place(node))
        if values is None or len(values) != length:
            raise PythonProblem(node, f"this takes {length} values", "write as many on the right")
        return values

    def _target(self, target: ast.expr, value: Value, node: ast.expr, names: dict[str, Value]) -> Any:
        match target:
            case ast.Name(id=name):
                found = self._local(target, name, value, node)
                names[name] = found
                return found
            case ast.Attribute():
                name = self.namespace.attribute(target) or ""
                if name in self.namespace.shared.constants:
                    raise PythonProblem(target, f"'{name}' is a constant of the model", _variable_instead(name, self))
                return self.expressions.value(target)
            case ast.Subscript():
                element = self.expressions.value(target)
                if isinstance(element, Term) and isinstance(element.expression, Reference):
                    return element
        raise PythonProblem(target, "this cannot be assigned to", "a variable, or an element of an array, can")

    def _local(self, target: ast.Name, name: str, value: Value, node: ast.expr) -> Term | Cells:
        """The variable of the process that a name is, made where it gets its first value."""
        calls, place = self.namespace.calls, self.place(target)
        if isinstance(self.namespace.names.get(name), Fixed):
            raise PythonProblem(target, f"'{name}' is known before the run and stays what it is", "use another name")
        if not self.frame.is_known(calls, name):
            return self.frame.local(calls, name, self._first(target, name, value, node), place)
        return self.frame.known(calls, name, place)

    def _first(self, target: ast.Name, name: str, value: Value, node: ast.expr) -> AnyDomain:
        """The domain of a variable that begins with a value: a number must say its range if it is to change."""
        if isinstance(value, Cells):
            return value.domain
        found = self.expressions.as_term(value, node)
        is_copy = isinstance(found.expression, Reference)
        if isinstance(found.domain, IntDomain) and not is_copy and name not in self.namespace.once:
            raise PythonProblem(
                target, f"the range of '{name}' is not known", f"{name} = m.Int[0, 9]({self.written(node)})"
            )
        return found.domain

    def _fitted(self, value: Value, domain: Domain[Any], target: ast.expr, node: ast.expr) -> Expression:
        """The value as one of `domain`: leaving its range is an error of the run, another kind of value one of the text."""
        found = self.expressions.as_term(value, node)
        if isinstance(domain, IntDomain) and (bounds := as_int(found.domain)) is not None:
            if domain.least <= bounds.least and bounds.greatest <= domain.greatest:
                return found.expression
            name = self.written(target)
            return Within(found.expression, domain.least, domain.greatest, name, self.place(target))
        if found.domain != domain:
            advice = "compare it: `x != 0`" if isinstance(domain, BoolDomain) else None
            raise PythonProblem(node, f"a value of {found.domain} cannot be stored where {domain} is expected", advice)
        return found.expression

    def _chosen(self, targets: list[ast.expr], value: ast.expr, node: ast.stmt) -> tuple[list[Statement], After]:
        """`x = m.choose(values)`: an option for each value."""
        assert isinstance(value, ast.Call)
        items: Items = self.expressions.items(_argument(value, "values"))
        if len(targets) != 1 or isinstance(targets[0], ast.Tuple | ast.List):
            raise PythonProblem(node, "one variable gets what is chosen")
        if not items.each:
            raise PythonProblem(value, "there is nothing to choose from")
        place, names = self.place(node), dict[str, Value]()
        widest = self._widest([self.expressions.as_term(each, value) for _, each in items.each], value)
        options: list[tuple[Statement, ...]] = []
        for guard, each in items.each:
            self._target(targets[0], widest, value, names)
            ((target, stored),) = self._pairs(targets[0], each, value, names)
            text = f"{self.written(node)}: {_shown(each)}"
            step = Assign(target, stored, place, text)
            guarded = Group("d_step", (Test(guard, place, text), step), place, text) if guard is not None else None
            options.append((guarded or step,))
        return [ChoiceStatement(tuple(options), False, place)], self.namespace.binding(names)

    def _widest(self, values: list[Term], node: ast.expr) -> Value:
        """Some value of the least domain that has all these."""
        domain = values[0].domain
        for each in values[1:]:
            more = joined(domain, each.domain)
            if more is None:
                raise PythonProblem(node, f"values of {domain} and of {each.domain} cannot be chosen from together")
            domain = more
        return Term(Reference(_NOWHERE, None, (), self.place(node)), domain) if values else Fixed(None)

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
            guard = self._expression(_argument(call, "condition")) if call.args or call.keywords else None
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
            return [endless(body or [self._skip(node)], place)], self.namespace if leaves else None
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
            return [escapable(found or [self._skip(node)], self.place(node))]
        return found

    def _for(self, node: ast.For) -> tuple[list[Statement], After]:
        if node.orelse:
            raise PythonProblem(node.orelse[0], "a loop has no `else` in a model", "set a variable before `break`")
        items = self.expressions.items(node.iter).unguarded(node.iter)
        if any(not isinstance(each, Fixed) for each in items):
            advice = "go through the indices: for i in range(len(xs))"
            raise PythonProblem(node.iter, "the run decides what these values are", advice)
        if len(items) > _MOST_TURNS:
            raise PythonProblem(node.iter, f"a loop of more than {_MOST_TURNS:,} turns", "smaller models show the same")
        is_left = any(isinstance(each, ast.Break) for each in own_statements(node.body, in_loops=False))
        if is_left:
            self.frame.blocks.append(LOOP)
        found: list[Statement] = []
        for item in items:
            found += self._turn(node.body, self.namespace.binding(bound(node.target, item)), node)
        if is_left:
            self.frame.blocks.pop()
        return [escapable(found, self.place(node))] if is_left and found else found, self.namespace

    def _with(self, node: ast.With) -> tuple[list[Statement], After]:
        context = node.items[0].context_expr
        if len(node.items) != 1 or not self.is_call(context, atomic) or node.items[0].optional_vars is not None:
            raise PythonProblem(node, "this context cannot be used in a model", "with m.atomic(): can")
        body, after = self.body(node.body, self.namespace)
        return [undivided(body, self.place(node))] if body else [], after


_NOWHERE: Final = Variable("", Scalar(Kind.INT), None, Place(Source("", ""), 1, 1))
"""The variable that stands for any value of a domain."""


def _known(value: Value | None) -> Any:
    return value.value if isinstance(value, Fixed) else None


def _argument(call: ast.Call, name: str) -> ast.expr:
    """The only argument of a call."""
    if len(call.args) == 1 and not call.keywords:
        return call.args[0]
    if not call.args and len(call.keywords) == 1 and call.keywords[0].arg == name:
        return call.keywords[0].value
    raise PythonProblem(call, f"one value is passed here: the {name}")


def _merged(ends: Sequence[After]) -> After:
    """What names mean where several ways meet: those that have a value on all of them."""
    open_ends = [each for each in ends if each is not None]
    if not open_ends:
        return None
    first = open_ends[0]
    return first.keeping(name for name in first.names if all(name in each.names for each in open_ends))


def _shown(value: Value) -> str:
    """A chosen value in a few words."""
    if isinstance(value, Fixed):
        return str(value.value)
    return "a value of the state"


def _variable_instead(name: str, reader: StatementReader) -> str:
    value = reader.namespace.shared.constants[name]
    domain = "bool" if isinstance(value, bool) else "m.Int[0, 9]"
    return f"a variable is written in small letters and says its values: {name.lower()} = {domain}({value!r})"


_LOCKS = "with m.atomic(): can, around the steps that belong together"
_REFUSED: Final[dict[type[ast.AST], tuple[str, str | None]]] = {
    ast.Try: ("`try`", "nothing raises in a model: say what happens by `if`"),
    ast.Raise: ("`raise`", "assert what must hold"),
    ast.Match: ("`match`", "write if … elif …"),
    ast.Delete: ("`del`", "assign another value"),
    ast.Global: ("`global`", "make it a variable of the model: self.x"),
    ast.Nonlocal: ("`nonlocal`", "make it a variable of the model: self.x"),
    ast.Import: ("`import`", "import at the top of the file"),
    ast.ImportFrom: ("`import`", "import at the top of the file"),
    ast.FunctionDef: ("a function within a process", "make it a method of the model"),
    ast.AsyncFunctionDef: ("a function within a process", "make it a method of the model"),
    ast.ClassDef: ("a class within a process", "define it at the top of the file"),
    ast.AsyncFor: ("`async for`", "write `for`: what waits says m.wait(condition)"),
    ast.AsyncWith: ("`async with`", _LOCKS),
    ast.Expr: ("an expression that does nothing", "assign it to a variable, or m.wait(condition)"),
}
