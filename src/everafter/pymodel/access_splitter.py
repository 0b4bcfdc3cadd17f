"""Statements taken apart, so that each reads or writes the shared state once, as threads do.

A value that is read is kept in a variable of the process until it is used. `m.wait`, `m.either` and what stands in an
atomic block stay as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import count

from everafter.model import atomic, either, wait
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.process_frame import READ
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import ValueTuple


def split(body: Sequence[ast.stmt], namespace: Namespace) -> list[ast.stmt]:
    """Return the `body` of a method, in which names mean what `namespace` says, access by access."""
    whole = (wait, either, atomic)

    def is_whole(node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and namespace.meaning(node.func) in whole

    return AccessSplitter(namespace, is_whole).body(body)


class AccessSplitter:
    """Takes the statements of one method apart, in which names mean what `namespace` says.

    `is_whole` are the functions of the vocabulary whose conditions are looked at as a whole.
    """

    def __init__(self, namespace: Namespace, is_whole: Callable[[ast.AST], bool]) -> None:
        self.namespace = namespace.binding({name: ValueTuple(()) for name in namespace.local})
        self.is_whole = is_whole
        self.numbers = count()

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Return what the `statements` are, access by access."""
        return [made for node in statements for made in self._statement(node)]

    def _statement(self, node: ast.stmt) -> list[ast.stmt]:
        match node:
            case ast.AugAssign(target=target, op=operator, value=value):
                loaded = ast.parse(ast.unparse(target), mode="eval").body
                for part in ast.walk(loaded):
                    ast.copy_location(part, target)
                both = ast.copy_location(ast.BinOp(loaded, operator, value), node)
                return self._statement(ast.copy_location(ast.Assign([target], both), node))
            case ast.Assign(targets=[*targets], value=value):
                return self._assignment(node, targets, value)
            case ast.If() if not self.is_whole(node.test):
                return self._if(node)
            case ast.While():
                return self._while(node)
            case ast.Assert(test=test):
                reads, inner = self._apart(test, 1)
                return [*reads, ast.copy_location(ast.Assert(inner, None), node)]
            case ast.Expr(value=ast.Call() as call) if not self.is_whole(call):
                return self._call(node, call)
            case ast.Match(subject=subject):
                reads, inner = self._apart(subject, 1)
                cases = [ast.match_case(each.pattern, each.guard, self.body(each.body)) for each in node.cases]
                return [*reads, ast.copy_location(ast.Match(inner, cases), node)]
            case ast.With() if self.is_whole(node.items[0].context_expr):
                return [node]
            case ast.With() | ast.For() | ast.If():
                return [self._inside(node)]
        return [node]

    def _inside(self, node: ast.With | ast.For | ast.If) -> ast.stmt:
        """The same with what stands inside it taken apart."""
        fields = dict(ast.iter_fields(node))
        fields["body"] = self.body(node.body)
        if not isinstance(node, ast.With) and node.orelse:
            fields["orelse"] = self.body(node.orelse)
        return ast.copy_location(type(node)(**fields), node)

    def _assignment(self, node: ast.Assign, targets: list[ast.expr], value: ast.expr) -> list[ast.stmt]:
        stores = [each for target in targets for each in _places(target) if self._is_shared(each)]
        found = [index for each in stores for index in self._reads(_indices(each))]
        reads, inner = self._apart(value, 0 if stores else 1, len(found))
        made: list[ast.stmt] = list(reads)
        kept: list[ast.expr] = []
        for target in targets:
            more, changed = self._target(target)
            made += more
            kept.append(changed)
        if len(stores) > 1:
            raise PythonProblem(node, "this writes several variables in one statement", "write a statement for each")
        return [*made, ast.copy_location(ast.Assign(kept, inner), node)]

    def _target(self, target: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
        """The target with the indices read before."""
        if not isinstance(target, ast.Subscript) or not self._reads([target.slice]):
            return [], target
        reads, index = self._apart(target.slice, 0)
        return reads, ast.copy_location(ast.Subscript(target.value, index, target.ctx), target)

    def _if(self, node: ast.If) -> list[ast.stmt]:
        reads, inner = self._apart(node.test, 1)
        rest = self.body(node.orelse)
        if len(rest) == 1 and isinstance(rest[0], ast.If):
            rest = [ast.copy_location(ast.Pass(), rest[0]), *rest]  # the next condition is read in a step of its own
        return [*reads, ast.copy_location(ast.If(inner, self.body(node.body), rest), node)]

    def _while(self, node: ast.While) -> list[ast.stmt]:
        reads, inner = self._apart(node.test, 1)
        body = self.body(node.body)
        if reads:
            leave = ast.copy_location(ast.If(_not(inner), [ast.copy_location(ast.Break(), inner)], []), inner)
            always = ast.copy_location(ast.Constant(True), node.test)
            return [ast.copy_location(ast.While(always, [*reads, leave, *body], node.orelse), node)]
        return [ast.copy_location(ast.While(inner, body, node.orelse), node)]

    def _call(self, node: ast.Expr, call: ast.Call) -> list[ast.stmt]:
        """A method of the model is given values, one of a container is an access itself."""
        is_own = self.namespace.attribute(call.func) is not None
        made: list[ast.stmt] = []
        arguments: list[ast.expr] = []
        count_of = len(self._reads(call.args))
        for each in call.args:
            reads, inner = self._apart(each, int(is_own and count_of == 1))
            made += reads
            arguments.append(inner)
        changed = ast.copy_location(ast.Call(call.func, arguments, call.keywords), call)
        return [*made, ast.copy_location(ast.Expr(changed), node)]

    # Reads

    def _apart(self, node: ast.expr, free: int, others: int = 0) -> tuple[list[ast.stmt], ast.expr]:
        """What is read before `node` is used, and it with the names of what was read.

        Nothing, if it reads no more than is `free`, and there are no `others` in the statement.
        """
        reads = self._reads([node])
        if len(reads) + others <= free:
            return [], node
        made: list[ast.stmt] = []
        names: dict[int, ast.Name] = {}
        for each in reads:
            name = f"{READ}{next(self.numbers)}"
            store = ast.copy_location(ast.Name(name, ast.Store()), each)
            value = self._replaced(each, names)
            made.append(ast.copy_location(ast.Assign([store], value), each))
            names[id(each)] = ast.copy_location(ast.Name(name, ast.Load()), each)
        return made, self._replaced(node, names)

    def _replaced(self, node: ast.expr, names: dict[int, ast.Name]) -> ast.expr:
        if id(node) in names:
            return names[id(node)]
        if not names:
            return node
        fields = {}
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                value = self._replaced(value, names)  # noqa: PLW2901 # the same, changed
            elif isinstance(value, list):
                value = [self._replaced(each, names) if isinstance(each, ast.expr) else each for each in value]  # noqa: PLW2901
            fields[name] = value
        return ast.copy_location(type(node)(**fields), node)

    def _reads(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """The accesses of expressions in the order in which Python makes them, the indices of each before it."""
        return [found for node in nodes for found in self._read(node)]

    def _read(self, node: ast.expr) -> list[ast.expr]:
        if self.namespace.known(node) is not None:
            return []
        if isinstance(node, ast.Attribute | ast.Subscript) and self._is_shared(node):
            return [*self._reads(_indices(node)), node]
        match node:
            case ast.BoolOp(values=[first, *rest]):
                return [*self._read(first), *self._not_later(rest)]
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[held]) if self._is_shared(held):
                return [*self._read(left), node]
            case ast.Call(func=ast.Name(), args=[held]) if self._is_shared(held) and self._is_length(node):
                return [node]
            case ast.Call(func=ast.Attribute(value=held), args=given) if self._is_shared(held):
                return [*self._reads(given), node]
            case ast.IfExp(test=test, body=body, orelse=other):
                return [*self._read(test), *self._not_later([body, other])]
            case ast.Compare(left=left, comparators=[second, *rest]):
                return [*self._read(left), *self._read(second), *self._not_later(rest)]
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp() | ast.Lambda():
                return self._not_later([node], "this reads several variables in one expression")
            case ast.Call(func=ast.Attribute(attr=name) as method) if self.namespace.attribute(method) is not None:
                raise PythonProblem(node, f"what '{name}' reads is not taken apart", "write its expression here")
        return self._reads([child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)])

    def _is_length(self, node: ast.Call) -> bool:
        return self.namespace.meaning(node.func) is len

    def _not_later(
        self, nodes: Sequence[ast.expr], message: str = "what is read here depends on what was read before"
    ) -> list[ast.expr]:
        """Nothing; complain of accesses that happen or not."""
        for node in nodes:
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and self._is_shared(part):
                    raise PythonProblem(part, message, "write a statement for each")
        return []

    def _is_shared(self, node: ast.expr) -> bool:
        """Whether an expression is a variable of the model, or part of one."""
        while isinstance(node, ast.Subscript | ast.Attribute):
            name = self.namespace.attribute(node)
            if name is not None:
                return name in self.namespace.shared.variables
            node = node.value
        return False


def _places(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [place for each in target.elts for place in _places(each)]
    return [target]


def _indices(node: ast.expr) -> list[ast.expr]:
    found: list[ast.expr] = []
    while isinstance(node, ast.Subscript | ast.Attribute):
        if isinstance(node, ast.Subscript):
            found.insert(0, node.slice)
        node = node.value
    return found


def _not(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.UnaryOp(ast.Not(), node), node)
