"""The methods of a model as generators: the user's own statements under CPython, with a stop before every step.

A stop yields where the process is, what it may do (`None`: the next statement; a list of functions: conditions, one
for each way; or one function that gives the values to choose from), in which atomic block, and whether it may stay.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator
from typing import Any

from everafter import model as vocabulary
from everafter.model.domains import ArrayDomain


class Locals(dict[Any, Any]):
    """The local variables of a process, by the methods they are of; what has no value yet is 0."""

    def __init__(self) -> None:
        super().__init__()
        self.domains: dict[Any, Any] = {}

    def __missing__(self, key: Any) -> Any:
        return 0

    def __setitem__(self, key: Any, value: Any) -> None:
        domain = self.domains.get(key)
        if domain is not None and not domain.holds(value):
            raise OutOfRange(key)
        super().__setitem__(key, value)

    def declared(self, key: Any, domain: Any, value: Any) -> Any:
        self.domains[key] = domain
        return value


class OutOfRange(Exception):
    """A variable would leave its domain."""


class Cells(list[Any]):
    """An array, which has no negative indices."""

    def __init__(self, domain: ArrayDomain[Any], values: list[Any]) -> None:
        super().__init__(values)
        self.domain = domain

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if not 0 <= index < len(self):
            raise IndexError(index)
        if not self.domain.element.holds(value):
            raise OutOfRange(index)
        super().__setitem__(index, value)


def generator_of(function: Callable[..., Any], methods: set[str], variables: set[str]) -> Callable[..., Any]:
    """Return `function` as a generator that stops before steps; `methods` and `variables` are those of the model."""
    lines = linecache.getlines(function.__code__.co_filename, function.__globals__)
    tree = ast.parse("".join(lines))
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node.name == function.__name__
        and min([node.lineno, *(each.lineno for each in node.decorator_list)]) == function.__code__.co_firstlineno
    ]
    made = _Instrument(function, found[0], methods, variables).function()
    module = ast.fix_missing_locations(ast.Module([made], []))
    closed = inspect.getclosurevars(function)
    namespace = {**function.__globals__, **closed.nonlocals, "__vocabulary": vocabulary}
    exec(compile(module, f"<{function.__qualname__} in steps>", "exec"), namespace)
    return namespace[function.__name__]  # type: ignore[no-any-return] # it has just been defined


class _Instrument:
    def __init__(
        self, function: Callable[..., Any], node: ast.FunctionDef, methods: set[str], variables: set[str]
    ) -> None:
        self.globals = function.__globals__
        self.node = node
        self.methods = methods
        self.variables = variables
        self.state = node.args.args[0].arg
        self.parameters = [each.arg for each in node.args.args[1:]]
        self.locals = set(_stored(node.body))
        self.turns: list[str] = []
        self.may_stay = False

    def function(self) -> ast.FunctionDef:
        arguments = ", ".join([self.state, *self.parameters, "L", "P", "C", "A"])
        made = ast.parse(f"def {self.node.name}({arguments}):\n    if False: yield").body[0]
        assert isinstance(made, ast.FunctionDef)
        made.body += self.body(self.node.body)
        return made

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [made for node in statements for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                yield ast.Pass()
            case ast.Expr(value=ast.Call() as call) if self.meaning(call.func) is vocabulary.end:
                self.may_stay = True
                yield ast.Pass()
            case ast.Expr(value=ast.Call() as call) if self.meaning(call.func) is vocabulary.wait:
                yield self.stop(node, f"[lambda: {self.text(call.args[0])}]")
            case ast.Expr(value=ast.Call() as call):
                yield from self.call(node, call)
            case ast.If() if self.is_either(node):
                yield from self.either(node)
            case ast.If():
                yield from self.branches(node)
            case ast.While():
                yield from self.loop(node)
            case ast.For():
                self.turns.append(ast.unparse(node.target))
                body = self.body(node.body)
                self.turns.pop()
                yield ast.For(node.target, ast.parse(self.text(node.iter), mode="eval").body, body, [])
            case ast.With():
                (made,) = ast.parse("B = A\nA = A or object()\n").body[1:]
                yield ast.parse("B = A").body[0]
                yield made
                yield from self.body(node.body)
                yield ast.parse("A = B").body[0]
            case ast.Break() | ast.Continue() | ast.Return():
                yield node
            case ast.Assign(value=ast.Call() as call) if self.meaning(call.func) is vocabulary.choose:
                yield self.stop(node, f"(lambda: list({self.text(call.args[0])}))")
                target = self.text(node.targets[0])
                yield ast.parse(f"{target} = K").body[0]
            case _:
                yield self.stop(node, "None")
                yield from ast.parse(self.text(node)).body

    def stop(self, node: ast.AST, ways: str) -> ast.stmt:
        """The stop before the step of a statement."""
        turns = "".join(f"{each}, " for each in self.turns)
        where = f"(*P, {getattr(node, 'lineno', 0)}, {getattr(node, 'col_offset', 0)}, ({turns}))"
        stay, self.may_stay = self.may_stay, False
        return ast.parse(f"K = yield ({where}, {ways}, A, {stay})").body[0]

    def call(self, node: ast.stmt, call: ast.Call) -> Iterator[ast.stmt]:
        """A method that is more than a value: its stops are those of the process."""
        assert isinstance(call.func, ast.Attribute)
        name = call.func.attr
        arguments = [self.text(each) for each in call.args]
        if any(self.depends(each) for each in call.args):
            yield self.stop(node, "None")
        turns = "".join(f"{each}, " for each in self.turns)
        path = f"(*P, {node.lineno}, ({turns}))"
        listed = "".join(f"{each}, " for each in arguments)
        text = f"yield from {self.state}.steps({name!r}, ({listed}), L, {path}, (*C, {name!r}), A)"
        yield from ast.parse(text).body

    def is_either(self, node: ast.stmt) -> bool:
        is_call = isinstance(node, ast.If) and isinstance(node.test, ast.Call)
        return is_call and self.meaning(node.test.func) is vocabulary.either  # type: ignore[attr-defined]

    def either(self, node: ast.If) -> Iterator[ast.stmt]:
        conditions: list[str] = []
        bodies: list[list[ast.stmt]] = []
        rest: list[ast.stmt] = [node]
        may_stay, self.may_stay = self.may_stay, False
        while len(rest) == 1 and self.is_either(rest[0]):
            branch = rest[0]
            assert isinstance(branch, ast.If)
            assert isinstance(branch.test, ast.Call)
            conditions.append(self.text(branch.test.args[0]) if branch.test.args else "True")
            bodies.append(self.body(branch.body))
            rest = branch.orelse
        if rest:
            conditions.append("not (" + " or ".join(f"({each})" for each in conditions) + ")")
            bodies.append(self.body(rest))
        self.may_stay = may_stay
        yield self.stop(node, "[" + ", ".join(f"lambda: {each}" for each in conditions) + "]")
        made: list[ast.stmt] = []
        for number, body in reversed(list(enumerate(bodies))):
            test = ast.parse(f"K == {number}", mode="eval").body
            made = [ast.If(test, body or [ast.Pass()], made)]
        yield from made

    def branches(self, node: ast.If) -> Iterator[ast.stmt]:
        if not self.depends(node.test):
            test = ast.parse(self.text(node.test), mode="eval").body
            yield ast.If(test, self.body(node.body), self.body(node.orelse))
            return
        yield self.stop(node, "None")
        made = ast.parse("if True: pass").body[0]
        assert isinstance(made, ast.If)
        current = made
        while True:
            current.test = ast.parse(self.text(node.test), mode="eval").body
            current.body = self.body(node.body)
            match node.orelse:
                case [ast.If() as inner] if not self.is_either(inner):
                    following = ast.If(ast.Constant(True), [], [])
                    current.orelse, current, node = [following], following, inner
                case other:
                    current.orelse = self.body(other)
                    break
        yield made

    def loop(self, node: ast.While) -> Iterator[ast.stmt]:
        if not self.depends(node.test):
            yield ast.While(ast.parse(self.text(node.test), mode="eval").body, self.body(node.body), [])
            return
        stop = self.stop(node, "None")
        leave = ast.parse(f"if not ({self.text(node.test)}): break").body[0]
        yield ast.While(ast.Constant(True), [stop, leave, *self.body(node.body)], [])

    # Expressions

    def depends(self, node: ast.expr) -> bool:
        """Whether the state decides a value."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in self.locals:
                return True
            is_own = isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
            if is_own and part.value.id == self.state and part.attr in (self.variables | self.methods):  # type: ignore[attr-defined]
                return True
        return False

    def text(self, node: ast.AST) -> str:
        """The text of a node in which local variables are kept where their values are known between steps."""
        copy = ast.parse(ast.unparse(node))
        return ast.unparse(_Kept(self.locals).visit(copy)).strip()

    def meaning(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.globals:
            return getattr(self.globals[node.value.id], node.attr, None)
        return None


class _Kept(ast.NodeTransformer):
    """Local variables as entries of `L`, and what they are declared as."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            return node
        made = ast.parse(f"L[C, {node.id!r}]", mode="eval").body
        assert isinstance(made, ast.Subscript)
        return ast.Subscript(made.value, made.slice, node.ctx)

    def visit_Assign(self, node: ast.Assign) -> Any:
        if isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Subscript):
                name = node.targets[0].id
                domain, value = ast.unparse(function), ast.unparse(self.visit(node.value.args[0]))
                made = f"L[C, {name!r}] = L.declared((C, {name!r}), {domain}, {value})"
                return ast.parse(made).body[0]
        return self.generic_visit(node)


def _stored(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements assign, those of loops left out: these are part of where a process is."""
    for statement in body:
        for node in ast.walk(statement):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AugAssign | ast.AnnAssign):
                targets = [node.target]
            for target in targets:
                yield from (
                    part.id
                    for part in ast.walk(target)
                    if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                )
