"""The methods of a model as generators: the user's own statements under CPython, with a stop before every step.

A stop yields where the process is, what it may do (`None`: the next statement; a list of functions: conditions, one
for each way; or one function that gives the values to choose from), in which atomic block, and whether it may stay.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from everafter import model as vocabulary
from everafter.model.containers import DequeDomain, DictDomain, ListDomain, SetDomain, keys_of
from everafter.model.domains import ArrayDomain
from everafter.model.vocabulary import PROCESS
from everafter.pymodel.access_splitter import split
from everafter.pymodel.namespace import Namespace, Shared, outer_names
from everafter.pymodel.python_text import PythonText
from everafter.pymodel.typed_values import ValueTuple
from everafter.source import Source
from oracles.pymodel.live_values import call_steps, checked, turn_of

_GIVING = ("pop", "popleft", "receive", "get", "get_nowait")


class Locals(dict[Any, Any]):
    """The local variables of a process, by the methods they are of; what has no value yet is 0."""

    def __init__(self, number: int = 0) -> None:
        super().__init__()
        self.domains: dict[Any, Any] = {}
        self.number = number
        """Of the process."""
        self.block: object = object()
        """The atomic block in which the process is, where only these are steps."""

    def __missing__(self, key: Any) -> Any:
        return 0

    def __setitem__(self, key: Any, value: Any) -> None:
        domain = self.domains.get(key)
        super().__setitem__(key, value if domain is None else checked(domain, value))

    def declared(self, key: Any, domain: Any, value: Any) -> Any:
        self.domains[key] = domain
        return value


def generator_of(
    function: Callable[..., Any], methods: set[str], variables: Mapping[str, Any], constants: Mapping[str, Any]
) -> Callable[..., Any]:
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
    if constants.get("STEPS") == "accesses":
        found[0].body = _split(function, found[0], methods, variables, constants)
    is_coarse = constants.get("STEPS") == "blocks" and not getattr(getattr(function, PROCESS, None), "is_action", False)
    made = _Instrument(function, found[0], methods, variables, is_coarse).function()
    module = ast.fix_missing_locations(ast.Module([made], []))
    closed = inspect.getclosurevars(function)
    helpers = {"call_steps": call_steps, "turn_of": turn_of, "checked": checked}
    namespace = {**function.__globals__, **closed.nonlocals, "__vocabulary": vocabulary, **helpers}
    exec(compile(module, f"<{function.__qualname__} in steps>", "exec"), namespace)
    return namespace[function.__name__]  # type: ignore[no-any-return] # it has just been defined


def _split(
    function: Callable[..., Any],
    node: ast.FunctionDef,
    methods: set[str],
    variables: Mapping[str, Any],
    constants: Mapping[str, Any],
) -> list[ast.stmt]:
    """The body of a method access by access, as the reader of models takes it apart."""
    shared = Shared(dict.fromkeys(variables, ValueTuple(())), constants, dict.fromkeys(methods, function))
    parameters = {each.arg: ValueTuple(()) for each in node.args.args[1:]}
    text = PythonText(Source("", ""), ast.Module([], []))
    namespace = Namespace(text, shared, node.args.args[0].arg, parameters, outer_names(function))
    return split(node.body, namespace.for_body(node.body))


class _Instrument:
    def __init__(
        self,
        function: Callable[..., Any],
        node: ast.FunctionDef,
        methods: set[str],
        variables: Mapping[str, Any],
        is_coarse: bool,
    ) -> None:
        self.is_coarse = is_coarse
        self.block = "L.block" if is_coarse else "A"
        """What names the block in which others cannot move."""
        self.depth = 0
        self.globals = function.__globals__
        self.node = node
        self.methods = methods
        self.variables = variables
        self.state = node.args.args[0].arg
        self.parameters = [each.arg for each in node.args.args[1:]]
        self.locals = set(_stored(node.body))
        self.locals |= {name for each in ast.walk(node) for name in self.loop_names(each)}
        self.is_held = 0
        self.turns: list[str] = []
        self.may_stay = False
        self.fixed: set[str] = set()

    def function(self) -> ast.FunctionDef:
        arguments = ", ".join([self.state, *self.parameters, "L", "P", "C", "A"])
        made = ast.parse(f"def {self.node.name}({arguments}):\n    if False: yield").body[0]
        assert isinstance(made, ast.FunctionDef)
        made.body += self.body(self.node.body)
        return made

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        return [made for node in statements for made in self.statement(node)]

    def statement(self, node: ast.stmt) -> Iterator[ast.stmt]:  # noqa: PLR0915 # a case for each
        match node:
            case ast.Pass() | ast.Expr(value=ast.Constant()):
                yield ast.Pass()
            case ast.Expr(value=ast.Call() as call) if self.meaning(call.func) is vocabulary.end:
                self.may_stay = True
                yield ast.Pass()
            case ast.Expr(value=ast.Call() as call) if self.meaning(call.func) is vocabulary.wait:
                yield self.stop(node, f"[lambda: {self.text(call.args[0])}]")
            case ast.Expr(value=ast.Call() as call) if self.meaning(call.func) in (vocabulary.start, vocabulary.join):
                assert isinstance(call.args[0], ast.Attribute)
                named = "".join(f"{self.text(each)}, " for each in call.args[1:])
                process = f"{call.args[0].attr!r}, ({named})"
                if self.meaning(call.func) is vocabulary.start:
                    yield self.stop(node, "None")
                    yield ast.parse(f"{self.state}.start({process})").body[0]
                else:
                    yield self.stop(node, f"[lambda: {self.state}.has_ended({process})]")
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver)) as call) if not self.is_state(receiver):
                yield self.method(node, call)
            case ast.Assign(value=ast.Call(func=ast.Attribute(value=receiver, attr=name)) as call) if (
                name in _GIVING and not self.is_state(receiver)
            ):
                yield self.method(node, call)
                yield ast.parse(f"{self.text(node.targets[0])} = R").body[0]
            case ast.Expr(value=ast.Call() as call):
                yield from self.call(node, call)
            case ast.If() if self.is_either(node):
                yield from self.either(node)
            case ast.If():
                yield from self.branches(node)
            case ast.While():
                yield from self.loop(node)
            case ast.For() if self.container(node.iter) is not None:
                yield from self.live_loop(node)
            case ast.For():
                self.turns.append(ast.unparse(node.target))
                body = self.body(node.body)
                self.turns.pop()
                yield ast.For(node.target, ast.parse(self.text(node.iter), mode="eval").body, body, [])
            case ast.With(items=[ast.withitem(context_expr=ast.Attribute() | ast.Subscript() as held)]):
                yield from self.locked(node, held)
            case ast.With() if self.is_coarse:
                self.depth += 1
                if self.depth == 1:
                    yield ast.parse("L.block = object()").body[0]
                yield from self.body(node.body)
                self.depth -= 1
            case ast.Try():
                flag = f"X{node.lineno}"
                made_try = ast.parse(
                    f"{flag} = True\ntry:\n    pass\nexcept BaseException:\n    {flag} = False\n    raise\n"
                    f"finally:\n    if {flag}:\n        pass\n"
                )
                block = made_try.body[1]
                assert isinstance(block, ast.Try)
                assert isinstance(block.finalbody[0], ast.If)
                self.is_held += 1
                block.body = self.body(node.body) or [ast.Pass()]
                self.is_held -= 1
                self.turns.append("Y")
                block.finalbody[0].body = self.body(node.finalbody) or [ast.Pass()]
                self.turns.pop()
                yield ast.parse("Y = None").body[0]
                yield from made_try.body
                yield ast.parse("Y = None").body[0]
            case ast.With():
                (made,) = ast.parse("B = A\nA = A or object()\n").body[1:]
                yield ast.parse("B = A").body[0]
                yield made
                yield from self.body(node.body)
                yield ast.parse("A = B").body[0]
            case ast.Break() | ast.Continue() | ast.Return():
                if self.is_held:
                    yield ast.parse(f"Y = {node.lineno}").body[0]
                yield node
            case ast.Match():
                yield from self.match(node)
            case ast.Assign(value=ast.Call() as call) if self.meaning(call.func) is vocabulary.choose:
                yield self.stop(node, f"(lambda: list({self.text(call.args[0])}))")
                target = self.text(node.targets[0])
                yield ast.parse(f"{target} = K").body[0]
            case _:
                yield self.stop(node, "None")
                yield from ast.parse(self.text(node)).body

    def stop(self, node: ast.AST, ways: str) -> ast.stmt:
        """The stop before the step of a statement."""
        where = self.where(node)
        stay, self.may_stay = self.may_stay, False
        return ast.parse(f"K = yield ({where}, {ways}, {self.block}, {stay})").body[0]

    def call(self, node: ast.stmt, call: ast.Call) -> Iterator[ast.stmt]:
        """A method that is more than a value: its stops are those of the process."""
        assert isinstance(call.func, ast.Attribute)
        name = call.func.attr
        arguments = [self.text(each) for each in call.args]
        if any(self.depends(each) for each in call.args):
            yield self.stop(node, "None")
        for number, each in enumerate(call.args):
            if self.depends(each):  # its value is one of the process, and stays
                held = f"L[(*C, {name!r}), {number}]"
                yield ast.parse(f"{held} = {arguments[number]}").body[0]
                arguments[number] = held
        turns = "".join(f"{each}, " for each in self.turns)
        path = f"(*P, {node.lineno}, ({turns}))"
        listed = "".join(f"{each}, " for each in arguments)
        text = f"yield from {self.state}.steps({name!r}, ({listed}), L, {path}, (*C, {name!r}), A)"
        yield from ast.parse(text).body

    def is_state(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in (self.state, "m")

    def where(self, node: ast.AST) -> str:
        turns = "".join(f"{each}, " for each in self.turns)
        line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        return f"(*P, {line}, {column}, {getattr(node, 'end_col_offset', 0)}, {type(node).__name__!r}, ({turns}))"

    def method(self, node: ast.AST, call: ast.Call) -> ast.stmt:
        """A call of a method of a container, a channel or a lock."""
        assert isinstance(call.func, ast.Attribute)
        arguments = "".join(f"lambda: {self.text(each)}, " for each in call.args)
        stay, self.may_stay = self.may_stay, False
        return ast.parse(
            f"R = yield from call_steps(lambda: {self.text(call.func.value)}, {call.func.attr!r}, ({arguments}), "
            f"({self.where(node)}, {self.block}, {stay}), L.number)"
        ).body[0]

    def locked(self, node: ast.With, held: ast.expr) -> Iterator[ast.stmt]:
        """A lock is released on every way out, but not behind an error."""
        text, where = self.text(held), self.where(node)
        stay, self.may_stay = self.may_stay, False
        yield ast.parse(
            f"yield from call_steps(lambda: {text}, 'acquire', (), ({where}, {self.block}, {stay}), L.number)"
        ).body[0]
        self.is_held += 1
        body = self.body(node.body)
        self.is_held -= 1
        flag = f"X{node.lineno}"
        place = f"((*{where}, Y), {self.block}, False)"
        made = ast.parse(
            f"Y, {flag} = None, True\n"
            "try:\n    pass\n"
            f"except BaseException:\n    {flag} = False\n    raise\n"
            f"finally:\n    if {flag}:\n"
            f"        yield from call_steps(lambda: {text}, 'release', (), {place}, L.number)\n"
        )
        block = made.body[1]
        assert isinstance(block, ast.Try)
        block.body = body or [ast.Pass()]
        yield from made.body
        yield ast.parse("Y = None").body[0]

    def container(self, node: ast.expr) -> Any:
        """The domain of the variable that a loop goes through, if it is one."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.state:
            domain = self.variables.get(node.attr)
            return domain if isinstance(domain, ArrayDomain | ListDomain | SetDomain | DictDomain) else None
        return None

    def loop_names(self, node: ast.AST) -> Iterator[str]:
        """The names that a loop over a list or array gives values to, which are variables of the process."""
        if isinstance(node, ast.For) and isinstance(self.container(node.iter), ArrayDomain | ListDomain):
            assert isinstance(node.target, ast.Name)
            yield node.target.id

    def live_loop(self, node: ast.For) -> Iterator[ast.stmt]:
        domain, turn = self.container(node.iter), f"T{node.lineno}"
        most = {ArrayDomain: "length", ListDomain: "most", DequeDomain: "most"}.get(type(domain))
        count = getattr(domain, most) if most else len(keys_of(domain.key))
        made = ast.parse(f"for {turn} in range({count}): pass").body[0]
        assert isinstance(made, ast.For)
        assert isinstance(node.target, ast.Name)
        self.turns.append(turn)
        made.body = [
            self.stop(node, "None"),
            *ast.parse(f"W, V = turn_of({self.text(node.iter)}, {turn})\nif W == 'end': break").body,
            *ast.parse(f"if W == 'value':\n    {self.text(ast.Name(node.target.id, ast.Store()))} = V").body,
        ]
        inner = made.body[-1]
        assert isinstance(inner, ast.If)
        self.fixed |= {node.target.id} - self.locals
        inner.body += self.body(node.body)
        self.turns.pop()
        yield made

    def match(self, node: ast.Match) -> Iterator[ast.stmt]:
        yield self.stop(node, "None")
        made = ast.parse(f"match {self.text(node.subject)}:\n    case _: pass").body[0]
        assert isinstance(made, ast.Match)
        made.cases = []
        for each in node.cases:
            names = [part.name for part in ast.walk(each.pattern) if isinstance(part, ast.MatchAs) and part.name]
            kept, self.locals = self.locals, self.locals - set(names)
            guard = None if each.guard is None else ast.parse(self.text(each.guard), mode="eval").body
            self.locals = kept
            stores = [ast.parse(f"L[C, {name!r}] = {name}").body[0] for name in names]
            made.cases.append(ast.match_case(each.pattern, guard, [*stores, *self.body(each.body), ast.Pass()]))
        yield made

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
            if isinstance(part, ast.Name) and part.id in self.fixed:
                continue
            is_own = isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name)
            if is_own and part.value.id == self.state and part.attr in {*self.variables, *self.methods}:  # type: ignore[attr-defined]
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
                domain = ast.unparse(function)
                value = ast.unparse(self.visit(node.value.args[0])) if node.value.args else f"{domain}().initial"
                made = f"L[C, {name!r}] = L.declared((C, {name!r}), {domain}, {value})"
                return ast.parse(made).body[0]
        return self.generic_visit(node)


def _stored(body: list[ast.stmt]) -> Iterator[str]:
    """The names that statements assign, those of loops left out: these are part of where a process is."""
    for statement in body:
        for node in ast.walk(statement):
            targets: list[ast.expr] = []
            if isinstance(node, ast.MatchAs) and node.name:
                yield node.name
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
