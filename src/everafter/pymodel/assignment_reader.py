"""Assignments: which variable is meant, which values it may have, and that what is stored is one of them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final

from everafter.model import choose
from everafter.model.domains import AnyDomain, ArrayDomain, BoolDomain, Domain, IntDomain, domain_of
from everafter.promela.model import (
    Assign,
    ChoiceStatement,
    Constant,
    Expression,
    Group,
    Kind,
    Reference,
    Scalar,
    Statement,
    Test,
    Variable,
    Within,
)
from everafter.pymodel.bounded_items import Items
from everafter.pymodel.expression_reader import PythonExpressions
from everafter.pymodel.namespace import Namespace
from everafter.pymodel.process_frame import PythonFrame
from everafter.pymodel.python_text import PythonProblem
from everafter.pymodel.typed_values import CellArray, Fixed, Term, Value, ValueTuple, as_int, constant, joined
from everafter.source import Place, Source

After = Namespace | None
"""What names mean behind a statement; None if control does not come there."""
Pairs = list[tuple[Reference, Expression]]


class AssignmentReader:
    """Reads the assignments of one method, for one process."""

    def __init__(self, frame: PythonFrame, namespace: Namespace) -> None:
        self.frame = frame
        self.namespace = namespace
        self.expressions = PythonExpressions(namespace)

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

    def skip(self, node: ast.AST) -> Statement:
        """Return the step of `node` that changes nothing."""
        return Test(Constant(1, self.place(node)), self.place(node), "pass")

    def expression(self, node: ast.expr) -> Expression:
        """Whether `node` is true."""
        return self.truth(self.expressions.condition(node), node)

    def truth(self, value: Value, node: ast.AST) -> Expression:
        """Whether `value`, which `node` is, is true."""
        return value.expression if isinstance(value, Term) else constant(bool(known_value(value)), self.place(node))

    def assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> tuple[list[Statement], After]:
        """Return the step of the assignment `node`, and what names mean behind it."""
        match node:
            case ast.AugAssign(target=target, op=operator, value=value):
                loaded = ast.parse(ast.unparse(target), mode="eval").body
                for part in ast.walk(loaded):
                    ast.copy_location(part, target)
                both = ast.copy_location(ast.BinOp(loaded, operator, value), node)
                return self._stored([target], both, node)
            case ast.AnnAssign(target=ast.Name(id=name) as target, value=value) if value is not None:
                domain = domain_of(known_value(self.expressions.value(node.annotation)))
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
        known = known_value(self.namespace.known(node.func)) if written else self.namespace.meaning(node.func)
        return (known, only_argument(node, "initial")) if isinstance(known, Domain | ArrayDomain) else None

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
        if isinstance(where, CellArray):
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
            case ValueTuple(values=found):
                values = list(found)
            case CellArray():
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

    def _local(self, target: ast.Name, name: str, value: Value, node: ast.expr) -> Term | CellArray:
        """The variable of the process that a name is, made where it gets its first value."""
        calls, place = self.namespace.calls, self.place(target)
        if isinstance(self.namespace.names.get(name), Fixed):
            raise PythonProblem(target, f"'{name}' is known before the run and stays what it is", "use another name")
        if not self.frame.is_known(calls, name):
            return self.frame.local(calls, name, self._first(target, name, value, node), place)
        return self.frame.known(calls, name, place)

    def _first(self, target: ast.Name, name: str, value: Value, node: ast.expr) -> AnyDomain:
        """The domain of a variable that begins with a value: a number must say its range if it is to change."""
        if isinstance(value, CellArray):
            return value.domain
        found = self.expressions.as_term(value, node)
        is_copy = isinstance(found.expression, Reference)
        if isinstance(found.domain, IntDomain) and not is_copy and name not in self.namespace.once:
            raise PythonProblem(
                target, f"the range of '{name}' is not known", f"{name} = m.Int[0, 9]({self.written(node)})"
            )
        return found.domain

    def _fitted(self, value: Value, domain: Domain[Any], target: ast.expr, node: ast.expr) -> Expression:
        """The value as one of `domain`: leaving its range is an error of the run, another kind one of the text."""
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
        items: Items = self.expressions.items(only_argument(value, "values"))
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


_NOWHERE: Final = Variable("", Scalar(Kind.INT), None, Place(Source("", ""), 1, 1))
"""The variable that stands for any value of a domain."""


def known_value(value: Value | None) -> Any:
    """What is known of `value` before the run; None of others."""
    return value.value if isinstance(value, Fixed) else None


def only_argument(call: ast.Call, name: str) -> ast.expr:
    """The only argument of `call`, of the function `name`."""
    if len(call.args) == 1 and not call.keywords:
        return call.args[0]
    if not call.args and len(call.keywords) == 1 and call.keywords[0].arg == name:
        return call.keywords[0].value
    raise PythonProblem(call, f"one value is passed here: the {name}")


def _shown(value: Value) -> str:
    """A chosen value in a few words."""
    if isinstance(value, Fixed):
        return str(value.value)
    return "a value of the state"


def _variable_instead(name: str, reader: AssignmentReader) -> str:
    value = reader.namespace.shared.constants[name]
    domain = "bool" if isinstance(value, bool) else "m.Int[0, 9]"
    return f"a variable is written in small letters and says its values: {name.lower()} = {domain}({value!r})"
